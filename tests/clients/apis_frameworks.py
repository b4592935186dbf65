"""Tests LangChain's and LlamaIndex's embeddings and Cohere's rerank. upstreams.py is the gateway's provider."""
import asyncio
import unittest

import cohere
from langchain_openai import AzureOpenAIEmbeddings, OpenAI, OpenAIEmbeddings
from llama_index.embeddings.openai import OpenAIEmbedding
from llama_index.embeddings.openai_like import OpenAILikeEmbedding
from llama_index.llms.openai_like import OpenAILike

from support import GATEWAY_URL, run
from upstreams import float32, meant

BASE_URL = f"{GATEWAY_URL}/v1"
KEY = "open-key"
ENCODINGS = ("floats/m", "plain/m", "base64/m", "asked/m")  # one model for each way of handling encoding_format
TEXTS = [f"text {number}" for number in range(12)]
DOCUMENTS = ["about dogs", "a cat and a dog", "the cat sat", "nothing"]


class ApisFrameworks(unittest.TestCase):
    def assert_meant(self, vectors, texts, dimensions=64):
        expected = [meant(text, dimensions) for text in texts]
        self.assertEqual([list(map(float32, vector)) for vector in vectors], expected)

    # LangChain without check_embedding_ctx_length, which would fetch a tokenizer

    def langchain(self, model, **more):
        settings = {"base_url": BASE_URL, "api_key": KEY, "max_retries": 0, "check_embedding_ctx_length": False, **more}
        return OpenAIEmbeddings(model=model, **settings)

    def test_langchain_embeds_a_query_and_documents(self):
        for model in ENCODINGS:
            with self.subTest(model):
                embeddings = self.langchain(model)
                self.assert_meant([embeddings.embed_query("a question")], ["a question"])
                self.assert_meant(embeddings.embed_documents(TEXTS, chunk_size=5), TEXTS)

    def test_langchain_passes_dimensions_and_embeds_asynchronously(self):
        vectors = asyncio.run(self.langchain("base64/m", dimensions=20).aembed_documents(TEXTS))
        self.assert_meant(vectors, TEXTS, 20)

    def test_langchain_by_azures_client(self):
        embeddings = AzureOpenAIEmbeddings(
            azure_endpoint=GATEWAY_URL, azure_deployment="text-embedding-3-small", api_key=KEY, api_version="2024-10-21",
            check_embedding_ctx_length=False, max_retries=0,
        )
        self.assert_meant(embeddings.embed_documents(TEXTS), TEXTS)

    def test_langchain_completes_a_text(self):
        model = OpenAI(model="asked/m", base_url=BASE_URL, api_key=KEY, max_retries=0)
        self.assertEqual(model.invoke("count"), "one two three")
        self.assertEqual("".join(model.stream("count")), "one two three")

    # LlamaIndex

    def test_llamaindex_embeds_texts(self):
        for model in ENCODINGS:
            with self.subTest(model):
                embedding = OpenAILikeEmbedding(model_name=model, api_base=BASE_URL, api_key=KEY, max_retries=0)
                self.assert_meant([embedding.get_query_embedding("a question")], ["a question"])
                self.assert_meant(embedding.get_text_embedding_batch(TEXTS), TEXTS)

    def test_llamaindex_by_its_own_class_of_openai(self):
        embedding = OpenAIEmbedding(model="text-embedding-3-small", api_base=BASE_URL, api_key=KEY, dimensions=16)
        self.assert_meant(embedding.get_text_embedding_batch(TEXTS), TEXTS, 16)
        self.assert_meant([asyncio.run(embedding.aget_text_embedding("later"))], ["later"], 16)

    def test_llamaindex_completes_a_text(self):
        model = OpenAILike(model="asked/m", api_base=BASE_URL, api_key=KEY, is_chat_model=False, max_retries=0)
        self.assertEqual(model.complete("count").text, "one two three")
        self.assertEqual("".join(part.delta for part in model.stream_complete("count")), "one two three")

    # Cohere

    def test_cohere_reranks(self):
        answer = cohere.Client(KEY, base_url=GATEWAY_URL).rerank(
            model="asked/m", query="the cat", documents=DOCUMENTS, top_n=2, return_documents=True)
        self.assertEqual([result.index for result in answer.results], [2, 1])
        self.assertEqual([result.relevance_score for result in answer.results], [1.0, 0.5])
        self.assertEqual(answer.results[0].document.text, "the cat sat")
        self.assertEqual(answer.meta.billed_units.search_units, 1)

    def test_cohere_gets_its_errors(self):
        with self.assertRaises(cohere.NotFoundError):
            cohere.Client(KEY, base_url=GATEWAY_URL).rerank(model="nothing", query="the cat", documents=DOCUMENTS)
        with self.assertRaises(cohere.UnauthorizedError):
            cohere.Client("wrong", base_url=GATEWAY_URL).rerank(model="asked/m", query="the cat", documents=DOCUMENTS)


if __name__ == "__main__":
    raise SystemExit(run(ApisFrameworks))
