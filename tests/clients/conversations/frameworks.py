"""Tests frameworks that use Responses or Messages by default, with the published types of Open Responses as validators."""
import asyncio
import json
import unittest
import urllib.request

import openresponses_types as types
from agents import Agent, OpenAIResponsesModel, Runner, function_tool, set_tracing_disabled
from openai import AsyncOpenAI
from pydantic import BaseModel, TypeAdapter
from pydantic_ai import Agent as PydanticAgent, NativeOutput
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIResponsesModel as PydanticResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

from conversations_support import ANSWER, CITIES, CITY, KEY, assert_raced, last_request
from support import GATEWAY_URL, comes_true, measured, run

TOOL = {"type": "function", "name": "get_weather", "description": "The weather", "parameters": CITY, "strict": True}


class Place(BaseModel):
    city: str
    degrees: int


def post(path, body):
    """Returns the content type and the unparsed text of an answer."""
    fields = {"authorization": f"Bearer {KEY}", "content-type": "application/json"}
    request = urllib.request.Request(f"{GATEWAY_URL}/v1/{path}", data=json.dumps(body).encode(), headers=fields)
    with urllib.request.urlopen(request, timeout=15) as response:
        return response.headers["content-type"], response.read().decode()


def respond(input, **more):
    return post("responses", {"model": "fast", "input": input, **more})


def events_of(text):
    """Returns the name and the JSON of each event."""
    for event in text.strip().split("\n\n"):
        name, data = event.split("\n")
        yield name.removeprefix("event: "), json.loads(data.removeprefix("data: "))


def openai_client():
    return AsyncOpenAI(base_url=f"{GATEWAY_URL}/v1", api_key=KEY, max_retries=0, timeout=15)


