#!/usr/bin/env python3
"""Runs races with OpenTelemetry's own collector: tests/clients/traces/real_collector_test.py OTELCOL BINARY, by real_collector.sh

The collector accepts only gzip. It forwards the spans that it understands to collector.py, which keeps them for the tests.
"""
import base64
import concurrent.futures
import json
import pathlib
import secrets
import sys
import threading
import time
import unittest
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "monitoring"), str(HERE.parents[1] / "proxies")]
from fleet import PATIENCE_S, Crowd, Gateway
from scripted_provider import KEY
from servers import House, free_port, get_json, wait_until
from traced_provider import OUTPUT_TOKENS

SERVER, CLIENT = 2, 3  # the kinds of spans, in OTLP's numbers
UNSET = 0
COLLECTOR = """
receivers: {otlp: {protocols: {http: {endpoint: "%s", compression_algorithms: [gzip]}}}}
exporters: {otlp_http: {endpoint: "%s", encoding: json, compression: none, sending_queue: {enabled: false}}}
service: {telemetry: {metrics: {level: none}}, pipelines: {traces: {receivers: [otlp], exporters: [otlp_http]}}}
"""
GATEWAY = """
tracing: {{endpoint: "http://{collector}", compression: {compression}}}
providers:
  sim: {{base_url: "{sim}/v1", api_key: none, models: ['*'], trace_context: true}}
  traced: {{base_url: "{traced}/traced/v1", api_key: {key}, trace_context: true}}
  plain: {{base_url: "{traced}/plain/v1", api_key: {key}}}
race: {{policy: all, max_parallel: 8}}
routes:
  scripted: {{targets: ["sim/slow;ttft=60s", plain/silent, traced/silent, traced/quick-3]}}
  simulated: {{targets: [traced/silent, "sim/quick;ttft=1s"]}}
  narrow: {{targets: ["sim/quick;ttft=1ms", "sim/loser;ttft=60s"]}}
  wide: {{targets: ["sim/quick;ttft=1ms", {losers}]}}
"""
SPANS_OF = {"scripted": 1 + 4, "simulated": 1 + 2, "narrow": 1 + 2, "wide": 1 + 8}  # spans of one race: the request and its attempts


class Scene:
    """A gateway between providers and a collector that can be stopped and started again. Used as a context."""

    def __init__(self, compression="gzip"):
        self.house = House(BINARY)
        try:
            self.address = f"127.0.0.1:{free_port()}"
            self.behind = self.start_script("behind", HERE / "collector.py")
            (self.house.folder / "collector.yaml").write_text(COLLECTOR % (self.address, self.behind))
            self.start_collector()
            self.traced = self.start_script("traced", HERE / "traced_provider.py")
            sim = self.house.start_provider("sim", "--ttft-sigma", "0", "--stall-share", "0", "--tokens", "5", "--tps", "1000")
            losers = ", ".join(f'"sim/loser-{number};ttft=60s"' for number in range(7))
            self.gateway = Gateway(self.house, "gateway", GATEWAY.format(
                collector=self.address, compression=compression, sim=sim, traced=self.traced, key=KEY, losers=losers))
            self.gateway.start()
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.house.__exit__()

    def start_script(self, name, path):
        self.house.run(name, sys.executable, path)
        return self.house.url_in_log(name, r"^(http://\S+)")

    def start_collector(self):
        self.house.run("collector", OTELCOL, "--config", "collector.yaml")
        self.house.wait_for("collector", lambda: "Everything is ready" in self.house.logs["collector"].read_text())

    def stop_collector(self):
        self.house.stop("collector")

    def ask(self, route, prompt="Say hello", traceparent=None):
        """Returns the text of a complete answer. Raises the error that a client would see."""
        body = {"model": route, "stream": True, "messages": [{"role": "user", "content": prompt}]}
        headers = {"content-type": "application/json", **({"traceparent": traceparent} if traceparent else {})}
        request = urllib.request.Request(f"http://127.0.0.1:{self.gateway.port}/v1/chat/completions", json.dumps(body).encode(),
                                         headers)
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            text = answer.read().decode()
        if not text.endswith("data: [DONE]\n\n"):
            raise AssertionError(f"an answer without its end: {text[-200:]!r}")
        return text

    def counted(self, result):
        """Returns the number of spans in /metrics."""
        return self.gateway.metric(rf'photofinish_spans_total\{{result="{result}"\}}')

    def spans(self):
        """Returns the spans that the collector forwarded, without duplicates, because a post whose answer was lost is sent again."""
        found = {}
        for post in get_json(f"{self.behind}/seen"):
            for resource in json.loads(base64.b64decode(post["body"]))["resourceSpans"]:
                for scope in resource["scopeSpans"]:
                    found.update({span["spanId"]: span for span in scope["spans"]})
        return list(found.values())

    def noted(self, provider):
        return [each for each in get_json(f"{self.traced}/seen") if each["path"].startswith(f"/{provider}/")]


