"""Tests the simulated provider with the official SDKs of Google, Anthropic and OpenAI, each in its own API: an answer that our tests
accept must also be accepted by the vendor's own client."""
import os
import unittest

import anthropic
import openai
from google import genai
from google.genai import errors as genai_errors
from google.genai import types

from support import run

KEY = "sim-own"
V1 = os.environ["SIM_URL"]
ROOT = V1.removesuffix("/v1")
CITY = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


def google():
    options = types.HttpOptions(base_url=ROOT, timeout=15_000, retry_options=types.HttpRetryOptions(attempts=1))
    return genai.Client(api_key=KEY, http_options=options)


def claude():
    return anthropic.Anthropic(base_url=ROOT, api_key=KEY, max_retries=0, timeout=15)


def gpt():
    return openai.OpenAI(base_url=V1, api_key=KEY, max_retries=0, timeout=15)


def declared():
    function = types.FunctionDeclaration(name="look", description="Looks", parameters_json_schema=CITY)
    automatic = types.AutomaticFunctionCallingConfig(disable=True)
    return types.GenerateContentConfig(tools=[types.Tool(function_declarations=[function])],
                                       automatic_function_calling=automatic)


MESSAGES = {"max_tokens": 1000, "messages": [{"role": "user", "content": "hi"}]}
CHAT = {"messages": [{"role": "user", "content": "hi"}]}


