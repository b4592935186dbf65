"""Tests the APIs other than chat with openai-python. upstreams.py is the gateway's provider."""
import array
import asyncio
import base64
import json
import os
import struct
import unittest
import urllib.parse
import urllib.request

import httpx2
import openai

from support import GATEWAY_URL, PROMPT, comes_true, measured, run
from upstreams import float32, meant

KEY = "open-key"
ENCODINGS = ("floats/m", "plain/m", "base64/m", "asked/m")  # one model for each way of handling encoding_format
TEXT = "The food was delicious, and the waiter … said 你好"


def client(**options):
    settings = {"base_url": f"{GATEWAY_URL}/v1", "api_key": KEY, "max_retries": 0, "timeout": 15, **options}
    return openai.OpenAI(**settings)


def azure(kind=openai.AzureOpenAI, **options):
    settings = {"azure_endpoint": GATEWAY_URL, "api_key": KEY, "api_version": "2024-10-21", "max_retries": 0, **options}
    return kind(**settings)


def seen(text):
    """Returns the requests that the provider recorded and whose body contains this text."""
    url = f"{os.environ['UPSTREAMS_URL']}/seen?{urllib.parse.quote(text)}"
    with urllib.request.urlopen(url, timeout=5) as response:
        return json.load(response)


def left(text):
    """Returns the models of the requests that were cancelled before the provider answered."""
    return [call["body"]["model"] for call in seen(text) if call["left"]]


def bits(vector):
    """Returns the bytes of the numbers as float32, so that -0.0 differs from 0.0."""
    return struct.pack(f"<{len(vector)}f", *vector).hex(" ", 4)


