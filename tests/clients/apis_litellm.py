"""Tests the APIs other than chat with litellm. upstreams.py is the gateway's provider."""
import asyncio
import base64
import os
import unittest

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # otherwise litellm fetches a list of models
import litellm

from support import GATEWAY_URL, run
from upstreams import float32, meant

ENCODINGS = ("floats/m", "plain/m", "base64/m", "asked/m")  # one model for each way of handling encoding_format
TEXTS = [f"text {number}" for number in range(12)]
DOCUMENTS = ["about dogs", "a cat and a dog", "the cat sat", "nothing"]
HERE = {"api_base": f"{GATEWAY_URL}/v1", "api_key": "open-key"}
AZURE = {"api_base": GATEWAY_URL, "api_key": "open-key", "api_version": "2024-10-21"}
litellm.suppress_debug_info = True


class ApisLitellm(unittest.TestCase):
    def assert_meant(self, answer, texts, dimensions=64):
        vectors = [list(map(float32, item["embedding"])) for item in answer.data]
        self.assertEqual(vectors, [meant(text, dimensions) for text in texts])

    def test_embeddings_have_the_numbers_that_the_provider_meant(self):
        for model in ENCODINGS:
            for more in ({}, {"encoding_format": "float"}):
                with self.subTest(model, **more):
                    answer = litellm.embedding(model=f"openai/{model}", input=TEXTS, **HERE, **more)
                    self.assert_meant(answer, TEXTS)
                    self.assertEqual(answer.usage.prompt_tokens, 3 * len(TEXTS))

    def test_embeddings_come_asynchronously_with_dimensions(self):
        model = "openai/text-embedding-3-small"
        answer = asyncio.run(litellm.aembedding(model=model, input=TEXTS, dimensions=20, **HERE))
        self.assert_meant(answer, TEXTS, 20)

    def test_azures_embeddings(self):
        self.assert_meant(litellm.embedding(model="azure/text-embedding-3-small", input=TEXTS, **AZURE), TEXTS)

    def test_a_text_is_completed_streamed_and_whole(self):
        ask = {"model": "text-completion-openai/texts", "prompt": "count", **HERE}
        self.assertEqual(litellm.text_completion(**ask).choices[0].text, "one two three")
        chunks = litellm.text_completion(**ask, stream=True)
        self.assertEqual("".join(chunk.choices[0].text or "" for chunk in chunks), "one two three")

    def test_documents_are_reranked(self):
        for model, api_base in (("hosted_vllm/asked/m", GATEWAY_URL), ("jina_ai/asked/m", f"{GATEWAY_URL}/v1")):
            with self.subTest(model):
                ask = {"query": "the cat", "documents": DOCUMENTS, "top_n": 2}
                answer = litellm.rerank(model=model, api_base=api_base, api_key="open-key", **ask)
                self.assertEqual([result["index"] for result in answer.results], [2, 1])

    def test_moderations_and_images(self):
        answer = litellm.moderation(input="I will kill you", model="asked/omni", **HERE)
        self.assertTrue(answer.results[0].flagged)
        image = litellm.image_generation(prompt="a cat", model="openai/asked/painter", **HERE).data[0]
        self.assertEqual(base64.b64decode(image.b64_json), b"\x89PNG\r\n\x1a\na cat")

    def test_a_failed_provider_is_followed_by_the_next(self):
        self.assert_meant(litellm.embedding(model="openai/rescued", input=TEXTS, **HERE), TEXTS)

    def test_errors_are_of_the_class_that_their_status_says(self):
        for model, kind, words in (
            ("nothing", litellm.NotFoundError, "nothing"),
            ("limited", litellm.RateLimitError, "scripted to answer 429"),
            ("conversing", litellm.BadRequestError, "embeddings"),
        ):
            with self.subTest(model), self.assertRaises(kind) as raised:
                litellm.embedding(model=f"openai/{model}", input=TEXTS, max_retries=0, **HERE)
            self.assertIn(words, str(raised.exception))
        with self.assertRaises(litellm.AuthenticationError):
            litellm.embedding(model="openai/photo", input=TEXTS, **{**HERE, "api_key": "wrong"})


if __name__ == "__main__":
    raise SystemExit(run(ApisLitellm))
