#!/usr/bin/env python3
"""Amazon Bedrock as botocore knows it: AWS's own client library checks each signature and each body of Converse. The answers are
frames, which botocore reads first. They are sent in pieces of seeded sizes.

It prints its URL. GET /seen?TEXT lists requests as scripted_provider.py does, with the errors that botocore found: {faults}.
"""
import base64
import json
import os
import random
import re
import struct
import sys
import urllib.parse
import zlib

import botocore.auth
import botocore.awsrequest
import botocore.credentials
import botocore.eventstream
import botocore.loaders
import botocore.model
import botocore.validate

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from scripted_provider import ScriptedProvider, serve

CREDENTIALS = botocore.credentials.Credentials("AKIAEXAMPLE", "wJalrXUtnFEMI/K7MDENG", "SessionToken==")
API_KEY = "Bearer ABSKexample0123456789"
SERVICE = botocore.model.ServiceModel(botocore.loaders.Loader().load_service_model("bedrock-runtime", "service-2"))
chance = random.Random(20261123)


def header(name, value):
    return bytes([len(name)]) + name.encode() + b"\x07" + struct.pack(">H", len(value)) + value.encode()


def frame(payload, **headers):
    head = b"".join(header(":" + name.replace("_", "-"), value) for name, value in headers.items())
    body = struct.pack(">II", len(head) + len(payload) + 16, len(head))
    body += struct.pack(">I", zlib.crc32(body)) + head + payload
    return body + struct.pack(">I", zlib.crc32(body))


def event(kind, value):
    value = {**value, "p": "abcdefghijklmnopqrstuvwxyz"[: chance.randrange(26)]}
    payload = json.dumps(value, ensure_ascii=False).encode()
    return frame(payload, event_type=kind, content_type="application/json", message_type="event")


def read_back(frames):
    """Returns the errors that botocore finds, or the exception's name."""
    buffer = botocore.eventstream.EventStreamBuffer()
    buffer.add_data(b"".join(frames))
    return [json.loads(message.payload) for message in buffer]


def answer_of(text):
    words = re.findall(r"\S+\s*", text)
    yield event("messageStart", {"role": "assistant"})
    for word in words:
        yield event("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": word}})
    yield event("contentBlockStop", {"contentBlockIndex": 0})
    yield event("messageStop", {"stopReason": "end_turn"})
    yield event("metadata", {"usage": {"inputTokens": 3, "outputTokens": len(words), "totalTokens": 3 + len(words)},
                             "metrics": {"latencyMs": 1}})


def claude_of(text):
    start = {"type": "message_start", "message": {"id": "msg_bdrk_1", "type": "message", "role": "assistant", "model": "claude",
             "content": [], "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 3, "output_tokens": 1}}}
    for each in (start, {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
                 {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}},
                 {"type": "content_block_stop", "index": 0},
                 {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": {"output_tokens": 7}},
                 {"type": "message_stop"}):
        yield event("chunk", {"bytes": base64.b64encode(json.dumps(each, ensure_ascii=False).encode()).decode()})


class Bedrock(ScriptedProvider):
    def fault_of_signature(self, body):
        given = self.headers["authorization"] or ""
        if given == API_KEY:
            return ""
        names = re.search("SignedHeaders=([^,]+)", given)
        if not names:
            return f"no signature: {given}"
        request = botocore.awsrequest.AWSRequest("POST", f"http://{self.headers['host']}{self.path}", data=body)
        for name in names[1].split(";"):
            request.headers[name] = self.headers[name]
        auth = botocore.auth.SigV4Auth(CREDENTIALS, "bedrock", "us-east-1")
        request.context["timestamp"] = self.headers["x-amz-date"]
        canonical = auth.canonical_request(request)
        signature = auth.signature(auth.string_to_sign(request, canonical), request)
        return "" if given.endswith(f"Signature={signature}") else f"signed was not {canonical!r}"

    def fault_of_body(self, body, model, verb):
        if "converse" not in verb:
            return ""
        shape = SERVICE.operation_model("ConverseStream" if verb == "converse-stream" else "Converse").input_shape
        unknown = set(body) - set(shape.members)
        report = botocore.validate.ParamValidator().validate({**body, "modelId": model}, shape)
        return f"unknown members: {unknown}" if unknown else report.generate_report()

    def do_POST(self):
        raw = self.rfile.read(int(self.headers["content-length"]))
        body = json.loads(raw)
        _, _, model, verb = self.path.split("/")
        model = urllib.parse.unquote(model)
        faults = [each for each in (self.fault_of_signature(raw), self.fault_of_body(body, model, verb)) if each]
        self.note(body=body, faults=faults)

    def note(self, **record):
        self.record = {"path": self.path, "left": False, **record}
        with self.lock:
            self.seen.append(self.record)
        model = urllib.parse.unquote(self.path.split("/")[2])
        if record["faults"]:
            return self.answer(400, json.dumps({"message": record["faults"][0]}))
        if "anthropic" in model:
            return self.stream(list(claude_of("Grüße aus \"Bedrock\"")))
        frames = list(answer_of("Grüße aus \"Bedrock\" mit vielen Worten " * 20))
        if model == "corrupt.model":
            frames[3] = frames[3][:-1] + bytes([frames[3][-1] ^ 1])
        elif model == "broken.model":
            frames[3:] = [frame(b'{"message":"the model broke"}', exception_type="modelStreamErrorException",
                                content_type="application/json", message_type="exception")]
        return self.stream(frames)

    def stream(self, frames):
        try:
            self.record["meant"] = read_back(frames)
        except Exception as why:  # pylint: disable=broad-except
            self.record["meant"] = type(why).__name__
        self.begin("application/vnd.amazon.eventstream")
        data = b"".join(frames)
        while data:
            size = chance.choice((1, 2, 11, 12, 13, 50, 400, 5000))
            self.chunk(data[:size])
            data = data[size:]
        self.chunk(b"")


if __name__ == "__main__":
    serve(Bedrock)