class ApisOpenAIPython(unittest.TestCase):
    def embed(self, model, input=TEXT, **more):
        with client() as api:
            return api.embeddings.create(model=model, input=input, **more)

    def assert_meant(self, answer, texts, dimensions=64):
        self.assertEqual([item.index for item in answer.data], list(range(len(texts))))
        for item, text in zip(answer.data, texts):
            self.assertEqual(list(map(float32, item.embedding)), meant(text, dimensions), text)

    def failure(self, kind, call):
        with self.assertRaises(kind) as raised:
            call()
        return raised.exception

    # embeddings

    def test_by_the_defaults_of_the_sdk_the_numbers_are_those_that_the_provider_meant(self):
        for model in ENCODINGS:
            with self.subTest(model):
                answer = self.embed(model)
                self.assert_meant(answer, [TEXT])
                self.assertEqual((answer.object, answer.data[0].object, answer.model), ("list", "embedding", "m"))
                self.assertEqual((answer.usage.prompt_tokens, answer.usage.total_tokens), (3, 3))

    def test_floats_that_were_asked_for_are_lists_of_numbers(self):
        for model in ENCODINGS:
            with self.subTest(model):
                answer = self.embed(model, encoding_format="float")
                self.assertIsInstance(answer.data[0].embedding, list)
                self.assert_meant(answer, [TEXT])

    def test_base64_that_was_asked_for_is_the_bytes_of_the_float32s(self):
        for model in ENCODINGS:
            with self.subTest(model):
                text = self.embed(model, encoding_format="base64").data[0].embedding
                self.assertIsInstance(text, str)
                self.assertEqual(bits(array.array("f", base64.b64decode(text, validate=True))), bits(meant(TEXT)))

    def test_a_number_in_a_list_is_the_shortest_that_reads_back_as_its_float32(self):
        with client() as api:
            raw = api.embeddings.with_raw_response.create(model="base64/m", input=TEXT, encoding_format="float")
        for text in json.loads(raw.text, parse_float=str, parse_int=str)["data"][0]["embedding"]:
            digits = text.lstrip("-").split("e")[0].replace(".", "").strip("0")
            value = float32(float(text))
            if digits:
                shorter = f"{value:.{max(len(digits) - 1, 1)}g}"
                self.assertTrue(len(digits) == 1 or float32(float(shorter)) != value, text)

    def test_dimensions_reach_the_provider(self):
        for model in ENCODINGS:
            for dimensions in (1, 2, 3, 17, 256):
                with self.subTest(model, dimensions=dimensions):
                    self.assert_meant(self.embed(model, dimensions=dimensions), [TEXT], dimensions)

    def test_a_batch_keeps_its_order(self):
        texts = [f"text {number}" for number in range(20)]
        for model in ENCODINGS:
            with self.subTest(model):
                self.assert_meant(self.embed(model, texts), texts)

    def test_a_batch_of_half_a_megabyte_is_converted_number_by_number(self):
        texts = [f"page {number}" for number in range(100)]
        for model in ("plain/m", "base64/m"):
            for encoding_format in ("float", openai.NOT_GIVEN):
                with self.subTest(model, encoding_format=encoding_format):
                    answer = self.embed(model, texts, dimensions=768, encoding_format=encoding_format)
                    self.assert_meant(answer, texts, 768)

    def test_tokens_may_stand_for_text(self):
        tokens = [[1212, 318, 257], [1332, 13]]
        self.assert_meant(self.embed("asked/m", tokens), tokens)
        self.assert_meant(self.embed("asked/m", tokens[0]), tokens[:1])

    def test_what_the_client_says_reaches_the_provider_but_for_the_encoding_it_refuses(self):
        self.embed("text-embedding-3-small", "all of it", user="me", dimensions=8, extra_body={"task": "retrieval"})
        request = seen("all of it")[-1]
        expected = {"input": "all of it", "model": "m", "user": "me", "dimensions": 8, "encoding_format": "base64"}
        self.assertEqual(request["body"], {**expected, "task": "retrieval"})
        self.assertEqual(request["path"], "/asked/v1/embeddings")
        self.embed("floats/m", "without an encoding")
        self.assertEqual(seen("without an encoding")[-1]["body"], {"input": "without an encoding", "model": "m"})

    def test_a_vector_that_has_no_finite_numbers_is_an_error_and_not_another_number(self):
        error = self.failure(openai.InternalServerError, lambda: self.embed("base64/m;nan", encoding_format="float"))
        self.assertEqual((error.status_code, error.code), (502, "provider_error"))
        self.assert_meant(self.embed("base64/m;nan,plain/m", encoding_format="float"), [TEXT])
        self.assertEqual(self.embed("base64/m;nan").data[0].embedding[1:9], meant(TEXT)[1:9])
        self.failure(openai.InternalServerError, lambda: self.embed("plain/m;nan"))
        self.assert_meant(self.embed("plain/m;nan,base64/m"), [TEXT])

    # completions

    def complete(self, model="asked/m", prompt="count", **more):
        with client() as api:
            return api.completions.create(model=model, prompt=prompt, **more)

    def chunks(self, **more):
        with client() as api:
            return list(api.completions.create(model="asked/m", prompt="count", stream=True, **more))

    def test_a_whole_completion_has_its_text_and_its_usage(self):
        answer = self.complete()
        self.assertEqual((answer.object, answer.choices[0].text), ("text_completion", "one two three"))
        self.assertEqual((answer.choices[0].finish_reason, answer.choices[0].index), ("stop", 0))
        self.assertEqual((answer.usage.prompt_tokens, answer.usage.completion_tokens), (4, 3))

    def test_a_streamed_completion_is_its_text_and_one_finish_reason(self):
        chunks = self.chunks()
        self.assertEqual([choice.text for chunk in chunks for choice in chunk.choices if choice.text],
                         ["one", " two", " three"])
        self.assertEqual([choice.finish_reason for chunk in chunks for choice in chunk.choices if choice.finish_reason],
                         ["stop"])
        self.assertEqual({chunk.object for chunk in chunks}, {"text_completion"})
        self.assertEqual(len({chunk.id for chunk in chunks}), 1)
        self.assertEqual([chunk for chunk in chunks if chunk.usage], [])

    def test_usage_of_a_streamed_completion_comes_when_asked_for(self):
        chunks = self.chunks(stream_options={"include_usage": True})
        self.assertEqual([chunk for chunk in chunks if chunk.usage], [chunks[-1]])
        self.assertEqual((chunks[-1].choices, chunks[-1].usage.completion_tokens), ([], 3))

    def test_a_suffix_reaches_the_provider_streamed_and_whole(self):
        self.assertEqual(self.complete(suffix="return x").choices[0].text, "one two three before return x")
        text = "".join(choice.text for chunk in self.chunks(suffix="return x") for choice in chunk.choices)
        self.assertEqual(text, "one two three before return x")

    def test_several_choices_keep_their_indexes(self):
        self.assertEqual([(choice.index, choice.text) for choice in self.complete(n=3).choices],
                         [(index, "one two three") for index in range(3)])
        texts = {}
        for choice in (choice for chunk in self.chunks(n=2) for choice in chunk.choices):
            texts[choice.index] = texts.get(choice.index, "") + choice.text
        self.assertEqual(texts, {0: "one two three", 1: "one two three"})

    def test_best_of_is_asked_for_without_a_stream(self):
        answer = self.complete(prompt="the best one", best_of=2, echo=True)
        self.assertEqual(answer.choices[0].text, "the best one one two three")
        body = seen("the best one")[-1]["body"]
        self.assertEqual((body["best_of"], body.get("stream", False)), (2, False))

    # moderations and images

    def test_moderations_have_their_categories(self):
        with client() as api:
            answer = api.moderations.create(model="asked/omni", input=["I love you", "I will kill you"])
        self.assertEqual([result.flagged for result in answer.results], [False, True])
        self.assertTrue(answer.results[1].categories.violence)
        self.assertFalse(answer.results[1].categories.self_harm_intent)
        self.assertEqual(answer.results[1].category_scores.violence, 0.97)

    def test_moderations_need_no_model(self):
        with client() as api:
            self.assertEqual(api.moderations.create(input="hello there").model, "omni")

    def test_images_come_as_they_were_made(self):
        with client() as api:
            answer = api.images.generate(model="asked/painter", prompt="a cat", n=2, size="1024x1024")
        self.assertEqual([base64.b64decode(image.b64_json) for image in answer.data], [b"\x89PNG\r\n\x1a\na cat"] * 2)
        self.assertEqual((answer.data[0].revised_prompt, answer.usage.total_tokens), ("a cat", 25))
        self.assertEqual(seen("a cat")[-1]["body"]["size"], "1024x1024")

    # audio and image edits; the provider returns the file's text as the transcript

    def test_speech_is_its_bytes_whole_and_streamed(self):
        expected = b"RIFF\0\xffsay\r\nhello\r\n"
        with client() as api:
            asked = {"model": "voice", "voice": "alloy", "input": "say hello"}
            self.assertEqual(api.audio.speech.create(**asked).content, expected)
            with api.audio.speech.with_streaming_response.create(**asked) as answer:
                self.assertEqual(b"".join(answer.iter_bytes()), expected)
                self.assertEqual(answer.headers["content-type"], "audio/wav")
                self.assertEqual(answer.headers["x-race-winner"], "asked/quick")

    def test_speech_that_is_cut_is_an_error(self):
        with client() as api:
            asked = {"model": "asked/m;cut", "voice": "alloy", "input": "say hello"}
            with api.audio.speech.with_streaming_response.create(**asked) as answer:
                self.failure(httpx2.RemoteProtocolError, lambda: list(answer.iter_bytes()))

    def test_a_transcript_in_every_form(self):
        with client() as api:
            call = lambda **more: api.audio.transcriptions.create(model="voice", file=("a.wav", b"RIFFhello"), **more)
            answer = call(language="de", timestamp_granularities=["word", "segment"])
            self.assertEqual((answer.text, answer.usage.input_tokens), ("hello", 14))
            self.assertEqual(call(response_format="verbose_json").language, "english")
            self.assertEqual(call(response_format="text"), "hello\n")
            self.assertIn("-->", call(response_format="srt"))
            events = list(call(stream=True))
        self.assertEqual([event.type for event in events], ["transcript.text.delta", "transcript.text.done"])
        self.assertEqual(events[-1].text, "hello")
        request = [each["body"] for each in seen("RIFFhello") if each["body"]["model"] == "quick"][0]
        self.assertEqual(request["timestamp_granularities[]"], ["word", "segment"])

    def test_a_translation_and_images_from_images(self):
        with client() as api:
            answer = api.audio.translations.create(model="voice", file=("a.wav", b"RIFFhallo"))
            self.assertEqual(answer.text, "in English: hallo")
            answer = api.images.edit(model="asked/painter", prompt="a hat", image=[("1.png", b"1"), ("2.png", b"2")], n=2)
            self.assertEqual(base64.b64decode(answer.data[1].b64_json), b"\x89PNG\r\n\x1a\na hat of 2")
            answer = api.images.create_variation(model="asked/painter", image=("1.png", b"1"))
            self.assertEqual(base64.b64decode(answer.data[0].b64_json), b"\x89PNG\r\n\x1a\nvaried of 1")
            self.failure(openai.BadRequestError,
                         lambda: api.audio.transcriptions.create(model="conversing", file=("a.wav", b"RIFF")))

    # rerank, for which the SDK has no method

    def test_rerank_by_the_sdks_own_post(self):
        documents = ["about dogs", "a cat and a dog", "the cat sat", "nothing"]
        with client() as api:
            body = {"model": "asked/m", "query": "the cat", "documents": documents, "top_n": 2}
            answer = api.post("/rerank", body=body, cast_to=object)
        self.assertEqual([result["index"] for result in answer["results"]], [2, 1])
        self.assertEqual(answer["meta"]["billed_units"], {"search_units": 1})

    # races and failures

    def raw(self, model, **more):
        with client() as api:
            return api.embeddings.with_raw_response.create(model=model, input=more.pop("input", TEXT), **more)

    def test_a_slow_provider_loses_is_left_and_the_winners_numbers_are_right(self):
        raw = self.raw("photo", input="who is first")
        self.assertEqual((raw.headers["x-race-winner"], raw.headers["x-race-attempts"]), ("plain/quick", "2"))
        self.assert_meant(raw.parse(), ["who is first"])
        self.assertTrue(comes_true(lambda: left("who is first") == ["slow;delay=10"]))

    def test_a_slow_completion_loses(self):
        with client() as api:
            raw = api.completions.with_raw_response.create(model="texts", prompt="count")
        self.assertEqual(raw.headers["x-race-winner"], "asked/quick")
        self.assertEqual(raw.parse().choices[0].text, "one two three")

    def test_an_error_a_page_and_a_refusal_are_followed_by_the_next(self):
        raw = self.raw("rescued")
        self.assertEqual((raw.headers["x-race-winner"], raw.headers["x-race-attempts"]), ("base64/sound", "4"))
        self.assert_meant(raw.parse(), [TEXT])

    def test_a_target_without_the_api_is_named(self):
        raw = self.raw("sim/m,base64/m")
        self.assertEqual(raw.headers["x-race-skipped"], "sim/m;reason=unsupported:embeddings")
        error = self.failure(openai.BadRequestError, lambda: self.embed("conversing"))
        self.assertEqual(error.code, "unsupported_parameter")
        self.assertIn("embeddings", error.message)

    def test_a_provider_whose_apis_are_not_declared_is_tried(self):
        self.assertEqual(self.raw("open/m").headers["x-race-winner"], "open/m")
        raw = self.raw("open/m,base64/m")
        self.assertEqual(raw.headers["x-race-winner"], "base64/m", "another target declares the API")

    def test_errors_are_of_the_class_that_their_status_says(self):
        self.assertEqual(self.failure(openai.NotFoundError, lambda: self.embed("nothing")).code, "model_not_found")
        limited = self.failure(openai.RateLimitError, lambda: self.embed("limited"))
        self.assertEqual(limited.code, "rate_limit_exceeded")
        broken = self.failure(openai.InternalServerError, lambda: self.embed("broken"))
        self.assertEqual((broken.status_code, broken.code), (502, "provider_error"))
        self.assertIn("scripted to answer 500", broken.message)
        refused = self.failure(openai.BadRequestError, lambda: self.embed("refused"))
        self.assertIn("encoding_format base64 is not supported", refused.message)
        self.assertEqual(refused.type, "invalid_request_error")
        with client(api_key="wrong") as api:
            self.failure(openai.AuthenticationError, lambda: api.embeddings.create(model="photo", input=TEXT))
            self.failure(openai.AuthenticationError, lambda: api.completions.create(model="photo", prompt=TEXT))

    def test_a_request_that_lacks_something_says_what(self):
        with client() as api:
            for path, body, name in (
                ("/embeddings", {"model": "asked/m"}, "input"),
                ("/completions", {"model": "asked/m"}, "prompt"),
                ("/rerank", {"model": "asked/m", "query": "a"}, "documents"),
                ("/moderations", {"model": "asked/m"}, "input"),
                ("/images/generations", {"model": "asked/m"}, "prompt"),
            ):
                with self.subTest(path):
                    error = self.failure(openai.BadRequestError, lambda: api.post(path, body=body, cast_to=object))
                    self.assertIn(name, error.message)

    def test_a_timeout_of_the_sdk_cancels_the_provider(self):
        with client(timeout=0.3) as api:
            call = lambda: api.embeddings.create(model="asked/m;delay=10", input="too late")
            self.failure(openai.APITimeoutError, call)
        self.assertTrue(comes_true(lambda: left("too late") == ["m;delay=10"]))
        self.assertTrue(comes_true(lambda: measured("photofinish_inflight_attempts", provider="asked") == 0))

    # the other clients

    def test_an_async_client_asks_for_all_at_once(self):
        async def all_at_once():
            async with openai.AsyncOpenAI(base_url=f"{GATEWAY_URL}/v1", api_key=KEY, max_retries=0, timeout=15) as api:
                async def text():
                    stream = await api.completions.create(model="asked/m", prompt="count", stream=True)
                    return "".join([choice.text async for chunk in stream for choice in chunk.choices])

                vectors = [api.embeddings.create(model=model, input=f"at once {model}") for model in ENCODINGS * 3]
                return await asyncio.gather(*vectors, text(), api.moderations.create(input="hello"))

        *vectors, text, moderation = asyncio.run(all_at_once())
        for answer, model in zip(vectors, ENCODINGS * 3):
            self.assert_meant(answer, [f"at once {model}"])
        self.assertEqual((text, moderation.results[0].flagged), ("one two three", False))

    def test_azures_client_is_served_by_its_own_paths_and_key(self):
        with azure() as api:
            self.assert_meant(api.embeddings.create(model="text-embedding-3-small", input=TEXT), [TEXT])
            self.assertEqual(api.completions.create(model="texts", prompt="count").choices[0].text, "one two three")
            chunks = api.completions.create(model="texts", prompt="count", stream=True)
            self.assertEqual("".join(choice.text for chunk in chunks for choice in chunk.choices), "one two three")
            self.assertTrue(api.chat.completions.create(model="answer", messages=PROMPT).choices[0].message.content)
            self.assertEqual(len(api.images.generate(model="asked/painter", prompt="a dog").data), 1)
            heard = api.audio.transcriptions.create(model="voice", file=("a.wav", b"RIFFazure"))
            self.assertEqual(heard.text, "azure")
        with azure(azure_deployment="text-embedding-3-small") as api:
            self.assert_meant(api.embeddings.create(model="ignored", input=TEXT), [TEXT])

    def test_azures_client_gets_its_errors(self):
        with azure(api_key="wrong") as api:
            self.failure(openai.AuthenticationError, lambda: api.embeddings.create(model="photo", input=TEXT))
        with azure() as api:
            missing = self.failure(openai.NotFoundError, lambda: api.embeddings.create(model="nothing", input=TEXT))
        self.assertEqual(missing.code, "model_not_found")

    def test_azures_async_client_is_served(self):
        async def ask():
            async with azure(openai.AsyncAzureOpenAI) as api:
                return await api.embeddings.create(model="photo", input=TEXT)

        self.assert_meant(asyncio.run(ask()), [TEXT])


if __name__ == "__main__":
    raise SystemExit(run(ApisOpenAIPython))
