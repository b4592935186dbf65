#!/usr/bin/env python3
"""A scripted provider of chat that records each request's traceparent.

It prints its URL. Prompts identify the attempts of a race. The model `quick-N` answers after N requests with its prompt have
arrived, and `silent` never answers. GET /seen?TEXT lists {path, body, traceparent, left}.
"""
import json
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from scripted_provider import ScriptedProvider, serve

PATIENCE_S = 60
OUTPUT_TOKENS = 7


class TracedProvider(ScriptedProvider):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if not self.note(body=body, traceparent=self.headers["traceparent"]):
            return
        if body["model"] == "silent":
            self.left_within(PATIENCE_S)
            return
        self.wait_for_siblings(body["messages"], int(body["model"].removeprefix("quick-")))
        self.begin()
        self.send({"choices": [{"index": 0, "delta": {"role": "assistant", "content": "Hello"}, "finish_reason": None}]})
        self.send({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        self.send({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": OUTPUT_TOKENS, "total_tokens": 10}})
        self.event("[DONE]")
        self.chunk(b"")

    def wait_for_siblings(self, messages, count):
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            with self.lock:
                if sum(record["body"]["messages"] == messages for record in self.seen) >= count:
                    return
            time.sleep(0.005)

    def send(self, members):
        self.event(json.dumps({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m", **members}))


if __name__ == "__main__":
    serve(TracedProvider)
