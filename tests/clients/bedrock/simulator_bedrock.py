"""Tests the simulated provider with AWS's own library: Converse, and Claude by InvokeModel, in one piece and in frames, with tools and
faults."""
import json
import os
import sys
import unittest

import botocore.config
import botocore.exceptions
import botocore.session

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import run

KEY = "sim-own"
ROOT = os.environ["SIM_URL"].removesuffix("/v1")
HI = [{"role": "user", "content": [{"text": "hi"}]}]
TOOLS = {"tools": [{"toolSpec": {"name": "look", "description": "looks", "inputSchema": {"json": {"type": "object"}}}}]}
CLAUDE = {"anthropic_version": "bedrock-2023-05-31", "max_tokens": 1000, "messages": [{"role": "user", "content": "hi"}]}


def bedrock(key=KEY):
    session = botocore.session.get_session()
    session.set_credentials(key, "secret")
    settings = botocore.config.Config(retries={"total_max_attempts": 1}, read_timeout=15)
    return session.create_client("bedrock-runtime", region_name="us-east-1", endpoint_url=ROOT, config=settings)


class SimulatorBedrock(unittest.TestCase):
    def setUp(self):
        self.client = bedrock()

    def test_converse_reads_a_whole_answer(self):
        answer = self.client.converse(modelId="m;tokens=5;reasoning=3", messages=HI)
        thought, said = answer["output"]["message"]["content"]
        self.assertTrue(thought["reasoningContent"]["reasoningText"]["signature"])
        self.assertTrue(said["text"])
        self.assertEqual((answer["stopReason"], answer["usage"]["outputTokens"]), ("end_turn", 8))

    def test_converse_adds_up_a_stream(self):
        events = list(self.client.converse_stream(modelId="m;tokens=6;reasoning=2;seed=7", messages=HI)["stream"])
        whole = self.client.converse(modelId="m;tokens=6;reasoning=2;seed=7", messages=HI)
        deltas = [event["contentBlockDelta"]["delta"] for event in events if "contentBlockDelta" in event]
        said = "".join(delta.get("text", "") for delta in deltas)
        self.assertEqual(said, whole["output"]["message"]["content"][1]["text"])
        self.assertEqual(list(events[0]), ["messageStart"])
        self.assertEqual(events[-2]["messageStop"]["stopReason"], "end_turn")
        self.assertEqual(events[-1]["metadata"]["usage"], whole["usage"])

    def test_converse_calls_a_tool(self):
        events = list(self.client.converse_stream(modelId="m;tokens=5;tools", messages=HI, toolConfig=TOOLS)["stream"])
        starts = [event["contentBlockStart"]["start"] for event in events if "contentBlockStart" in event]
        self.assertEqual(starts[0]["toolUse"]["name"], "look")
        inputs = "".join(event["contentBlockDelta"]["delta"]["toolUse"]["input"] for event in events if "contentBlockDelta" in event)
        self.assertIsInstance(json.loads(inputs), dict)

    def test_converse_knows_limits_and_errors(self):
        limited = self.client.converse(modelId="m;tokens=50", messages=HI, inferenceConfig={"maxTokens": 3})
        self.assertEqual(limited["stopReason"], "max_tokens")
        with self.assertRaises(self.client.exceptions.ThrottlingException):
            self.client.converse(modelId="m;status=429", messages=HI)
        with self.assertRaises(self.client.exceptions.ServiceUnavailableException):
            self.client.converse_stream(modelId="m;status=503", messages=HI)
        other = bedrock("other")
        with self.assertRaises(other.exceptions.AccessDeniedException):
            other.converse(modelId="m", messages=HI)
        with self.assertRaises(botocore.exceptions.EventStreamError) as raised:
            list(self.client.converse_stream(modelId="m;tokens=5;error_event=2", messages=HI)["stream"])
        self.assertIn("internalServerException", str(raised.exception))

    def test_claude_is_invoked_whole_and_in_frames(self):
        model = "anthropic.m;tokens=5;reasoning=3;seed=7"
        whole = json.load(self.client.invoke_model(modelId=model, body=json.dumps(CLAUDE))["body"])
        self.assertEqual([block["type"] for block in whole["content"]], ["thinking", "text"])
        frames = self.client.invoke_model_with_response_stream(modelId=model, body=json.dumps(CLAUDE))["body"]
        events = [json.loads(frame["chunk"]["bytes"]) for frame in frames]
        said = "".join(event["delta"].get("text", "") for event in events if event["type"] == "content_block_delta")
        self.assertEqual(said, whole["content"][1]["text"])
        self.assertEqual((events[0]["type"], events[-1]["type"]), ("message_start", "message_stop"))


if __name__ == "__main__":
    sys.exit(run(SimulatorBedrock))
