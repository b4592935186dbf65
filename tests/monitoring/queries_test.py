#!/usr/bin/env python3
"""Sends every query of dashboards, rules and alerts to a real Prometheus that scrapes a real gateway under load.

    tests/monitoring/queries_test.py BINARY
The load contains races, losers, failures, broken answers and clients that leave, so that each query has data and none
needs an exception. Variables match everything, and windows are seconds. Exit code: 0 passed, 1 failed, 77 Prometheus
is missing.
"""

import re
import sys
import unittest
import urllib.error

sys.dont_write_bytecode = True
import names
import promql
import servers
from load import Load
from files_test import ALL_RULES, alert_names, dashboard_queries, rule_queries

VARIABLES = {
    "$__rate_interval": "10s",
    "$__range": "20s",
    "$source": "tokenizer",
    "$route": ".*",
    "$provider": ".*",
    "$model": ".*",
    "$client": ".*",
    "$team": ".*",
    "$instance": ".*",
}

SHORT = {  # shorter windows of the rules
    "interval": "1s",
    "fast_interval": "1s",
    "slow_interval": "1s",
    "baseline_interval": "1s",
    "now_window": "10s",
    "baseline_window": "60s",
    "baseline_offset": "3s",
    "baseline_day": "10s",
    "baseline_days": "3",
    "baseline_around": "4s",
    "failing_window": "10s",
    "failing_attempts": "5",
    "failing_for": "1s",
    "requests_window": "10s",
    "down_window": "10s",
    "hang_window": "10s",
    "hang_past": "20s",
    "burn_page_sharp_long": "10s",
    "burn_page_sharp_short": "10s",
    "cost_window": "10s",
    "overhead_window": "10s",
    "crawl_window": "10s",
    "prediction_window": "10s",
    "miss_window": "10s",
    "move_window": "10s",
    "binding_window": "10s",
    "budget_for": "1s",
    "store_for": "1s",
    "loss_window": "10s",
    "refusal_window": "10s",
    "certificate_for": "1s",
    **{
        f"burn_{severity}_{speed}_{length}": "10s"
        for severity in ("page", "ticket")
        for speed in ("fast", "slow")
        for length in ("long", "short")
    },
}

PRICED = "prices: {gpt-4o-mini: 0.15/0.6}, "  # the other prices are unknown
CACHED_PRICE = "prices: {gpt-4o-mini: 3/0.3/15}, cancel_billing: full"
CACHE = "--ttft 15ms --tps 400 --prompt-cache --cache-writes --cache-miss-share 0.3 --ttft-uncached 10ms"
PROVIDERS = {  # name: (its settings, options of the simulator)
    "quick": (PRICED + "cancel_billing: stops, prefill: last_message", "--ttft 15ms --tps 400"),
    "twin": ("cancel_billing: stops", "--ttft 15ms --tps 400"),
    "steady": (PRICED + "cancel_billing: full", "--ttft 25ms --tps 250 --queue-share 0.6"),
    "late": ("cancel_billing: unknown", "--ttft 120ms --tps 200"),
    "failing": ("cancel_billing: unknown", "--status 500"),
    "limited": ("cancel_billing: unknown", "--status 429 --retry-after 1s"),
    "early": ("cancel_billing: stops", "--ttft 4ms --tps 25"),
    "breaking": ("cancel_billing: unknown", "--ttft 10ms --reset-after 20"),
    "warm": (CACHED_PRICE, CACHE),
    "warm-too": (CACHED_PRICE, CACHE + " --status 500 --fault-share 0.05"),
}
MODEL = "gpt-4o-mini"
ROUTES = {
    "raced": ("quick steady late", "policy: all"),
    "hedged": ("late steady", "policy: hedge, hedge_delay: 40ms"),
    "safe": ("failing limited steady", "policy: fallback"),
    "broken": ("breaking", "policy: all"),
    "dark": ("failing", "policy: all"),
    # The deadline of this route starts several targets together until the budget is empty. It is not known which of the first
    # two targets is faster.
    "adaptive": ("quick twin late", "policy: adaptive, max_extra_cost: 0.02, deadline: 14ms"),
    # Prompts in the caches of this route's targets expire every five seconds. Then the deadline starts both targets, and the
    # loser finishes its prefill.
    "agents": ("warm warm-too", "policy: adaptive, max_extra_cost: 1, deadline: 30ms"),
    "finishing": ("early quick", "policy: all, win_on: finish"),
    "crawling": ("early", "policy: all, min_tokens_per_second: 100, crawl_window: 500ms"),
    "kept": ("quick early", "policy: all, keep_runner_up: 300ms"),
    "continued": ("breaking quick", "policy: fallback, on_break: continue"),
}
REQUESTS = [  # route, tokens, lines after which the client leaves
    ("raced", 60),
    ("hedged", 60),
    ("safe", 60),
    ("raced", 60),
    ("broken", 60),
    ("dark", 60),
    ("raced", 4),
    (f"late/{MODEL}", 60, 9),
    ("adaptive", 60),
    ("adaptive", 30),
    ("agents", 20, None, True, 5000),
    ("finishing", 60),
    ("agents", 20, None, True, 5000),
    ("crawling", 60),
    ("kept", 30, None, False),
    ("continued", 60),
]

CLIENTS = 6
LOADED_S = 60  # after this time every query must have had data