class Load(Crowd):
    """Clients in threads that send one race after another until the end of the context."""

    def __init__(self, scene, route, pause_s=0):
        self.answers, self.failures = 0, []
        self._scene, self._route, self._pause_s = scene, route, pause_s
        self._lock = threading.Lock()
        super().__init__([(self._run,)] * 4)

    def _run(self):
        while not self._over.is_set():
            try:
                self._scene.ask(self._route)
                with self._lock:
                    self.answers += 1
            except Exception as broken:  # any error that a client sees
                self.failures.append(f"{type(broken).__name__}: {broken}")
            self._over.wait(self._pause_s)

    def wait_for(self, more):
        wanted = self.answers + more
        wait_until(f"{more} answers more", PATIENCE_S, lambda: self.answers >= wanted or self.failures)


def held(span):
    return {each["key"]: next(iter(each["value"].values())) for each in span["attributes"]}


def outcome(span):
    return held(span)["photofinish.attempt.outcome"]


class Races(unittest.TestCase):
    """Tests a hundred races of two kinds: a scripted provider wins one kind, and the simulated provider the other."""

    @classmethod
    def setUpClass(cls):
        cls.scene = Scene()
        cls.addClassCleanup(cls.scene.__exit__)
        cls.parents = {secrets.token_hex(16): secrets.token_hex(8) for _ in range(100)}  # maps each trace's id to the client's span
        cls.routes = dict(zip(cls.parents, ["scripted", "simulated"] * 50))

        def ask(trace):
            return cls.scene.ask(cls.routes[trace], prompt=trace, traceparent=f"00-{trace}-{cls.parents[trace]}-01")

        with concurrent.futures.ThreadPoolExecutor(8) as clients:
            list(clients.map(ask, cls.parents))
        cls.expected = sum(SPANS_OF[route] for route in cls.routes.values())
        wait_until("all spans", PATIENCE_S, lambda: len(cls.scene.spans()) >= cls.expected)
        cls.spans = cls.scene.spans()
        cls.requests = [each for each in cls.spans if each["kind"] == SERVER]
        cls.attempts = [each for each in cls.spans if each["kind"] == CLIENT]

    def test_a_hundred_races_are_a_hundred_traces_below_their_clients_spans(self):
        self.assertEqual(len(self.requests), 100)
        self.assertEqual({each["traceId"]: each.get("parentSpanId") for each in self.requests}, self.parents)

    def test_each_attempt_is_a_child_of_its_request(self):
        self.assertEqual(len(self.requests) + len(self.attempts), len(self.spans))
        for request in self.requests:
            children = [each for each in self.attempts if each["parentSpanId"] == request["spanId"]]
            self.assertEqual({each["traceId"] for each in children}, {request["traceId"]})
            self.assertEqual(1 + len(children), SPANS_OF[self.routes[request["traceId"]]])
            self.assertEqual(sorted(map(outcome, children)), ["lost"] * (len(children) - 1) + ["won"])

    def test_losers_are_no_errors_and_have_no_usage(self):
        losers = [each for each in self.attempts if outcome(each) == "lost"]
        self.assertEqual(len(losers), 50 * 3 + 50 * 1)
        for each in losers:
            self.assertEqual(each["status"].get("code", UNSET), UNSET)
            self.assertEqual([name for name in held(each) if name.startswith("gen_ai.usage")], [])

    def test_winners_have_the_usage_that_their_providers_counted(self):
        winners = [held(each) for each in self.attempts if outcome(each) == "won"]
        counted = {(each["photofinish.attempt.target"], int(each["gen_ai.usage.output_tokens"])) for each in winners}
        self.assertEqual(counted, {("traced/quick-3", OUTPUT_TOKENS), ("sim/quick;ttft=1s", 5)})

    def test_a_provider_gets_the_id_of_its_attempts_span_where_it_takes_one(self):
        by_id = {each["spanId"]: each for each in self.attempts}
        noted = self.scene.noted("traced")
        winners = {each["spanId"] for each in self.attempts
                   if outcome(each) == "won" and held(each)["photofinish.attempt.target"].startswith("traced/")}
        self.assertLessEqual(winners, {each["traceparent"].split("-")[2] for each in noted})
        self.assertGreater(len(noted), len(winners))  # also counts losers whose request was sent before they lost
        for each in noted:
            self.assertIsNotNone(each["traceparent"])
            version, trace, parent, flags = each["traceparent"].split("-")
            self.assertEqual((version, trace, flags), ("00", each["body"]["messages"][-1]["content"], "01"))
            self.assertEqual(by_id[parent]["traceId"], trace)
            self.assertEqual(held(by_id[parent])["photofinish.attempt.target"], f"traced/{each['body']['model']}")
        self.assertEqual(len({each["traceparent"] for each in noted}), len(noted))
        self.assertEqual([each["traceparent"] for each in self.scene.noted("plain")], [None] * 50)

    def test_all_are_counted_as_exported(self):
        wait_until("the count", PATIENCE_S, lambda: self.scene.counted("exported") >= self.expected)
        counts = {result: self.scene.counted(result) for result in ("exported", "dropped", "failed")}
        self.assertEqual(counts, {"exported": self.expected, "dropped": 0, "failed": 0})


