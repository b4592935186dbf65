"""Tests litellm as a client of Responses and Messages, with three racing providers of chat."""
import json
import os
import unittest

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # otherwise litellm fetches a list of models
import litellm

from conversations_support import ANSWER, CITIES, CITY, KEY, assert_raced
from support import GATEWAY_URL, run

RESPONSES = {"model": "openai/fast", "api_base": f"{GATEWAY_URL}/v1", "api_key": KEY}
MESSAGES = {"model": "anthropic/fast", "api_base": GATEWAY_URL, "api_key": KEY, "max_tokens": 500}
TOOL = {"name": "get_weather", "description": "The weather", "parameters": CITY}
litellm.suppress_debug_info = True


class LitellmConversations(unittest.TestCase):
    def test_messages_go_through_three_turns(self):
        for name, ask in (("whole", whole), ("streamed", streamed)):
            with self.subTest(name):
                said, asked = [{"role": "user", "content": f"script weather, litellm messages {name}"}], []
                while True:
                    answer = ask(messages=said, tools=[{"type": "function", "function": TOOL}], **MESSAGES)
                    said.append(answer.model_dump())
                    if not answer.tool_calls:
                        break
                    asked.append([json.loads(call.function.arguments)["city"] for call in answer.tool_calls])
                    said += [{"role": "tool", "tool_call_id": call.id, "content": "sunny"}
                             for call in answer.tool_calls]
                self.assertEqual((asked, answer.content), (CITIES, ANSWER))
                assert_raced(self, f"litellm messages {name}", 3)

    def test_responses_go_through_three_turns(self):
        said, asked = [{"role": "user", "content": "script weather, litellm responses"}], []
        while True:
            answer = litellm.responses(input=said, tools=[{"type": "function", **TOOL}], store=False, **RESPONSES)
            output = [item.model_dump(exclude_none=True) for item in answer.output]
            calls = [item for item in output if item["type"] == "function_call"]
            if not calls:
                break
            asked.append([json.loads(call["arguments"])["city"] for call in calls])
            said += output
            said += [{"type": "function_call_output", "call_id": call["call_id"], "output": "sunny"} for call in calls]
        self.assertEqual(asked, CITIES)
        self.assertEqual(output[-1]["content"][0]["text"], ANSWER)
        assert_raced(self, "litellm responses", 3)

    def test_responses_are_streamed(self):
        events = list(litellm.responses(input="script hello, litellm streams", stream=True, **RESPONSES))
        text = "".join(event.delta for event in events if event.type == "response.output_text.delta")
        self.assertEqual((text, events[-1].type), ("Hello there!", "response.completed"))
        assert_raced(self, "litellm streams", 1)


def whole(**ask):
    return litellm.completion(**ask).choices[0].message


def streamed(**ask):
    """Returns the sum of the chunks, as litellm adds them."""
    chunks = list(litellm.completion(stream=True, **ask))
    return litellm.stream_chunk_builder(chunks, messages=ask["messages"]).choices[0].message


if __name__ == "__main__":
    raise SystemExit(run(LitellmConversations))
