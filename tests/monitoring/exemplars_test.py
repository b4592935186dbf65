#!/usr/bin/env python3
"""Follows a graph to a trace: a real Prometheus stores the exemplars of a gateway that sends its spans to a collector.

    tests/monitoring/exemplars_test.py BINARY
Exit code: 0 passed, 1 failed, 77 Prometheus is missing.
"""

import http.server
import json
import re
import signal
import sys
import threading
import unittest
import urllib.request

sys.dont_write_bytecode = True
import servers

from pages import panels

MODEL = "gpt-4o-mini"
TRACED = {  # metric: the label that distinguishes its series, and its required value
    "photofinish_request_ttft_seconds_bucket": ("route", "raced"),
    "photofinish_request_duration_seconds_bucket": ("route", "raced"),
    "photofinish_attempt_ttft_seconds_bucket": ("provider", "quick"),
}


class Collector(http.server.ThreadingHTTPServer):
    """Receives spans by OTLP over HTTP and stores the ids of their traces."""

    daemon_threads = True

    def __init__(self):
        self.traces = set()
        super().__init__(("127.0.0.1", 0), Taker)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        pass  # the gateway ended while a connection was open

    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"


class Taker(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        sent = json.loads(self.rfile.read(int(self.headers["content-length"])))
        for resource in sent["resourceSpans"]:
            for scope in resource["scopeSpans"]:
                self.server.traces.update(span["traceId"] for span in scope["spans"])
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


def configuration(provider, tracing=""):
    return f"""
listen: 127.0.0.1:0
state_dir: none
log_level: warn
{tracing}
providers: {{quick: {{base_url: '{provider}', api_key: none}}}}
routes: {{raced: {{targets: [quick/{MODEL}]}}}}
"""


def ask(gateway):
    body = {"model": "raced", "stream": True, "messages": [{"role": "user", "content": "Say hello"}]}
    request = urllib.request.Request(f"http://{gateway}/v1/chat/completions", json.dumps(body).encode())
    with urllib.request.urlopen(request, timeout=20) as answer:
        answer.read()


def scrape(gateway, accept):
    request = urllib.request.Request(f"http://{gateway}/metrics", headers={"accept": accept})
    with urllib.request.urlopen(request, timeout=20) as page:
        return page.headers["content-type"], page.read().decode()


OPEN = "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5"


class Exemplars(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.house = cls.enterClassContext(servers.House(sys.argv[1]))
        cls.collector = cls.enterClassContext(Collector())
        provider = cls.house.start_provider("quick", "--ttft", "10ms", "--tps", "400", "--stall-share", "0")
        cls.untraced = cls.house.start_gateway(configuration(provider), "untraced")
        traced = f"tracing: {{endpoint: '{cls.collector.url()}', sample: 1, compression: none}}"
        cls.gateway = cls.house.start_gateway(configuration(provider, traced))
        for each in (cls.gateway, cls.untraced):
            for _ in range(3):
                ask(each)

    def test_prometheus_keeps_exemplars_of_traces_that_were_sent(self):
        api = self.house.start_prometheus(self.gateway, "127.0.0.1:9", {}, "--enable-feature=exemplar-storage")
        for metric, (label, value) in TRACED.items():

            def kept():
                now = servers.get_json(f"{api}/query", query="time()")["data"]["result"][1]
                found = servers.get_json(f"{api}/query_exemplars", query=metric, start=0, end=now)
                return found["data"]

            for series in servers.wait_until(f"an exemplar of {metric}", 30, kept):
                self.assertEqual(series["seriesLabels"][label], value)
                for each in series["exemplars"]:
                    self.assertIn(each["labels"]["trace_id"], self.collector.traces)
                    self.assertGreater(float(each["value"]), 0)

    def test_both_formats_have_the_same_series(self):
        def samples(text):
            return {line.rsplit(" # ")[0].rsplit(" ", 1)[0] for line in text.splitlines() if line[:1] != "#"}

        servers.wait_until("exemplars", 20, lambda: "trace_id" in scrape(self.gateway, OPEN)[1])
        kind, opened = scrape(self.gateway, OPEN)
        self.assertTrue(kind.startswith("application/openmetrics-text; version=1.0.0"), kind)
        self.assertTrue(opened.endswith("# EOF\n"))
        kind, plain = scrape(self.gateway, "text/plain")
        self.assertTrue(kind.startswith("text/plain; version=0.0.4"), kind)
        self.assertNotIn("trace_id", plain)
        self.assertEqual(samples(opened), samples(plain))

    def test_dashboards_ask_for_those_that_are_there(self):
        def have_them():
            lines = scrape(self.gateway, OPEN)[1].splitlines()
            return {line.split("{")[0] for line in lines if " # {trace_id=" in line}

        def histograms():
            lines = scrape(self.gateway, "text/plain")[1].splitlines()
            return {line.split("{")[0] for line in lines if "_bucket{" in line}

        servers.wait_until("exemplars of all", 20, lambda: have_them() >= set(TRACED))
        self.assertEqual(have_them(), set(TRACED))
        self.assertEqual({name for name in histograms() if panels.TRACED.search(name)}, set(TRACED))

    def test_switched_off_by_a_reload_they_are_gone(self):
        provider = self.house.url_in_log("quick", r"(http://\S+)")
        traced = f"tracing: {{endpoint: '{self.collector.url()}', sample: 1}}"
        gateway = self.house.start_gateway(configuration(provider, traced), "switched")
        ask(gateway)
        servers.wait_until("exemplars", 20, lambda: "trace_id" in scrape(gateway, OPEN)[1])
        path = self.house.folder / "switched.yaml"
        path.write_text(path.read_text().replace(traced, ""))
        self.house.processes["switched"].send_signal(signal.SIGHUP)
        servers.wait_until("the page as it was", 20, lambda: scrape(gateway, OPEN)[0].startswith("text/plain"))

    def test_without_traces_the_page_is_as_it_was(self):
        kind, text = scrape(self.untraced, OPEN)
        self.assertTrue(kind.startswith("text/plain; version=0.0.4"), kind)
        self.assertNotIn("trace_id", text)


if __name__ == "__main__":
    servers.skip_without("exemplars", "prometheus")
    unittest.main(argv=sys.argv[:1], verbosity=2)
