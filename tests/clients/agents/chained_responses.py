"""Tests clients that omit `store` and continue a response by its id, on a route with `stored: default`.

OpenAI keeps responses unless `store` is false. The Agents SDK with `auto_previous_response_id` relies on this default.
"""
import asyncio
import unittest

from agents import Agent, OpenAIResponsesModel, Runner, function_tool, set_tracing_disabled
from openai import AsyncOpenAI, OpenAI

from conversations_support import ANSWER, CITIES, KEY, seen
from support import GATEWAY_URL, run

OPTIONS = {"base_url": f"{GATEWAY_URL}/v1", "api_key": KEY, "max_retries": 0, "timeout": 15}


def agent(asked, model="kept"):
    @function_tool
    def get_weather(city: str) -> str:
        """The weather in a city."""
        asked.append(city)
        return "sunny"

    set_tracing_disabled(True)
    return Agent(name="Weather", tools=[get_weather],
                 model=OpenAIResponsesModel(model=model, openai_client=AsyncOpenAI(**OPTIONS)))


class ChainedResponses(unittest.TestCase):
    def assert_chained(self, text, count):
        """Checks that the provider got each item once, kept each answer, and found no fault."""
        requests = [request["body"] for request in seen(text, "OPENAI_URL")]
        self.assertEqual(len(requests), count)
        self.assertNotIn("previous_response_id", requests[0])
        for before, request in zip(requests, requests[1:]):
            self.assertRegex(request["previous_response_id"], "^resp_[0-9]{8}$")
            self.assertGreater(len(request["conversation"]), len(before["conversation"]))
        self.assertEqual([body.get("store") for body in requests], [None] * count)
        self.assertEqual([each["faults"] for each in seen(text, "OPENAI_URL") if each["faults"]], [])
        return requests

    def test_the_agents_sdk_chains_its_turns_by_previous_response_id(self):
        asked = []
        said = Runner.run_sync(agent(asked), "script weather, chained", auto_previous_response_id=True).final_output
        self.assertEqual((asked, said), (sum(CITIES, []), ANSWER))
        requests = self.assert_chained("script weather, chained", 3)
        self.assertEqual([len(body["input"]) for body in requests], [1, 1, 2], "only what is new")

    def test_openai_collects_items_of_an_answer_in_one_piece(self):
        tool = {"type": "function", "name": "get_weather", "strict": False,
                "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}
        with OpenAI(**OPTIONS).responses.stream(model="in-one-piece", input="script weather, collected",
                                                tools=[tool]) as stream:
            items = [event.item for event in stream if event.type == "response.output_item.done"]
            output = stream.get_final_response().output
        self.assertEqual([item.type for item in items], [item.type for item in output])
        self.assertIn("function_call", [item.type for item in items])
        [request] = seen("script weather, collected", "OPENAI_URL")
        self.assertFalse(request["body"]["stream"])

    def test_the_agents_sdk_chains_its_turns_while_it_streams(self):
        async def work(asked):
            result = Runner.run_streamed(agent(asked), "script weather, in a stream", auto_previous_response_id=True)
            async for _ in result.stream_events():
                pass
            return result.final_output

        asked = []
        said = asyncio.run(work(asked))
        self.assertEqual((asked, said), (sum(CITIES, []), ANSWER))
        self.assert_chained("script weather, in a stream", 3)

    def test_a_response_is_continued_as_in_the_first_example_of_openai(self):
        with OpenAI(**OPTIONS) as client:
            first = client.responses.create(model="kept", input="script hello, an example")
            second = client.responses.create(model="kept", previous_response_id=first.id, input="script hello, again")
        self.assertEqual((first.output_text, second.output_text), ("Hello there!", "Hello there!"))
        self.assertEqual(second.previous_response_id, first.id)
        self.assert_chained("an example", 2)


if __name__ == "__main__":
    raise SystemExit(run(ChainedResponses))