class SimulatorNatives(unittest.TestCase):
    def setUp(self):  # new clients for each test, because a client closes its connections when it is deleted
        self.google, self.claude, self.gpt = google(), claude(), gpt()

    def tearDown(self):
        for each in (self.google, self.claude, self.gpt):
            each.close()

    def test_google_genai_reads_a_whole_answer(self):
        answer = self.google.models.generate_content(model="m;tokens=5;reasoning=3", contents="hi")
        thought, said = answer.candidates[0].content.parts
        self.assertTrue(thought.thought and thought.text)
        self.assertTrue(said.text)
        self.assertEqual(answer.text, said.text)
        self.assertEqual(answer.candidates[0].finish_reason, types.FinishReason.STOP)
        used = answer.usage_metadata
        self.assertEqual((used.candidates_token_count, used.thoughts_token_count), (5, 3))
        self.assertEqual(answer.model_version, "m")

    def test_google_genai_adds_up_a_stream(self):
        chunks = list(self.google.models.generate_content_stream(model="m;tokens=6;reasoning=2;seed=7", contents="hi"))
        whole = self.google.models.generate_content(model="m;tokens=6;reasoning=2;seed=7", contents="hi")
        self.assertEqual("".join(chunk.text or "" for chunk in chunks), whole.text)
        self.assertEqual(chunks[-1].candidates[0].finish_reason, types.FinishReason.STOP)
        self.assertTrue(chunks[-1].candidates[0].content.parts[0].thought_signature)
        self.assertGreater(len(chunks), 6)

    def test_google_genai_reads_a_signed_call(self):
        for answer in (self.google.models.generate_content(model="m;tokens=5;tools", contents="hi", config=declared()),
                       *self.google.models.generate_content_stream(model="m;tokens=5;tools", contents="hi",
                                                                config=declared())):
            if not answer.function_calls:
                continue
            self.assertEqual(answer.function_calls[0].name, "look")
            self.assertTrue(answer.function_calls[0].args["text"])
            self.assertTrue(answer.candidates[0].content.parts[0].thought_signature)
            break
        else:
            self.fail("no call came")

    def test_google_genai_holds_a_conversation(self):
        chat = self.google.chats.create(model="m;tokens=4;reasoning=2")
        for turn in range(3):
            self.assertTrue(chat.send_message(f"turn {turn}").text)
        self.assertEqual(len(chat.get_history()), 6)

    def test_google_genai_knows_limits_and_errors(self):
        limit = types.GenerateContentConfig(max_output_tokens=3)
        answer = self.google.models.generate_content(model="m;tokens=50", contents="hi", config=limit)
        self.assertEqual(answer.candidates[0].finish_reason, types.FinishReason.MAX_TOKENS)
        for status, kind, word in ((429, genai_errors.ClientError, "RESOURCE_EXHAUSTED"),
                                   (503, genai_errors.ServerError, "UNAVAILABLE")):
            with self.assertRaises(kind) as raised:
                self.google.models.generate_content(model=f"m;status={status}", contents="hi")
            self.assertEqual((raised.exception.code, raised.exception.status), (status, word))
        with self.assertRaises(genai_errors.ClientError):
            wrong = genai.Client(api_key="wrong", http_options=types.HttpOptions(base_url=ROOT))
            wrong.models.generate_content(model="m", contents="hi")

    def test_google_genai_learns_of_an_error_in_a_stream(self):
        with self.assertRaises(genai_errors.APIError) as raised:
            list(self.google.models.generate_content_stream(model="m;tokens=5;error_event=2", contents="hi"))
        self.assertEqual(raised.exception.code, 500)

    def test_anthropic_reads_a_whole_message(self):
        message = self.claude.messages.create(model="m;tokens=5;reasoning=3", **MESSAGES)
        self.assertEqual([block.type for block in message.content], ["thinking", "text"])
        self.assertTrue(message.content[0].signature)
        self.assertEqual((message.stop_reason, message.usage.output_tokens), ("end_turn", 8))

    def test_anthropic_adds_up_a_stream(self):
        tool = {"name": "look", "input_schema": CITY}
        with self.claude.messages.stream(model="m;tokens=5;reasoning=3;tools", tools=[tool], **MESSAGES) as stream:
            events = [event.type for event in stream]
            message = stream.get_final_message()
        self.assertEqual([block.type for block in message.content], ["thinking", "tool_use"])
        self.assertEqual(message.content[1].name, "look")
        self.assertTrue(message.content[1].input["text"])
        self.assertTrue(message.content[0].signature)
        self.assertEqual((message.stop_reason, message.usage.output_tokens), ("tool_use", 8))
        self.assertEqual((events[0], events[-1]), ("message_start", "message_stop"))

    def test_anthropic_knows_limits_and_errors(self):
        message = self.claude.messages.create(model="m;tokens=50", **{**MESSAGES, "max_tokens": 3})
        self.assertEqual(message.stop_reason, "max_tokens")
        for status, kind in ((429, anthropic.RateLimitError), (529, anthropic.InternalServerError)):
            with self.assertRaises(kind) as raised:
                self.claude.messages.create(model=f"m;status={status}", **MESSAGES)
            self.assertEqual(raised.exception.status_code, status)
        with self.assertRaises(anthropic.APIStatusError) as raised:
            with self.claude.messages.stream(model="m;tokens=5;error_event=2", **MESSAGES) as stream:
                list(stream)
        self.assertEqual(raised.exception.body["error"]["type"], "api_error")

    def test_openai_reads_a_whole_answer_and_a_stream(self):
        whole = self.gpt.chat.completions.create(model="m;tokens=6;seed=7", **CHAT)
        self.assertEqual((whole.choices[0].finish_reason, whole.usage.completion_tokens), ("stop", 6))
        with self.gpt.chat.completions.stream(model="m;tokens=6;seed=7", stream_options={"include_usage": True},
                                           **CHAT) as stream:
            final = [*stream, stream.get_final_completion()][-1]
        self.assertEqual(final.choices[0].message.content, whole.choices[0].message.content)
        self.assertEqual(final.usage.completion_tokens, 6)

    def test_openai_reads_a_call_and_knows_errors(self):
        tool = {"type": "function", "function": {"name": "look", "parameters": CITY}}
        answer = self.gpt.chat.completions.create(model="m;tokens=5;tools", tools=[tool], **CHAT)
        self.assertEqual(answer.choices[0].message.tool_calls[0].function.name, "look")
        with self.assertRaises(openai.RateLimitError):
            self.gpt.chat.completions.create(model="m;status=429", **CHAT)
        with self.assertRaises(openai.APIError):
            list(self.gpt.chat.completions.create(model="m;tokens=5;error_event=2", stream=True, **CHAT))

    def test_openai_adds_up_a_response(self):
        tool = {"type": "function", "name": "look", "parameters": CITY, "strict": False}
        for settings, kinds in (("tokens=5;reasoning=3", ["reasoning", "message"]), ("tokens=5;tools", ["function_call"])):
            model = f"m;{settings};seed=7"
            with self.gpt.responses.stream(model=model, input="hi", tools=[tool],
                                           include=["reasoning.encrypted_content"]) as stream:
                for _ in stream:
                    pass
                final = stream.get_final_response()
            whole = self.gpt.responses.create(model=model, input="hi", tools=[tool], include=["reasoning.encrypted_content"])
            self.assertEqual([item.type for item in final.output], kinds)
            self.assertEqual(final.output_text, whole.output_text)
            self.assertEqual(final.usage.output_tokens, whole.usage.output_tokens)
            if kinds[0] == "reasoning":
                self.assertTrue(final.output[0].encrypted_content and final.output[0].summary[0].text)
            else:
                self.assertEqual(final.output[0].name, "look")

    def test_openai_knows_errors_and_limits_of_responses(self):
        limited = self.gpt.responses.create(model="m;tokens=50", input="hi", max_output_tokens=3)
        self.assertEqual((limited.status, limited.incomplete_details.reason), ("incomplete", "max_output_tokens"))
        with self.assertRaises(openai.RateLimitError):
            self.gpt.responses.create(model="m;status=429", input="hi")
        with self.assertRaises(openai.APIError):
            list(self.gpt.responses.create(model="m;tokens=5;error_event=2", input="hi", stream=True))


if __name__ == "__main__":
    raise SystemExit(run(SimulatorNatives))
