"""Tests LangChain and LlamaIndex with Responses and three racing providers of chat."""
import unittest

from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from llama_index.core.llms import ChatMessage
from llama_index.llms.openai import OpenAIResponses

from conversations_support import ANSWER, CITIES, KEY, assert_raced
from support import GATEWAY_URL, run

BASE_URL = f"{GATEWAY_URL}/v1"


@tool
def get_weather(city: str) -> str:
    """The weather in a city."""
    return "sunny"


class LangchainAndLlamaIndex(unittest.TestCase):
    def langchain(self, **more):
        settings = {"model": "fast", "base_url": BASE_URL, "api_key": KEY, "max_retries": 0, **more}
        return ChatOpenAI(use_responses_api=True, store=False, **settings)

    def test_langchain_goes_through_three_turns(self):
        for name, say in (("whole", lambda model, said: model.invoke(said)), ("streamed", streamed)):
            with self.subTest(name):
                model = self.langchain().bind_tools([get_weather])
                said, asked = [HumanMessage(f"script weather, langchain {name}")], []
                while True:
                    answer = say(model, said)
                    said.append(answer)
                    if not answer.tool_calls:
                        break
                    asked.append([call["args"]["city"] for call in answer.tool_calls])
                    said += [ToolMessage(get_weather.invoke(call["args"]), tool_call_id=call["id"])
                             for call in answer.tool_calls]
                self.assertEqual(asked, CITIES)
                self.assertEqual(answer.text if isinstance(answer.text, str) else answer.text(), ANSWER)
                self.assertGreater(answer.usage_metadata["output_tokens"], 0)
                assert_raced(self, f"langchain {name}", 3)

    def llama_index(self):
        return OpenAIResponses(model="gpt-4o-mini", api_base=BASE_URL, api_key=KEY, max_retries=0, context_window=10000)

    def test_llamaindex_answers_whole_and_streamed(self):
        for name in ("whole", "streamed"):
            with self.subTest(name):
                model, said = self.llama_index(), [ChatMessage("script hello, llamaindex " + name)]
                if name == "whole":
                    text = model.chat(said).message.content
                else:
                    text = "".join(part.delta for part in model.stream_chat(said))
                self.assertEqual(text, "Hello there!")
                assert_raced(self, "llamaindex " + name, 1)


def streamed(model, said):
    """Returns the sum of the chunks, as LangChain adds them."""
    chunks = list(model.stream(said))
    return sum(chunks[1:], chunks[0])


if __name__ == "__main__":
    raise SystemExit(run(LangchainAndLlamaIndex))
