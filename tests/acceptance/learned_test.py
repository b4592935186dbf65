#!/usr/bin/env python3
"""Tests what three gateways behind HAProxy learn from each other: a provider's 429, times to first token, and counts that add
up.

tests/acceptance/learned_test.py BINARY; PHOTOFINISH_MERGED_MINUTES (2) is the number of minutes for which counts are added up.
"""

import http.client
import json
import os
import sys
import time
import unittest

sys.dont_write_bytecode = True
from acceptance import PATIENCE_S, Canary, key_of, start_fleet
from fleet import Load, PlainCaller, run_tests
from servers import wait_until

ROUNDS = 8
SLOW_S, SWIFT_S = 0.25, 0.02
KEY = key_of("all")


def first_routes():
    """Returns the routes of the first test. Each route has its own provider that refuses requests, so that no gateway knows it
    from an earlier round."""
    providers = "".join(f"  limited{at}: {{base_url: \"{{provider}}\", api_key: any-key, models: [\"*\"]}}\n" for at in range(ROUNDS))
    routes = "".join(f"  first{at}: {{targets: [\"limited{at}/sim-model;status=429;retry_after=60s\", \"sim/sim-model;tokens=2;tps=0\"], "
                     "race: {policy: fallback}}\n" for at in range(ROUNDS))
    return providers, routes


class Limited(unittest.TestCase):
    def test_the_others_skip_a_target_a_second_and_a_half_after_its_429(self):
        providers, routes = first_routes()
        fleet = start_fleet(self, {"all": ""}, routes, providers)
        with Canary() as canary:
            for at in range(ROUNDS):
                one, *others = fleet.gateways[at % 3:] + fleet.gateways[:at % 3]
                attempts = f'photofinish_attempts_total{{.*provider="limited{at}".*reason='
                time.sleep(at / ROUNDS)  # a different moment between the gateways' reads from the store in each round
                began = time.monotonic()
                self.assertEqual(PlainCaller(one.port, KEY).ask(f"first{at}"), 200)
                wait_until("it is counted, behind the answer", 5, lambda: one.metric(attempts + '"rate_limited"') == 1)
                time.sleep(max(0, began + 1.5 - time.monotonic()))
                time.sleep(5 * canary.worst(began, time.monotonic()))  # allows for a few wake-ups in a row
                waited = time.monotonic() - began
                for each in others:
                    self.assertEqual(PlainCaller(each.port, KEY).ask(f"first{at}"), 200)
                for each in others:
                    wait_until(f"{each.name} left it out", 5, lambda: each.metric(attempts + '"cooldown"') == 1)
                    self.assertEqual(each.metric(attempts + '"rate_limited"'), 0)
                print(f"round {at + 1}: skipped by both {waited:.2f} s after it was asked")


class Speeds(unittest.TestCase):
    ROUTES = f"""
  slow: {{targets: ["sim/sim-model;ttft={SLOW_S * 1e3:.0f}ms;tokens=2;tps=0"]}}
  swift: {{targets: ["sim/sim-model;ttft={SWIFT_S * 1e3:.0f}ms;tokens=2;tps=0"]}}
  both: {{targets: ["sim/sim-model;ttft={SLOW_S * 1e3:.0f}ms;tokens=2;tps=0", "sim/sim-model;ttft={SWIFT_S * 1e3:.0f}ms;tokens=2;tps=0"],
    race: {{policy: adaptive}}}}
"""

    def test_a_cold_one_knows_first_tokens_after_seventy_seconds(self):
        fleet = start_fleet(self, {"all": ""}, self.ROUTES)
        *_, cold = fleet.gateways
        self.assertEqual(cold.end(), 0)
        wait_until("HAProxy leaves it out", PATIENCE_S, lambda: fleet.state_of(cold.name).startswith("DOWN"))
        with Load(fleet.port, KEY, ["slow", "swift"] * 3, pause_s=0.5) as load:
            time.sleep(45)
        self.assertEqual(load.failures, [])
        cold.start()
        time.sleep(70)
        race = ask_and_read_race(cold)
        print("; ".join(f"{each['target']}: {each.get('samples')} samples, ttft {each.get('ttft_seconds')}"
                        for each in race["candidates"]))
        self.assertEqual(len(race["candidates"]), 2)
        for each in race["candidates"]:
            truth = SLOW_S if f"ttft={SLOW_S * 1e3:.0f}ms" in each["target"] else SWIFT_S
            self.assertGreaterEqual(each["samples"], 4)
            self.assertGreaterEqual(each["ttft_seconds"]["p50"], truth)
            self.assertLess(each["ttft_seconds"]["p50"], truth + (SLOW_S - SWIFT_S) / 2)

    def test_merged_counts_are_the_sum(self):
        minutes = float(os.environ.get("PHOTOFINISH_MERGED_MINUTES", "2"))
        fleet = start_fleet(self, {"all": ""}, self.ROUTES)
        with Load(fleet.port, KEY, ["slow", "swift", "brief"] * 3, pause_s=0.5) as load:
            time.sleep(60 * minutes)
        self.assertEqual(load.failures, [])
        asked = load.count(200)
        self.assertEqual(asked, len(load.answers))
        own = [each.metric("photofinish_requests_total") for each in fleet.gateways]
        self.assertEqual(sum(own), asked)
        self.assertGreater(min(own), 0)
        try:
            wait_until("", 2 * PATIENCE_S, lambda: all(seen(each) == asked for each in fleet.gateways))
        finally:
            print(f"{asked} answers, {own} at each; each shows {[seen(each) for each in fleet.gateways]}")
        time.sleep(45)  # each period of 15 s is read twice, and the second read must add nothing
        self.assertEqual([seen(each) for each in fleet.gateways], [asked] * 3)


def seen(gateway):
    """Returns the number of first tokens in the gateway's statistics, over all targets."""
    return sum(each["ttft_seconds"]["count"] for each in json.loads(gateway.page("/v1/providers/stats"))["targets"])


def ask_and_read_race(gateway):
    headers = {"content-type": "application/json", "authorization": f"Bearer {KEY}"}
    connection = http.client.HTTPConnection("127.0.0.1", gateway.port, timeout=PATIENCE_S)
    connection.request("POST", "/v1/chat/completions", json.dumps(
        {"model": "both", "stream": True, "messages": [{"role": "user", "content": "hello"}]}), headers)
    answer = connection.getresponse()
    answer.read()
    race = answer.getheader("x-race-id")

    def receipt():
        connection.request("GET", f"/v1/races/{race}", headers=headers)
        page = connection.getresponse()
        text = page.read()
        return json.loads(text) if page.status == 200 else None

    return wait_until("its receipt is there", PATIENCE_S, receipt)


if __name__ == "__main__":
    run_tests()
