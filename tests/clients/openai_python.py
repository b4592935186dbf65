"""Tests the gateway with openai-python."""
import asyncio
import json
import time
import unittest

import openai
from pydantic import BaseModel

from support import GATEWAY_URL, GUARDED_URL, PROMPT, comes_true, measured, requests, requests_so_far, run


def client(**options):
    settings = {"base_url": f"{GATEWAY_URL}/v1", "api_key": "unused", "max_retries": 0, "timeout": 15, **options}
    return openai.OpenAI(**settings)


def ask(model, **more):
    return {"model": model, "messages": PROMPT, **more}


def complete(model, more_client=None, **more):
    with client(**(more_client or {})) as api:
        return api.chat.completions.create(**ask(model, **more))


def chunks_of(model, more_client=None, **more):
    with client(**(more_client or {})) as api:
        return list(api.chat.completions.create(**ask(model, stream=True, **more)))


def text_of(chunks):
    return "".join(choice.delta.content or "" for chunk in chunks for choice in chunk.choices)


class note(BaseModel):
    """Keeps a note"""

    text: str


TOOL = openai.pydantic_function_tool(note)
KEYRING = {"api_key": "groq=gsk-own,cerebras=csk-own"}


class OpenAIPython(unittest.TestCase):
    # answers

    def test_a_streamed_answer_is_one_role_its_text_one_finish_reason(self):
        chunks = chunks_of("answer")
        choices = [choice for chunk in chunks for choice in chunk.choices]
        self.assertEqual([choice.delta.role for choice in choices if choice.delta.role], ["assistant"])
        self.assertEqual([choice.finish_reason for choice in choices if choice.finish_reason], ["stop"])
        self.assertEqual(len([choice for choice in choices if choice.delta.content]), 12)
        self.assertEqual(len({chunk.id for chunk in chunks}), 1)
        self.assertEqual(len({chunk.created for chunk in chunks}), 1)

    def test_the_first_token_is_read_long_before_the_last_one_is_written(self):
        times = []
        with client() as api:
            for chunk in api.chat.completions.create(**ask("sim/m;tps=20;tokens=10", stream=True)):
                if chunk.choices and chunk.choices[0].delta.content:
                    times.append(time.monotonic())
        self.assertEqual(len(times), 10)
        self.assertGreater(times[-1] - times[0], 0.3)

    def test_usage_comes_only_when_asked_for_in_one_last_chunk_without_choices(self):
        self.assertEqual([chunk for chunk in chunks_of("answer") if chunk.usage], [])
        asked = chunks_of("answer", stream_options={"include_usage": True})
        self.assertEqual([chunk for chunk in asked if chunk.usage], [asked[-1]])
        self.assertEqual(asked[-1].choices, [])
        self.assertEqual(asked[-1].usage.completion_tokens, 12)

    def test_a_whole_answer_has_its_text_its_finish_reason_and_its_usage(self):
        answer = complete("answer")
        self.assertEqual(answer.object, "chat.completion")
        self.assertEqual(answer.choices[0].message.role, "assistant")
        self.assertGreater(len(answer.choices[0].message.content), 20)
        self.assertEqual(answer.choices[0].finish_reason, "stop")
        self.assertEqual(answer.usage.total_tokens, answer.usage.prompt_tokens + 12)

    def test_max_tokens_reaches_the_provider_and_the_finish_reason_says_so(self):
        answer = complete("answer", max_tokens=4)
        self.assertEqual((answer.choices[0].finish_reason, answer.usage.completion_tokens), ("length", 4))

    def test_reasoning_is_streamed_before_the_content(self):
        kinds = []
        for chunk in chunks_of("sim/m;reasoning=6;tokens=4"):
            delta = chunk.choices[0].delta
            if getattr(delta, "reasoning_content", None):
                kinds.append("reasoning")
            if delta.content:
                kinds.append("content")
        self.assertEqual(kinds, ["reasoning"] * 6 + ["content"] * 4)

    def test_reasoning_is_part_of_a_whole_answer(self):
        message = complete("sim/m;reasoning=6;tokens=4").choices[0].message
        self.assertTrue(message.reasoning_content and message.content)

    def test_an_async_client_streams_several_answers_at_once(self):
        async def one(api):
            stream = await api.chat.completions.create(**ask("answer", stream=True))
            return text_of([chunk async for chunk in stream])

        async def several():
            async with openai.AsyncOpenAI(base_url=f"{GATEWAY_URL}/v1", api_key="unused", timeout=15) as api:
                return await asyncio.gather(*(one(api) for _ in range(8)))

        texts = asyncio.run(several())
        self.assertEqual(len(texts), 8)
        for text in texts:
            self.assertGreater(len(text), 20)

    def test_comments_before_the_first_token_do_not_disturb_the_stream(self):
        self.assertGreater(len(text_of(chunks_of("commented"))), 20)

    # the stream helper

    def test_the_stream_helper_collects_the_final_completion(self):
        with client() as api, api.chat.completions.stream(**ask("answer")) as stream:
            text = "".join(event.delta for event in stream if event.type == "content.delta")
            final = stream.get_final_completion()
        self.assertGreater(len(text), 20)
        self.assertEqual(final.choices[0].message.content, text)
        self.assertEqual(final.choices[0].finish_reason, "stop")

    def test_the_stream_helper_parses_a_tool_call(self):
        with client() as api, api.chat.completions.stream(**ask("sim/m;tools", tools=[TOOL])) as stream:
            done = [event for event in stream if event.type == "tool_calls.function.arguments.done"]
            final = stream.get_final_completion()
        self.assertEqual([event.name for event in done], ["note"])
        parsed = final.choices[0].message.tool_calls[0].function.parsed_arguments
        self.assertIsInstance(parsed, note)
        self.assertTrue(parsed.text)

    def test_the_stream_helper_raises_what_breaks_in_the_middle(self):
        with client() as api, self.assertRaises(openai.APIError):
            with api.chat.completions.stream(**ask("sim/m;close_after=5")) as stream:
                stream.until_done()

    # tools

    def test_a_streamed_tool_call_is_one_id_one_name_and_arguments_that_are_json(self):
        chunks = chunks_of("sim/m;tools", tools=[TOOL])
        parts = [part for chunk in chunks for choice in chunk.choices for part in choice.delta.tool_calls or []]
        self.assertEqual(len([part for part in parts if part.id]), 1)
        self.assertEqual([part.function.name for part in parts if part.function.name], ["note"])
        self.assertEqual({part.index for part in parts}, {0})
        self.assertTrue(json.loads("".join(part.function.arguments or "" for part in parts))["text"])
        ends = [choice.finish_reason for chunk in chunks for choice in chunk.choices if choice.finish_reason]
        self.assertEqual(ends, ["tool_calls"])

    def test_a_tool_call_and_its_result_make_a_conversation(self):
        first = complete("sim/m;tools", tools=[TOOL]).choices[0]
        self.assertEqual((first.finish_reason, first.message.tool_calls[0].function.name), ("tool_calls", "note"))
        result = {"role": "tool", "tool_call_id": first.message.tool_calls[0].id, "content": "kept"}
        with client() as api:
            second = api.chat.completions.create(model="answer", tools=[TOOL], messages=[*PROMPT, first.message, result])
        self.assertEqual(second.choices[0].finish_reason, "stop")

    def test_parse_returns_typed_arguments_of_a_whole_answer(self):
        with client() as api:
            parsed = api.chat.completions.parse(**ask("sim/m;tools", tools=[TOOL])).choices[0].message
        self.assertIsInstance(parsed.tool_calls[0].function.parsed_arguments, note)

    # races

    def test_the_raw_response_names_the_winner_the_attempts_the_time_and_the_request(self):
        with client() as api:
            raw = api.chat.completions.with_raw_response.create(**ask("photo"))
        self.assertEqual(raw.headers["x-race-winner"], "sim/quick;ttft=30ms")
        self.assertEqual(raw.headers["x-race-attempts"], "2")
        self.assertTrue(30 <= float(raw.headers["x-race-ttft-ms"]) < 3000, raw.headers["x-race-ttft-ms"])
        self.assertRegex(raw.headers["x-request-id"], "^req_")
        self.assertEqual(raw.parse()._request_id, raw.headers["x-request-id"])

    def test_a_streaming_response_has_the_headers_before_its_lines(self):
        with client() as api:
            with api.chat.completions.with_streaming_response.create(**ask("photo", stream=True)) as response:
                self.assertEqual(response.headers["x-race-winner"], "sim/quick;ttft=30ms")
                lines = [line for line in response.iter_lines() if line]
        self.assertEqual(lines[-1], "data: [DONE]")
        self.assertEqual([line for line in lines if not line.startswith("data: ")], [])

    def test_a_failed_provider_is_not_noticed_while_another_one_answers(self):
        with client() as api:
            raw = api.chat.completions.with_raw_response.create(**ask("rescued"))
        self.assertEqual(raw.headers["x-race-winner"], "sim/sound")

    def test_a_race_header_of_the_request_keeps_the_second_attempt_from_starting(self):
        with client() as api:
            raw = api.chat.completions.with_raw_response.create(
                **ask("photo"), extra_headers={"x-race-max-attempts": "1"})
        self.assertEqual(raw.headers["x-race-attempts"], "1")

    # models

    def test_models_list_tells_routes_and_targets(self):
        with client() as api:
            ids = [model.id for model in api.models.list()]
        for name in ("answer", "photo", "sim/openai/gpt-oss-120b"):
            self.assertIn(name, ids)
        self.assertEqual(len(set(ids)), len(ids))

    def test_models_retrieve_takes_a_name_with_slashes(self):
        with client() as api:
            self.assertEqual(api.models.retrieve("sim/openai/gpt-oss-120b").id, "sim/openai/gpt-oss-120b")

    def test_models_retrieve_of_nothing_we_know_is_a_not_found_error(self):
        with client() as api, self.assertRaises(openai.NotFoundError) as raised:
            api.models.retrieve("anser")
        self.assertEqual(raised.exception.code, "model_not_found")

    # errors

    def test_an_unknown_model_is_a_not_found_error_that_suggests_the_near_one(self):
        for stream in (True, False):
            with self.assertRaises(openai.NotFoundError) as raised:
                complete("anser", stream=stream)
            self.assertEqual((raised.exception.code, raised.exception.param), ("model_not_found", "model"))
            self.assertIn("'answer'", raised.exception.message)
            self.assertRegex(raised.exception.request_id, "^req_")

    def test_an_endpoint_that_is_not_served_is_a_not_found_error_that_says_so(self):
        with client() as api:
            for call in (api.files.list, api.vector_stores.create):
                with self.assertRaises(openai.NotFoundError) as raised:
                    call()
                self.assertEqual(raised.exception.code, "unsupported_endpoint")
                self.assertIn("not offered here", raised.exception.message)

    def test_a_request_that_the_provider_refuses_is_a_bad_request_error(self):
        with self.assertRaises(openai.BadRequestError) as raised:
            complete("sim/m;status=400", {"max_retries": 2})
        self.assertEqual(raised.exception.type, "invalid_request_error")

    def test_a_request_that_the_gateway_refuses_is_a_bad_request_error_that_names_the_parameter(self):
        with self.assertRaises(openai.BadRequestError) as raised:
            complete("answer", extra_headers={"x-race-max-attempts": "many"})
        self.assertEqual(raised.exception.param, "x-race-max-attempts")

    def test_a_rate_limit_is_repeated_after_retry_after_until_it_is_answered(self):
        before = requests_so_far("limited")
        answer = complete("limited", {"max_retries": 2})
        self.assertEqual(answer.choices[0].finish_reason, "stop")
        self.assertEqual(requests_so_far("limited") - before, 3)
        self.assertEqual(answer.id, "chatcmpl-sim-3")  # the simulated provider has received three requests

    def test_a_stream_is_repeated_after_a_rate_limit_too(self):
        before = requests_so_far("limited")
        chunks = chunks_of("limited", {"max_retries": 2})
        self.assertTrue(text_of(chunks))
        self.assertEqual(requests_so_far("limited") - before, 3)
        self.assertEqual(chunks[0].id, "chatcmpl-sim-6")

    def test_an_exhausted_quota_is_not_repeated(self):
        before = requests_so_far("exhausted")
        with self.assertRaises(openai.RateLimitError) as raised:
            complete("exhausted", {"max_retries": 2})
        self.assertEqual(raised.exception.code, "insufficient_quota")
        self.assertEqual(raised.exception.response.headers["x-should-retry"], "false")
        self.assertEqual(requests_so_far("exhausted") - before, 1)

    def test_an_overload_is_an_internal_server_error_that_names_the_provider(self):
        with self.assertRaises(openai.InternalServerError) as raised:
            complete("overloaded")
        self.assertEqual(raised.exception.status_code, 503)
        self.assertEqual(raised.exception.response.headers["retry-after"], "1")
        self.assertIn("sim/m", raised.exception.message)

    def test_a_race_that_is_too_late_is_a_504_that_is_not_repeated(self):
        before = requests_so_far("tardy")
        with self.assertRaises(openai.InternalServerError) as raised:
            complete("tardy", {"max_retries": 2})
        self.assertEqual(raised.exception.status_code, 504)
        self.assertEqual(requests_so_far("tardy") - before, 1)

    def breaks_after_its_text(self, model):
        chunks = []
        with client() as api, self.assertRaises(openai.APIError) as raised:
            for chunk in api.chat.completions.create(**ask(model, stream=True)):
                chunks.append(chunk)
        self.assertTrue(text_of(chunks))
        return raised.exception

    def test_an_error_in_the_middle_of_a_stream_is_raised_after_the_text_that_came(self):
        self.assertIn("sim/m", self.breaks_after_its_text("sim/m;error_event=5").message)

    def test_a_truncated_stream_is_raised_not_taken_for_an_end(self):
        self.assertEqual(self.breaks_after_its_text("sim/m;close_after=5").code, "upstream_broken")

    def test_a_reset_in_the_middle_of_a_stream_is_raised(self):
        self.assertEqual(self.breaks_after_its_text("sim/m;reset_after=5").code, "upstream_broken")

    def test_a_stream_that_falls_silent_is_raised(self):
        self.assertEqual(self.breaks_after_its_text("stalling").code, "upstream_stalled")

    def test_a_whole_answer_that_is_cut_is_a_502(self):
        with self.assertRaises(openai.InternalServerError) as raised:
            complete("sim/m;close_after=5")
        self.assertEqual(raised.exception.status_code, 502)

    # keys

    def test_without_a_key_it_is_an_authentication_error_that_says_how_to_bring_one(self):
        with self.assertRaises(openai.AuthenticationError) as raised:
            complete("groq/m")
        self.assertIn("Bearer groq=KEY", raised.exception.message)
        self.assertIn("x-provider-key-groq", raised.exception.message)

    def test_a_keyring_as_api_key_reaches_each_provider_with_its_own_key(self):
        for model in ("groq/m", "cerebras/m", "groq/m,cerebras/m;ttft=2s", "groq/m;ttft=2s,cerebras/m"):
            with self.subTest(model):
                self.assertEqual(complete(model, KEYRING).choices[0].finish_reason, "stop")

    def test_a_wrong_key_of_our_own_is_an_authentication_error(self):
        with self.assertRaises(openai.AuthenticationError) as raised:
            complete("groq/m", {"api_key": "groq=csk-own"})
        self.assertNotIn("csk-own", str(raised.exception))

    def test_a_keyring_entry_for_nobody_is_an_authentication_error_that_names_it(self):
        with self.assertRaises(openai.AuthenticationError) as raised:
            complete("groq/m", {"api_key": "groq=gsk-own,grok=secret"})
        self.assertIn("grok", raised.exception.message)
        self.assertNotIn("secret", str(raised.exception))

    def test_a_provider_key_may_come_in_a_default_header(self):
        answer = complete("cerebras/m", {"default_headers": {"x-provider-key-cerebras": "csk-own"}})
        self.assertEqual(answer.choices[0].finish_reason, "stop")

    def test_a_plain_api_key_never_reaches_a_provider(self):
        plain = {"api_key": "plain-token"}
        self.assertEqual(complete("kept/m", plain).choices[0].finish_reason, "stop")
        with self.assertRaises(openai.InternalServerError) as raised:
            complete("listening/m", plain)
        self.assertEqual((raised.exception.status_code, raised.exception.code), (502, "provider_auth"))

    def guest(self, api_key, **options):
        return {"base_url": f"{GUARDED_URL}/v1", "api_key": api_key, **options}

    def test_an_access_key_opens_the_gateway_and_its_routes_only(self):
        self.assertTrue(complete("answer", self.guest("search-key")).id)
        self.assertTrue(complete("other", self.guest("open-key")).id)
        with self.assertRaises(openai.PermissionDeniedError):
            complete("other", self.guest("search-key"))
        with client(**self.guest("search-key")) as api:
            self.assertEqual([model.id for model in api.models.list()], ["answer"])

    def test_a_wrong_access_key_is_an_authentication_error(self):
        with client(**self.guest("nonsense")) as api:
            for call in (lambda: api.chat.completions.create(**ask("answer")), api.models.list):
                with self.assertRaises(openai.AuthenticationError) as raised:
                    call()
                self.assertNotIn("nonsense", str(raised.exception))

    def test_an_access_key_travels_beside_provider_keys(self):
        self.assertTrue(complete("groq/m", self.guest("photofinish=open-key,groq=gsk-own")).id)
        header = self.guest("groq=gsk-own", default_headers={"x-photofinish-key": "open-key"})
        self.assertTrue(complete("groq/m", header).id)

    # clients that leave

    def assert_cancelled(self, route, before):
        self.assertTrue(comes_true(lambda: requests(route, outcome="client_cancelled") == before + 1))
        self.assertTrue(comes_true(lambda: measured("photofinish_inflight_attempts", provider="sim") == 0))

    def test_closing_a_stream_cancels_the_provider(self):
        before = requests("endless", outcome="client_cancelled")
        with client() as api:
            stream = api.chat.completions.create(**ask("endless", stream=True))
            next(stream)
            stream.close()
            self.assert_cancelled("endless", before)

    def test_leaving_the_stream_helper_cancels_the_provider(self):
        before = requests("endless", outcome="client_cancelled")
        with client() as api:
            with api.chat.completions.stream(**ask("endless")) as stream:
                next(event for event in stream if event.type == "content.delta")
            self.assert_cancelled("endless", before)

    def test_cancelling_a_task_cancels_a_race_that_has_no_winner_yet(self):
        async def leave():
            async with openai.AsyncOpenAI(base_url=f"{GATEWAY_URL}/v1", api_key="unused", max_retries=0) as api:
                task = asyncio.create_task(api.chat.completions.create(**ask("silent")))
                is_running = lambda: measured("photofinish_inflight_attempts", provider="sim") == 1
                self.assertTrue(await asyncio.to_thread(comes_true, is_running))
                task.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await task
                await asyncio.to_thread(self.assert_cancelled, "silent", before)

        before = requests("silent", outcome="client_cancelled")
        asyncio.run(leave())

    def test_a_timeout_of_the_sdk_cancels_the_provider(self):
        before = requests("silent", outcome="client_cancelled")
        with client(timeout=0.2) as api, self.assertRaises(openai.APITimeoutError):
            api.chat.completions.create(**ask("silent"))
        self.assert_cancelled("silent", before)


if __name__ == "__main__":
    raise SystemExit(run(OpenAIPython))