def configuration(urls):
    lines = ["listen: 127.0.0.1:0", "log_level: warn", "providers:"]
    for name, (settings, _) in PROVIDERS.items():
        lines.append(f"  {name}: {{base_url: '{urls[name]}', api_key: none, {settings}}}")
    lines.append("routes:")
    for name, (targets, race) in ROUTES.items():
        of_route = ", ".join(f"{provider}/{MODEL}" for provider in targets.split())
        lines.append(f"  {name}: {{targets: [{of_route}], race: {{{race}, observe_losers: 0.5}}}}")
    return "\n".join(lines) + "\n"


KEYS = ("key-of-alice", "key-of-alice", "key-of-hasty", "key-of-broke")  # the limits soon refuse the last two

# Series that this load does not produce: they need an identity provider or a state folder.
ELSEWHERE = {"photofinish_identity_keys_age_seconds", "photofinish_state_folder_writable"}


def guarded(urls, store, certificate):
    """Starts a gateway with all features for teams: keys, budgets, limits, a store, and a certificate."""
    return f"""
listen: 127.0.0.1:0
admin: 127.0.0.1:0
state_dir: none
log_level: warn
audit_log: {{file: {certificate[0].parent / "audit.jsonl"}}}
content_log: {{file: {certificate[0].parent / "content.jsonl"}, routes: [raced]}}
tracing: {{endpoint: 'http://127.0.0.1:{servers.free_port()}'}}
tls: {{cert_file: {certificate[0]}, key_file: {certificate[1]}}}
redis: {{url: "redis://{store}/0"}}
teams: {{search: {{max_budget: 50, rpm_limit: 100000}}}}
projects: [web]
access_keys:
  - {{name: alice, key: key-of-alice, team: search, max_budget: 20}}
  - {{name: hasty, key: key-of-hasty, team: search, rpm_limit: 1}}
  - {{name: broke, key: key-of-broke, team: search, max_budget: 0.000001}}
providers:
  quick: {{base_url: '{urls["quick"]}', api_key: none, {PROVIDERS["quick"][0]}}}
  steady: {{base_url: '{urls["steady"]}', api_key: none, {PROVIDERS["steady"][0]}}}
routes:
  raced: {{targets: [quick/{MODEL}, steady/{MODEL}], race: {{policy: all}}}}
"""


class Queries(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.house = cls.enterClassContext(servers.House(sys.argv[1]))
        urls = {
            name: cls.house.start_provider(name, "--ttft-sigma", "0.2", "--stall-share", "0", *options.split())
            for name, (_, options) in PROVIDERS.items()
        }
        gateway = cls.house.start_gateway(configuration(urls))
        certificate = cls.house.make_certificate()
        front = cls.house.start_gateway(guarded(urls, cls.house.start_store(), certificate), "front")
        scraped = f"{gateway}, {cls.house.admin_of('front')}"
        cls.api = cls.house.start_prometheus(scraped, f"127.0.0.1:{servers.free_port()}", SHORT)
        cls.enterClassContext(Load(gateway, REQUESTS, CLIENTS))
        cls.enterClassContext(Load(front, [("raced", 30)], 2, KEYS))

    def ask(self, text):
        for variable, value in VARIABLES.items():
            text = text.replace(variable, value)
        try:
            return servers.get_json(f"{self.api}/query", query=text)["data"]["result"]
        except urllib.error.HTTPError as refused:
            raise AssertionError(f"{text}\n{refused.read().decode()}") from None

    def has_data(self, text):
        return any(sample["value"][1] != "NaN" for sample in self.ask(text))

    def expect_data(self, queries):
        """Waits until each query has had data. `queries` has pairs (place, text)."""
        for _, text in queries:
            self.ask(text)  # fails immediately if Prometheus does not understand the query
        left = list(queries)

        def all_have():
            nonlocal left
            left = [(where, text) for where, text in left if not self.has_data(text)]
            return not left

        try:
            servers.wait_until("data", LOADED_S, all_have)
        except AssertionError:
            self.fail("no data:\n" + "\n".join(f"  {where}: {text}" for where, text in left))

    def test_dashboards_show_data(self):
        self.expect_data(list(dashboard_queries()))

    def test_recorded_series_have_data_and_the_labels_of_their_level(self):
        recorded = names.recorded_series(ALL_RULES)
        self.expect_data([(name, name) for name in recorded])
        for name, labels in recorded.items():
            for sample in self.ask(name):
                self.assertEqual(set(sample["metric"]) - {"__name__"}, labels, name)

    def test_alerts_look_at_series_that_are_there(self):
        self.expect_data(
            [
                (name, str(selector))
                for name, text in rule_queries()
                for selector in promql.Query(text).selectors
                if selector.name not in ELSEWHERE
            ]
        )

    def test_rules_are_evaluated_without_an_error(self):
        groups = servers.wait_until("the first evaluation", 20, lambda: self.evaluated_groups())
        rules = [rule for group in groups for rule in group["rules"]]
        self.assertEqual({rule["name"] for rule in rules if rule["type"] == "alerting"}, set(alert_names()))
        self.assertEqual([(rule["name"], rule.get("lastError")) for rule in rules if rule["health"] != "ok"], [])

    def evaluated_groups(self):
        groups = servers.get_json(f"{self.api}/rules")["data"]["groups"]
        return groups if all(rule["health"] != "unknown" for group in groups for rule in group["rules"]) else None


if __name__ == "__main__":
    servers.skip_without("queries", "prometheus", "redis-server", "openssl")
    unittest.main(argv=sys.argv[:1], verbosity=2)