class Collectors(unittest.TestCase):
    """Tests with a collector that fails or stops."""

    def test_one_that_takes_gzip_alone_refuses_what_is_not(self):
        with Scene(compression="none") as scene:
            scene.ask("simulated")
            wait_until("a refusal", PATIENCE_S, lambda: scene.counted("failed") == SPANS_OF["simulated"])
            self.assertEqual(scene.spans(), [])

    def test_one_that_is_away_for_a_while_costs_no_answer_and_no_span(self):
        with Scene() as scene:
            with Load(scene, "narrow", pause_s=0.01) as load:  # at most 400 races a second, so that waiting spans stay far below 8 MiB
                load.wait_for(50)
                scene.stop_collector()
                time.sleep(3)  # the gateway retries a post each second
                load.wait_for(50)
                scene.start_collector()
                load.wait_for(50)
            self.assertEqual(load.failures, [])
            made = SPANS_OF["narrow"] * load.answers
            wait_until("all spans", PATIENCE_S, lambda: scene.counted("exported") >= made)
            self.assertEqual((scene.counted("dropped"), scene.counted("failed")), (0, 0))
            self.assertEqual(len(scene.spans()), made)

    def test_one_that_is_away_too_long_costs_no_answer_and_what_is_dropped_is_counted(self):
        with Scene() as scene:
            with Load(scene, "wide") as load:
                load.wait_for(50)
                scene.stop_collector()
                wait_until("drops", 2 * PATIENCE_S, lambda: scene.counted("dropped") > 0 or load.failures)
                load.wait_for(50)
                scene.start_collector()
                load.wait_for(50)
            self.assertEqual(load.failures, [])
            made = SPANS_OF["wide"] * load.answers

            def counted():
                return sum(scene.counted(result) for result in ("exported", "dropped", "failed"))

            wait_until("all spans to be counted", 2 * PATIENCE_S, lambda: counted() >= made)
            self.assertEqual(counted(), made)
            self.assertEqual(scene.counted("failed"), 0)
            self.assertEqual(len(scene.spans()), scene.counted("exported"))
            self.assertGreater(scene.counted("exported"), 4000)  # the oldest 8 MiB of spans have waited


if __name__ == "__main__":
    BINARY = pathlib.Path(sys.argv.pop()).resolve()
    OTELCOL = pathlib.Path(sys.argv.pop()).resolve()
    unittest.main(verbosity=2)
