#!/usr/bin/env python3
"""Checks that a person is alerted if a provider drops to half its speed. Gateway, Prometheus, Alertmanager and webhook are
real.

    tests/monitoring/regression_test.py BINARY
Windows are seconds instead of days. Exit code: 0 passed, 1 failed, 77 Prometheus or Alertmanager is missing.
"""

import http.server
import json
import sys
import threading
import unittest
import urllib.parse

sys.dont_write_bytecode = True
import servers
from load import Load

ALERT = "PhotofinishThroughputRegression"
SHORT = {
    "interval": "1s",
    "baseline_interval": "1s",
    "now_window": "12s",
    "baseline_window": "90s",
    "baseline_offset": "8s",
    "regression_for": "2s",
    "regression_keep": "2s",
}
TOKENS_A_SECOND = 100
TOKENS = 32  # an answer takes a third of a second; from a slow provider, two thirds of a second
CLIENTS = 6

CONFIGURATION = """\
listen: 127.0.0.1:0
log_level: warn
providers:
  lab: {{base_url: "{url}", api_key: none}}
routes:
  fast: {{targets: [lab/small], race: {{policy: all}}}}
"""


class Webhook:
    """Stores the alerts that Alertmanager delivers."""

    def __init__(self):
        received = self.received = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                received.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/alerts"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join(5)

    def messages(self, status):
        return [
            message
            for message in list(self.received)
            if message["status"] == status and message["groupLabels"]["alertname"] == ALERT
        ]


class Regression(unittest.TestCase):
    def setUp(self):
        self.webhook = self.enterContext(Webhook())
        self.house = self.enterContext(servers.House(sys.argv[1]))
        self.port = 0  # 0 means any port; later starts use the same port
        url = self.start_provider(TOKENS_A_SECOND)
        self.port = urllib.parse.urlsplit(url).port
        gateway = self.house.start_gateway(CONFIGURATION.format(url=url))
        alertmanager = self.house.start_alertmanager(self.webhook.url)
        self.api = self.house.start_prometheus(gateway, alertmanager, SHORT)
        self.load = self.enterContext(Load(gateway, [("fast", TOKENS)], CLIENTS))

    def start_provider(self, tokens_a_second):
        return self.house.start_provider(
            "lab",
            "--ttft",
            "20ms",
            "--ttft-sigma",
            "0.1",
            "--stall-share",
            "0",
            "--tps",
            str(tokens_a_second),
            port=self.port,
        )

    def change_speed(self, tokens_a_second):
        self.house.stop("lab")
        self.start_provider(tokens_a_second)

    def value(self, query):
        [sample] = servers.get_json(f"{self.api}/query", query=query)["data"]["result"] or [{"value": (0, "0")}]
        return float(sample["value"][1])

    def test_half_the_speed_fires_is_delivered_and_resolves(self):
        speed = "provider_model:photofinish_output_tokens_per_second"
        servers.wait_until(
            "enough answers and a baseline of them",
            40,
            lambda: self.value(f"{speed}:p50_baseline") > 0
            and self.value(f"{speed}:samples") >= 20
            and self.value(f"count_over_time({speed}:p50[1m])") >= 12,
        )
        self.assertAlmostEqual(self.value(f"{speed}:p50"), TOKENS_A_SECOND, delta=0.15 * TOKENS_A_SECOND)
        self.assertEqual(self.webhook.messages("firing"), [], "it fires while all is well")

        self.change_speed(TOKENS_A_SECOND // 2)
        [message, *_] = servers.wait_until("the alert", 40, lambda: self.webhook.messages("firing"))
        [alert] = message["alerts"]
        self.assertEqual(
            alert["labels"], {"alertname": ALERT, "provider": "lab", "model": "small", "severity": "ticket"}
        )
        self.assertRegex(
            alert["annotations"]["summary"], r"^lab/small streams \d+ tok/s, under 0\.7 of what is usual at this hour$"
        )
        self.assertTrue((servers.ROOT / alert["annotations"]["runbook_url"]).is_file())
        self.assertLess(self.value(f"{speed}:p50") / self.value(f"{speed}:p50_baseline"), 0.7)

        self.change_speed(TOKENS_A_SECOND)
        servers.wait_until("the end of the alert", 40, lambda: self.webhook.messages("resolved"))


if __name__ == "__main__":
    servers.skip_without("regression", "prometheus", "prometheus-alertmanager")
    unittest.main(argv=sys.argv[:1], verbosity=2)
