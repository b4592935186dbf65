"""Tests /v1/messages with anthropic-python and three racing providers of chat."""
import base64
import unittest

import anthropic

from conversations_support import ANSWER, CITIES, CITY, KEY, assert_raced, last_request, seen
from support import GATEWAY_URL, comes_true, requests_so_far, run

TOOL = {"name": "get_weather", "description": "The weather in a city", "input_schema": CITY}
PIXEL = base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()


def client(kind=anthropic.Anthropic, **options):
    return kind(**{"base_url": GATEWAY_URL, "api_key": KEY, "max_retries": 0, "timeout": 15, **options})


def results_of(message):
    calls = [block for block in message.content if block.type == "tool_use"]
    return calls, [{"type": "tool_result", "tool_use_id": call.id, "content": "sunny"} for call in calls]


class AnthropicPython(unittest.TestCase):
    def say(self, text, **more):
        ask = {"model": "fast", "max_tokens": 500, "messages": [{"role": "user", "content": text}], **more}
        with client() as api:
            return api.messages.create(**ask)

    def failure(self, kind, call):
        with self.assertRaises(kind) as raised:
            call()
        return raised.exception

    def test_a_whole_message_has_its_text_and_its_usage(self):
        before = requests_so_far("fast")
        message = self.say("script hello, whole")
        self.assertEqual([block.text for block in message.content], ["Hello there!"])
        self.assertEqual((message.type, message.role, message.stop_reason), ("message", "assistant", "end_turn"))
        self.assertGreater(message.usage.cache_read_input_tokens, 0)
        self.assertRegex(message._request_id, "^req_")
        self.assertEqual(message.usage.output_tokens, 5)
        self.assertEqual(requests_so_far("fast"), before + 1)
        assert_raced(self, "script hello, whole", 1)

    def test_a_stream_adds_up_to_the_message(self):
        say = [{"role": "user", "content": "script weather, streamed"}]
        ask = {"model": "fast", "max_tokens": 500, "messages": say}
        with client() as api, api.messages.stream(**ask, tools=[TOOL]) as stream:
            events = [event.type for event in stream]
            message = stream.get_final_message()
        self.assertEqual([block.type for block in message.content], ["thinking", "text", "tool_use"])
        self.assertEqual(message.content[2].input, {"city": "Paris"})
        self.assertEqual(message.stop_reason, "tool_use")
        self.assertEqual((events[0], events[-1]), ("message_start", "message_stop"))
        self.assertEqual(events.count("content_block_start"), 3)
        self.assertEqual(events.count("content_block_stop"), 3)

    def test_three_turns_with_tools_streamed(self):
        messages = [{"role": "user", "content": "script weather, three streamed turns"}]
        asked = []
        with client() as api:
            while True:
                with api.messages.stream(model="fast", max_tokens=500, messages=messages, tools=[TOOL]) as stream:
                    message = stream.get_final_message()
                calls, results = results_of(message)
                if not calls:
                    break
                asked.append([call.input["city"] for call in calls])
                messages += [{"role": "assistant", "content": message.content}, {"role": "user", "content": results}]
        self.assertEqual(asked, CITIES)
        self.assertEqual(message.content[-1].text, ANSWER)
        assert_raced(self, "three streamed turns", 3)
        roles = [each["role"] for each in last_request("three streamed turns")["messages"]]
        self.assertEqual(roles, ["user", "assistant", "tool", "assistant", "tool", "tool"])

    def test_thinking_comes_back_to_the_provider(self):
        messages = [{"role": "user", "content": "script weather, thinking back"}]
        first = self.say("", messages=messages, tools=[TOOL], thinking={"type": "enabled", "budget_tokens": 1024},
                         max_tokens=2000)
        _, results = results_of(first)
        messages += [{"role": "assistant", "content": first.content}, {"role": "user", "content": results}]
        self.say("", messages=messages, tools=[TOOL])
        sent = last_request("thinking back")["messages"][1]
        self.assertEqual((sent["reasoning_content"], sent["content"]), ("I should look outside.", "Let me see."))

    def test_the_tool_runner_goes_through_all_turns(self):
        asked = []

        @anthropic.beta_tool
        def get_weather(city: str) -> str:
            """The weather in a city."""
            asked.append(city)
            return "sunny"

        with client() as api:
            runner = api.beta.messages.tool_runner(
                model="fast", max_tokens=500, tools=[get_weather],
                messages=[{"role": "user", "content": "script weather, by the runner"}],
            )
            last = runner.until_done()
        self.assertEqual(asked, sum(CITIES, []))
        self.assertEqual(last.content[-1].text, ANSWER)
        assert_raced(self, "by the runner", 3)

    def test_system_texts_and_images_reach_the_provider(self):
        self.assertEqual(self.say("script shout", system="be brief").content[0].text, "BE BRIEF")
        image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
        content = [{"type": "text", "text": "script picture"}, image]
        seen_by_it = self.say("", messages=[{"role": "user", "content": content}]).content[0].text
        self.assertEqual(seen_by_it, "I see 1 picture: data:image/png;base64,")

    def test_a_system_text_in_the_midst_is_not_a_second_system_message(self):
        messages = [{"role": "user", "content": "script hello, in the midst"},
                    {"role": "system", "content": "be brief"}]
        self.assertEqual(self.say("", messages=messages, system="You are kind").content[0].text, "Hello there!")
        assert_raced(self, "in the midst", 1)

    def test_parameters_arrive_under_their_names_of_chat(self):
        self.say("script hello, with parameters", stop_sequences=["END"], extra_body={"temperature": 0.5, "top_p": 0.9},
                 metadata={"user_id": "me"}, tools=[TOOL],
                 tool_choice={"type": "any", "disable_parallel_tool_use": True})
        body = last_request("with parameters")
        wanted = {"max_tokens": 500, "temperature": 0.5, "top_p": 0.9, "stop": ["END"], "user": "me",
                  "tool_choice": "required", "parallel_tool_calls": False}
        self.assertEqual({name: body.get(name) for name in wanted}, wanted)

    def test_structured_output_is_asked_for_and_parsed(self):
        schema = {"type": "object", "properties": {"city": {"type": "string"}, "degrees": {"type": "integer"}},
                  "required": ["city", "degrees"], "additionalProperties": False}
        config = {"format": {"type": "json_schema", "schema": schema}}
        message = self.say("script structured, by schema", output_config=config)
        self.assertEqual(message.content[0].text, '{"city": "Paris", "degrees": 21}')
        self.assertEqual(last_request("by schema")["response_format"]["json_schema"]["schema"], schema)

    def test_tokens_are_counted_without_a_provider(self):
        with client() as api:
            ask = {"model": "fast", "messages": [{"role": "user", "content": "count me"}]}
            few = api.messages.count_tokens(**ask).input_tokens
            more = api.messages.count_tokens(**ask, system="word " * 100, tools=[TOOL]).input_tokens
            raw = api.messages.with_raw_response.count_tokens(**ask)
        self.assertTrue(3 < few < 20, few)
        self.assertTrue(few + 120 < more < few + 250, more)
        self.assertEqual(raw.headers["x-token-count"], "estimate;tokenizer=o200k_base")
        self.assertEqual(seen("count me"), [])

    def test_models_come_page_by_page(self):
        with client() as api:
            page = api.models.list(limit=1)
            self.assertEqual((len(page.data), page.has_more), (1, True))
            ids = [model.id for model in api.models.list(limit=1)]
            every = api.models.list(limit=1000)
            one = api.models.retrieve("fast")
        self.assertEqual(ids, [model.id for model in every.data])
        self.assertIn("quick/m", ids)
        self.assertEqual(len(ids), len(set(ids)))
        self.assertEqual((one.id, one.type, one.display_name), ("fast", "model", "fast"))
        self.assertGreater(one.created_at.year, 2024)

    def test_errors_are_the_ones_that_users_catch(self):
        error = self.failure(anthropic.NotFoundError, lambda: self.say("x", model="nothing"))
        self.assertEqual((error.body["type"], error.body["error"]["type"]), ("error", "not_found_error"))
        with client(api_key="wrong") as api:
            ask = {"model": "fast", "max_tokens": 5, "messages": [{"role": "user", "content": "x"}]}
            self.failure(anthropic.AuthenticationError, lambda: api.messages.create(**ask))
            self.failure(anthropic.AuthenticationError, lambda: api.models.list())
        error = self.failure(anthropic.BadRequestError, lambda: self.say("x", messages=[]))
        self.assertIn("messages", error.message)
        self.assertRegex(error.request_id, "^req_")
        self.failure(anthropic.InternalServerError, lambda: self.say("x", model="failing"))
        with client() as api:
            self.failure(anthropic.NotFoundError, lambda: api.models.retrieve("nothing"))
            count = {"model": "nothing", "messages": [{"role": "user", "content": "x"}]}
            self.failure(anthropic.NotFoundError, lambda: api.messages.count_tokens(**count))

    def test_what_only_anthropic_can_do_is_refused_by_name(self):
        search = {"type": "web_search_20250305", "name": "web_search"}
        error = self.failure(anthropic.BadRequestError, lambda: self.say("x", tools=[search]))
        self.assertIn("web_search", error.message)

    def test_a_bearer_token_is_the_key_too(self):
        with client(api_key=None, auth_token=KEY) as api:
            ask = {"model": "fast", "max_tokens": 5, "messages": [{"role": "user", "content": "script hello"}]}
            self.assertEqual(api.messages.create(**ask).content[0].text, "Hello there!")

    def test_a_client_that_leaves_cancels_its_race(self):
        say = [{"role": "user", "content": "script hello, left alone"}]
        ask = {"model": "slow/m", "max_tokens": 5, "messages": say}
        with client(timeout=0.5) as api:
            self.failure(anthropic.APITimeoutError, lambda: api.messages.create(**ask))
        self.assertTrue(comes_true(lambda: [each["left"] for each in seen("left alone")] == [True]))


if __name__ == "__main__":
    raise SystemExit(run(AnthropicPython))