class ConversationFrameworks(unittest.TestCase):
    def check_whole(self, input, **more):
        _, text = respond(input, **more)
        types.ResponseResource.model_validate_json(text)
        return json.loads(text)

    def check_stream(self, input, **more):
        kind, text = respond(input, stream=True, **more)
        self.assertEqual(kind.split(";")[0], "text/event-stream")
        events = list(events_of(text))
        for number, (name, event) in enumerate(events):
            self.assertEqual((name, number), (event["type"], event["sequence_number"]))
            kinds = [each for each in vars(types).values() if is_event(each, name)]
            self.assertEqual(len(kinds), 1, f"{name} is not an event of Open Responses")
            TypeAdapter(kinds[0]).validate_python(event)
        self.assertEqual(events[-1][0], "response.completed")
        return events[-1][1]["response"]

    def test_open_responses_types_take_every_answer(self):
        user = {"type": "message", "role": "user", "content": "script hello"}
        image = {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo="}
        content = [{"type": "input_text", "text": "script picture"}, image]
        picture = {"type": "message", "role": "user", "content": content}
        cases = {
            "basic": {"input": "script hello"},
            "system prompt": {"input": [{"type": "message", "role": "system", "content": "Be brief"}, user]},
            "tool calling": {"input": "script weather", "tools": [TOOL]},
            "image input": {"input": [picture]},
            "multi turn": {"input": [user, {"type": "message", "role": "assistant", "content": "Hello"}, user]},
        }
        for name, ask in cases.items():
            with self.subTest(name):
                whole, streamed = self.check_whole(**ask), self.check_stream(**ask)
                self.assertEqual(whole["status"], "completed")
                kinds = [[item["type"] for item in each["output"]] for each in (whole, streamed)]
                self.assertEqual(kinds[0], kinds[1])
                self.assertEqual(set(whole), set(streamed))

    def test_an_answer_has_all_members_that_open_responses_requires(self):
        required = {name for name, field in types.ResponseResource.model_fields.items() if field.is_required()}
        missing = required - set(self.check_whole("script hello"))
        self.assertEqual(missing, set())

    def test_the_same_answer_has_the_same_figures_over_three_apis(self):
        say = [{"role": "user", "content": "script weather, measured"}]
        tool = {"name": "get_weather", "description": "The weather"}
        asks = {
            "chat": ("chat/completions", {"messages": say, "tools": [
                {"type": "function", "function": {**tool, "parameters": CITY}}]}),
            "responses": ("responses", {"input": say, "tools": [TOOL]}),
            "messages": ("messages", {"messages": say, "max_tokens": 100, "tools": [{**tool, "input_schema": CITY}]}),
        }
        figures = {}
        for name, (path, ask) in asks.items():
            post(path, {"model": f"by-{name}", "stream": True, **ask})
            labels = {"provider": "quick", "model": f"by-{name}"}
            tokens = lambda source: measured("photofinish_output_tokens_total", source=source, **labels)
            self.assertTrue(comes_true(lambda: tokens("tokenizer") > 0), name)
            figures[name] = [tokens("tokenizer"), tokens("usage"),
                             measured("photofinish_reasoning_tokens_total", **labels),
                             measured("photofinish_attempt_ttft_seconds_count", **labels)]
        self.assertEqual(figures["responses"], figures["chat"])
        self.assertEqual(figures["messages"], figures["chat"])
        self.assertGreater(figures["chat"][0], 10)
        self.assertEqual(figures["chat"][3], 1)

    def test_openai_agents_goes_through_three_turns(self):
        asked = []

        @function_tool
        def get_weather(city: str) -> str:
            """The weather in a city."""
            asked.append(city)
            return "sunny"

        set_tracing_disabled(True)
        agent = Agent(name="Weather", instructions="Be brief", tools=[get_weather],
                      model=OpenAIResponsesModel(model="fast", openai_client=openai_client()))
        result = asyncio.run(Runner.run(agent, "script weather, openai-agents whole"))
        self.assertEqual((sorted(asked), result.final_output), (sorted(sum(CITIES, [])), ANSWER))
        assert_raced(self, "openai-agents whole", 3)

    def test_openai_agents_streams_three_turns(self):
        @function_tool
        def get_weather(city: str) -> str:
            """The weather in a city."""
            return "sunny"

        async def converse():
            agent = Agent(name="Weather", tools=[get_weather],
                          model=OpenAIResponsesModel(model="fast", openai_client=openai_client()))
            result = Runner.run_streamed(agent, "script weather, openai-agents streamed")
            async for event in result.stream_events():
                if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
                    texts.append(event.data.delta)
            return result.final_output

        set_tracing_disabled(True)
        texts = []
        self.assertEqual(asyncio.run(converse()), ANSWER)
        self.assertEqual("".join(texts), "Let me see." + ANSWER)
        assert_raced(self, "openai-agents streamed", 3)

    def pydantic_agent(self, model, asked):
        agent = PydanticAgent(model, instructions="Be brief")

        @agent.tool_plain
        def get_weather(city: str) -> str:
            """The weather in a city."""
            asked.append(city)
            return "sunny"

        return agent

    def pydantic_models(self):
        responses = PydanticResponsesModel("fast", provider=OpenAIProvider(openai_client=openai_client()))
        messages = AnthropicModel("fast", provider=AnthropicProvider(base_url=GATEWAY_URL, api_key=KEY))
        return {"pydantic-ai by responses": responses, "pydantic-ai by messages": messages}

    def test_pydantic_ai_goes_through_three_turns(self):
        for name, model in self.pydantic_models().items():
            with self.subTest(name):
                asked = []
                result = self.pydantic_agent(model, asked).run_sync(f"script weather, {name}")
                self.assertEqual((sorted(asked), result.output), (sorted(sum(CITIES, [])), ANSWER))
                assert_raced(self, name, 3)

    def test_pydantic_ai_streams(self):
        async def converse(model, text):
            async with self.pydantic_agent(model, []).run_stream(text) as result:
                return "".join([part async for part in result.stream_text(delta=True)])

        for name, model in self.pydantic_models().items():
            with self.subTest(name):
                self.assertEqual(asyncio.run(converse(model, f"script hello, {name} streamed")), "Hello there!")
                assert_raced(self, f"{name} streamed", 1)

    def test_pydantic_ai_gets_structured_output(self):
        model = self.pydantic_models()["pydantic-ai by responses"]
        result = PydanticAgent(model, output_type=NativeOutput(Place)).run_sync("script structured, pydantic-ai")
        self.assertEqual(result.output, Place(city="Paris", degrees=21))
        self.assertEqual(last_request("structured, pydantic-ai")["response_format"]["type"], "json_schema")


def is_event(kind, name):
    """Returns True if the JSON fits the model of the event with that name."""
    if not (isinstance(kind, type) and issubclass(kind, BaseModel) and "sequence_number" in kind.model_fields):
        return False
    schema = kind.model_json_schema()
    declared = schema["properties"].get("type", {})
    while "$ref" in declared:
        declared = schema["$defs"][declared["$ref"].rsplit("/", 1)[1]]
    return name in (declared.get("const"), declared.get("default"), *declared.get("enum", ()))


if __name__ == "__main__":
    raise SystemExit(run(ConversationFrameworks))
