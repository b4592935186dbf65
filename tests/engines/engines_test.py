#!/usr/bin/env python3
"""Tests real inference engines behind the real gateway: races between engines, cancellation as the engines see it, and whether
our presets match the parameters that engines accept. tests/engines/engines_test.py BINARY CACHE_DIR ENGINE... is called by
run.sh, which installs the engines. llama.cpp comes first.
"""

import http.client
import json
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "monitoring"))
import engines
from words import WORDS

from servers import House, free_port

GREETING = [{"role": "user", "content": "bana dise"}]
ENDLESS = 30000  # number of tokens: more than any engine writes within engines.REST_S
TOOL = {"type": "function", "function": {"name": "note", "parameters": {"type": "object", "properties": {}}}}


class Stream:
    """A streamed request to the gateway. Leaving the context closes the connection."""

    def __init__(self, gateway, model, content="bana dise", max_tokens=ENDLESS):
        self._connection = http.client.HTTPConnection(gateway, timeout=60)
        messages = [{"role": "user", "content": content}]
        body = {"model": model, "stream": True, "max_tokens": max_tokens, "messages": messages}
        self._connection.request("POST", "/v1/chat/completions", json.dumps(body), {"content-type": "application/json"})
        self.response = self._connection.getresponse()
        self.winner = self.response.headers["x-race-winner"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.response.close()
        self._connection.close()

    def chunks(self):
        for line in self.response:
            if line.startswith(b"data: {"):
                yield json.loads(line[6:])


# These functions test the effect of a parameter on an answer. ask(**parameters) returns an answer, and `plain` is an answer to
# the same question without the parameter. A parameter is honoured if its effect is visible.


def text(answer):
    return answer["choices"][0]["message"].get("content") or ""


def says_two(ask, plain, engine):
    return len(ask(n=2)["choices"]) == 2


def names_its_tokens(ask, plain, engine):
    """True if the answer has OpenAI's logprobs: one for each token of the text, with the token's own text."""
    return tokens_of(ask(logprobs=True)) == text(plain).split()


def names_others(ask, plain, engine):
    answer = ask(logprobs=True, top_logprobs=3)
    content = (answer["choices"][0].get("logprobs") or {}).get("content") or []
    return tokens_of(answer) == text(plain).split() and all(len(each["top_logprobs"]) == 3 for each in content)


def tokens_of(answer):
    content = (answer["choices"][0].get("logprobs") or {}).get("content") or []
    return [each.get("token", "").strip(" ▁") for each in content]


def says_what_is_favoured(ask, plain, engine):
    return set(text(ask(logit_bias={str(engine.first_word): 100})).split()) == {WORDS[0]}


def is_of_the_form(ask, plain, engine):
    schema = {"type": "json_schema", "json_schema": {"name": "answer", "schema": {"const": "yes"}}}
    return text(ask(response_format=schema)) == '"yes"'


def calls_what_it_must(ask, plain, engine):
    calls = ask(tools=[TOOL], tool_choice="required")["choices"][0]["message"].get("tool_calls") or []
    return [call["function"]["name"] for call in calls] == ["note"]


def calls_functions(ask, plain, engine):
    message = ask(functions=[TOOL["function"]], function_call={"name": "note"})["choices"][0]["message"]
    return bool(message.get("function_call"))


def stops_there(ask, plain, engine):
    words = text(plain).split()
    return text(ask(stop=[words[5]])).split() == words[:5]


def repeats_itself_less(parameter):
    def probe(ask, plain, engine):
        return len(set(text(ask(**{parameter: 2})).split())) > len(set(text(plain).split()))

    return probe


def is_as_long_as(parameter):
    def probe(ask, plain, engine):
        return ask(**{"max_tokens": None, parameter: 5})["usage"]["completion_tokens"] == 5

    return probe


def seed_decides(ask, plain, engine):
    first, again, other = (text(ask(temperature=1, seed=seed)) for seed in (7, 7, 8))
    return first == again != other


def top_p_decides(ask, plain, engine):
    return text(ask(temperature=1, top_p=0.0001)) == text(plain)


PROBES = {
    "n": says_two,
    "logprobs": names_its_tokens,
    "top_logprobs": names_others,
    "logit_bias": says_what_is_favoured,
    "response_format": is_of_the_form,
    "tool_choice": calls_what_it_must,
    "functions": calls_functions,
    "stop": stops_there,
    "frequency_penalty": repeats_itself_less("frequency_penalty"),
    "presence_penalty": repeats_itself_less("presence_penalty"),
    "max_tokens": is_as_long_as("max_tokens"),
    "max_completion_tokens": is_as_long_as("max_completion_tokens"),
    "seed": seed_decides,
    "top_p": top_p_decides,
}
PLAIN = {"messages": GREETING, "temperature": 0, "max_tokens": 60}


class Refused(Exception):
    pass


class Engines(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        binary, cache, *names = sys.argv[1:]
        cls.house = cls.enterClassContext(House(binary))
        kinds = {kind.preset: kind for kind in (engines.LlamaCpp, engines.Mlx, engines.TransformersServe)}
        cls.engines = [kinds[name](cls.house, pathlib.Path(cache).resolve(), free_port()) for name in names]
        providers = "".join(
            f"  {each.preset}: {{base_url: '{each.url}', models: ['*']{each.settings}}}\n" for each in cls.engines
        )
        targets = ", ".join(f"{each.preset}/{each.model}" for each in cls.engines)
        cls.gateway = cls.house.start_gateway(
            f"listen: 127.0.0.1:0\nproviders:\n{providers}routes:\n  all: {{targets: [{targets}], race: {{policy: all}}}}\n"
        )

    def ask(self, model, **parameters):
        """Sends a request through the gateway. Returns (status, answer)."""
        url = f"http://{self.gateway}/v1/chat/completions"
        status, answer = engines.fetch(url, {"model": model, **parameters})
        return status, json.loads(answer)

    def test_a_stream_is_words_a_finish_reason_and_done(self):
        for engine in self.engines:
            with self.subTest(engine.preset), Stream(self.gateway, f"{engine.preset}/{engine.model}", max_tokens=9) as it:
                chunks = list(it.chunks())
                said = "".join(choice["delta"].get("content") or "" for chunk in chunks for choice in chunk["choices"])
                ends = [choice.get("finish_reason") for chunk in chunks for choice in chunk["choices"]]
                self.assertEqual(len(said.split()), 9)
                self.assertLessEqual(set(said.split()), set(WORDS))
                self.assertEqual([end for end in ends if end], ["length"])

    def test_a_whole_answer_has_its_usage(self):
        for engine in self.engines:
            with self.subTest(engine.preset):
                status, answer = self.ask(f"{engine.preset}/{engine.model}", **PLAIN)
                self.assertEqual((status, answer["usage"]["completion_tokens"]), (200, 60))
                self.assertEqual(answer["object"], "chat.completion")

    def test_a_client_that_leaves_a_stream_stops_the_engine(self):
        for engine in self.engines:
            with self.subTest(engine.preset):
                with Stream(self.gateway, f"{engine.preset}/{engine.model}") as stream:
                    next(stream.chunks())
                engine.expect_rest()

    def test_a_race_has_one_winner_and_its_text_alone(self):
        self.need_two()
        with Stream(self.gateway, "all", max_tokens=50) as stream:
            chunks = list(stream.chunks())
            said = "".join(choice["delta"].get("content") or "" for chunk in chunks for choice in chunk["choices"])
        self.assertEqual(stream.response.headers["x-race-attempts"], "2")
        self.assertEqual(len(said.split()), 50)
        self.assertEqual(len({chunk["id"] for chunk in chunks}), 1)
        for engine in self.engines:
            engine.expect_rest()

    def test_llama_cpp_that_loses_stops_within_its_prompt(self):
        """One very long word has thousands of tokens in llama.cpp's model, but only one token in the other model, which wins."""
        self.need_two()
        llama = self.engines[0]
        before = llama.tokens_written()
        with Stream(self.gateway, "all", content="x" * 15000, max_tokens=2000) as stream:
            self.assertNotIn("llama-cpp", stream.winner)
            self.assertEqual(stream.response.headers["x-race-attempts"], "2")
            llama.expect_rest()
        self.assertEqual(llama.tokens_written(), before)

    def test_the_presets_say_what_the_engines_honour(self):
        for engine in self.engines:
            for parameter, probe in PROBES.items():
                if engine.untold is None or parameter in engine.untold:
                    continue
                with self.subTest(f"{engine.preset}: {parameter}"):
                    self.compare(engine, parameter, probe)

    def compare(self, engine, parameter, probe):
        """Checks that the gateway passes on a parameter if the engine honours it. If the engine refuses the parameter, ignores
        it or handles it in a different way, the gateway must refuse it."""

        def directly(**more):
            status, answer = engine.ask(**{**PLAIN, **more})
            if status != 200:
                raise Refused(f"{status}: {answer}")
            return answer

        def through_us(**more):
            status, answer = self.ask(f"{engine.preset}/{engine.model}", **{**PLAIN, **more})
            if status != 200:
                raise Refused(f"{status}: {answer['error']['message']}")
            return answer

        try:
            is_honoured, why = probe(directly, directly(), engine), "it has no effect there"
        except Refused as refused:
            is_honoured, why = False, f"it is refused there ({refused})"
        try:
            took_effect = probe(through_us, through_us(), engine)
        except Refused as refused:
            self.assertFalse(is_honoured, f"{engine.preset} honours {parameter}, its preset does not let it through")
            asked_for = parameter.removeprefix("top_")  # top_logprobs requires logprobs, and the error names logprobs
            self.assertIn(f"unsupported: {asked_for}", str(refused))
            return
        self.assertTrue(is_honoured, f"preset {engine.preset} lets {parameter} through: {why}")
        self.assertTrue(took_effect, f"{engine.preset} honours {parameter}, but not through the gateway")

    def test_hints_that_mean_nothing_there_do_no_harm(self):
        hints = {"store": False, "user": "u", "metadata": {"a": "b"}, "service_tier": "auto", "tool_choice": "auto", "n": 1}
        for engine in self.engines:
            with self.subTest(engine.preset):
                self.assertEqual(self.ask(f"{engine.preset}/{engine.model}", **PLAIN, **hints)[0], 200)

    def need_two(self):
        if len(self.engines) < 2:
            print(f"skip  engines: {self._testMethodName}: takes two of them")
            self.skipTest("takes two engines")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
