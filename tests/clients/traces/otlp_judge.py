"""Checks traces of the gateway by OpenTelemetry's own messages and names."""
import base64
import gzip
import importlib
import json
import os
import pkgutil
import socket
import sys
import unittest
import urllib.error
import urllib.request

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from opentelemetry.semconv import attributes as stable
from opentelemetry.semconv._incubating import attributes as incubating
from opentelemetry.semconv._incubating.attributes.gen_ai_attributes import GenAiOperationNameValues
from opentelemetry.semconv.schemas import Schemas

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import GATEWAY_URL, PROMPT, comes_true, measured, run


def ask(model):
    request = urllib.request.Request(f"{GATEWAY_URL}/v1/chat/completions",
                                     json.dumps({"model": model, "messages": PROMPT, "stream": True}).encode(),
                                     {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=20) as response:
            response.read()
            return response.status
    except urllib.error.HTTPError as refused:
        return refused.code


def posts():
    with urllib.request.urlopen(f"{os.environ['COLLECTOR_URL']}/seen", timeout=5) as response:
        return json.load(response)


def with_bytes(node):
    """OTLP writes ids in hex, whereas protobuf's own JSON uses base64. Everything else is protobuf's JSON."""
    if isinstance(node, list):
        return [with_bytes(each) for each in node]
    if not isinstance(node, dict):
        return node
    ids = ("traceId", "spanId", "parentSpanId")
    return {key: base64.b64encode(bytes.fromhex(value)).decode() if key in ids else with_bytes(value)
            for key, value in node.items()}


def messages():
    """Parses each post strictly: a field or a type that OpenTelemetry does not know is an error."""
    texts = (gzip.decompress(base64.b64decode(each["body"])).decode() for each in posts())
    return [json_format.Parse(json.dumps(with_bytes(json.loads(text))), ExportTraceServiceRequest()) for text in texts]


def spans():
    return [span for message in messages() for resource in message.resource_spans for scope in resource.scope_spans
            for span in scope.spans]


def held(span):
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in span.attributes}


def known_names():
    names = set()
    for package in (stable, incubating):
        for module in pkgutil.iter_modules(package.__path__):
            of = importlib.import_module(f"{package.__name__}.{module.name}")
            names |= {value for value in vars(of).values() if isinstance(value, str) and "." in value}
    return names


class OtlpJudge(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.statuses = [ask(model) for model in ["photo"] * 10 + ["rescued"] * 3 + ["exhausted"] * 2]
        comes_true(lambda: len([each for each in spans() if each.kind == Span.SPAN_KIND_SERVER]) == 15)

    def test_each_race_is_one_tree(self):
        self.assertEqual(self.statuses, [200] * 13 + [503] * 2)
        all_spans = spans()
        roots = {each.span_id: each for each in all_spans if each.kind == Span.SPAN_KIND_SERVER}
        self.assertEqual(len(roots), 15)
        self.assertEqual(len({each.trace_id for each in roots.values()}), 15)
        attempts = [each for each in all_spans if each.kind == Span.SPAN_KIND_CLIENT]
        self.assertEqual(len(attempts), 10 * 2 + 3 * 2 + 2)
        for each in attempts:
            root = roots[each.parent_span_id]
            self.assertEqual(each.trace_id, root.trace_id)
            self.assertLessEqual(root.start_time_unix_nano, each.start_time_unix_nano)
            self.assertLessEqual(each.start_time_unix_nano, each.end_time_unix_nano)

    def test_every_name_is_of_the_pinned_conventions_or_ours(self):
        known = known_names()
        for span in spans():
            for name in held(span):
                self.assertTrue(name.startswith("photofinish.") or name in known, name)
            operation = held(span).get("gen_ai.operation.name")
            if operation is not None:
                self.assertEqual(operation, GenAiOperationNameValues.CHAT.value)
        urls = {scope.schema_url for message in messages() for resource in message.resource_spans
                for scope in resource.scope_spans}
        self.assertEqual(urls, {Schemas.V1_41_1.value})

    def test_the_resource_is_named_as_the_conventions_have_it(self):
        known = known_names()
        for message in messages():
            for each in message.resource_spans:
                resource = held(each.resource)
                self.assertLessEqual({"service.name", "service.version", "service.instance.id"}, resource.keys())
                self.assertEqual([name for name in resource if name not in known], [])
                self.assertEqual(resource["service.version"], each.scope_spans[0].scope.version)
                self.assertEqual(resource["service.instance.id"], socket.gethostname())

    def test_a_request_costs_what_its_attempts_cost(self):
        all_spans = spans()
        costs = {}
        for each in all_spans:
            if "photofinish.attempt.cost_usd" in held(each):
                costs[each.parent_span_id] = costs.get(each.parent_span_id, 0) + held(each)["photofinish.attempt.cost_usd"]
        roots = {each.span_id: held(each) for each in all_spans if each.kind == Span.SPAN_KIND_SERVER}
        priced = {span for span, attributes in roots.items() if "photofinish.cost_usd" in attributes}
        self.assertEqual(len(priced), 13)
        for span in priced:
            self.assertAlmostEqual(roots[span]["photofinish.cost_usd"], costs[span])
            self.assertGreater(costs[span], 0)

    def test_a_loser_has_no_usage_and_no_status(self):
        losers = [each for each in spans() if held(each).get("photofinish.attempt.outcome") == "lost"]
        self.assertGreaterEqual(len(losers), 10)
        for each in losers:
            self.assertEqual(each.status.code, Status.STATUS_CODE_UNSET)
            self.assertFalse([name for name in held(each) if name.startswith("gen_ai.usage")])
        winners = [held(each) for each in spans() if held(each).get("photofinish.attempt.outcome") == "won"]
        self.assertEqual(len(winners), 13)
        for each in winners:
            self.assertGreater(each["gen_ai.usage.output_tokens"], 0)

    def test_a_failure_is_an_error_in_a_word(self):
        failed = [each for each in spans() if held(each).get("photofinish.attempt.outcome") == "failed"]
        self.assertEqual(len(failed), 5)
        for each in failed:
            self.assertEqual(each.status.code, Status.STATUS_CODE_ERROR)
            self.assertEqual(held(each)["error.type"], "server_error")

    def test_posts_are_as_the_collector_wants_them(self):
        for each in posts():
            self.assertEqual(each["path"], "/v1/traces")
            self.assertEqual(each["headers"]["content-type"], "application/json")
            self.assertEqual(each["headers"]["content-encoding"], "gzip")
            self.assertEqual(each["headers"]["x-collector-key"], "s3cret")

    def test_all_are_counted_as_exported(self):
        self.assertTrue(comes_true(lambda: measured("photofinish_spans_total", result="exported") == len(spans())))
        self.assertEqual(measured("photofinish_spans_total", result="dropped"), 0)


if __name__ == "__main__":
    sys.exit(run(OtlpJudge))
