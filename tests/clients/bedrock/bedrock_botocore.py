"""Tests Amazon Bedrock through the gateway: botocore checks the signatures, the requests and the frames."""
import http.client
import json
import os
import sys
import unittest
import urllib.error
import urllib.parse
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import GATEWAY_URL, run

HI = [{"role": "user", "content": "hi"}]
TOOLS = [{"type": "function", "function": {"name": "f", "description": "does", "parameters": {"type": "object"}}}]
CALLED = HI + [
    {"role": "assistant", "content": None, "tool_calls": [{"id": "call|1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "call|1", "content": "done"},
]
IMAGE = "data:image/png;base64,iVBORw0KGgo="


def ask(path, **body):
    request = urllib.request.Request(GATEWAY_URL + path, json.dumps(body).encode(),
                                     {"content-type": "application/json", "authorization": "Bearer open-key"})
    try:
        with urllib.request.urlopen(request, timeout=20) as response:
            try:
                return response.status, response.read().decode()
            except http.client.IncompleteRead as cut:  # the stream broke off
                return response.status, cut.partial.decode()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read().decode()


def chat(model, **more):
    return ask("/v1/chat/completions", model=model, **{"messages": HI, **more})


def text_of(stream):
    """Returns the content of the chunks of a chat stream."""
    chunks = [json.loads(line[6:]) for line in stream.splitlines() if line.startswith("data: {")]
    return "".join(choice["delta"].get("content") or "" for chunk in chunks for choice in chunk.get("choices", ()))


def seen(text=""):
    with urllib.request.urlopen(f"{os.environ['BEDROCK_URL']}/seen?{urllib.parse.quote(text)}", timeout=5) as response:
        return json.load(response)


class BedrockBotocore(unittest.TestCase):
    maxDiff = None

    def assert_meant(self, said):
        meant = seen()[-1]["meant"]
        self.assertEqual(said, "".join(each["delta"]["text"] for each in meant if "text" in each.get("delta", {})))
        self.assertGreater(len(said), 500)

    def test_frames_say_what_botocore_finds_in_them(self):
        for _ in range(5):
            status, stream = chat("nova", stream=True)
            self.assertEqual(status, 200, stream)
            self.assert_meant(text_of(stream))

    def test_whole_answers_are_the_same(self):
        status, body = chat("nova")
        self.assertEqual(status, 200, body)
        self.assert_meant(json.loads(body)["choices"][0]["message"]["content"])

    def test_claudes_events_come_out_of_their_frames(self):
        status, body = ask("/v1/messages", model="claude", max_tokens=50, messages=HI)
        self.assertEqual(status, 200, body)
        self.assertEqual(json.loads(body)["content"][0]["text"], "Grüße aus \"Bedrock\"")

    def test_a_frame_that_botocore_refuses_fails(self):
        _, stream = chat("corrupt", stream=True)
        self.assertEqual(seen()[-1]["meant"], "ChecksumMismatch")
        self.assertIn("checksum", stream)

    def test_an_exception_in_the_stream_is_named(self):
        _, stream = chat("broken", stream=True)
        self.assertIn("the model broke", stream)

    def test_an_api_key_is_taken_instead_of_a_signature(self):
        self.assertEqual(chat("keyed")[0], 200)

    def test_arns_are_signed_as_they_are_sent(self):
        status, body = chat("profile")
        self.assertEqual(status, 200, body)
        self.assertIn("application-inference-profile%2Fa1b2/converse", seen()[-1]["path"])

    def test_what_clients_ask_is_in_awss_service_model(self):
        picture = [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": IMAGE}}]
        paper = [{"type": "file", "file": {"filename": "a paper_1.pdf", "file_data": "data:application/pdf;base64,JVBERi0="}}]
        for more in ({"tools": TOOLS, "tool_choice": "required"}, {"messages": CALLED, "tools": TOOLS}, {"messages": CALLED},
                     {"messages": [{"role": "user", "content": picture}]}, {"messages": [{"role": "user", "content": paper}]},
                     {"messages": [{"role": "system", "content": "s"}, *HI], "temperature": 1.7, "top_p": 0.5, "stop": "END", "max_tokens": 9},
                     {"reasoning_effort": "high", "top_k": 4, "user": "u", "seed": 3}):
            with self.subTest(more):
                status, body = chat("nova", **more)
                self.assertEqual(status, 200, body)

    def test_every_request_was_signed_as_botocore_signs_it(self):
        asked = seen()
        self.assertGreater(len(asked), 15)
        self.assertEqual([record["faults"] for record in asked if record["faults"]], [])


if __name__ == "__main__":
    sys.exit(run(BedrockBotocore))
