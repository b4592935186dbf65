#!/usr/bin/env python3
"""Tests three gateways that share a store, behind HAProxy (leastconn): restarts, limits, and facts that one gateway has
learned.

tests/proxies/fleet_test.py BINARY
"""

import sys
import threading
import time
import unittest

sys.dont_write_bytecode = True
from fleet import Fleet, Load, PlainCaller, is_limited_at, run_tests

from servers import wait_until

KEY = "fleet-key-of-some-length"
PATIENCE_S = 60

PROVIDERS = """
providers:
  sim: {{base_url: "{provider}", api_key: none, models: ["*"]}}
  limited: {{base_url: "{provider}", api_key: any-key, models: ["*"]}}
routes:
  quick: {{targets: ["sim/sim-model;tokens=8;tps=200"]}}
  long: {{targets: ["sim/sim-model;tokens=300;tps=100"]}}
  first: {{targets: ["limited/sim-model;status=429;retry_after=30s", "sim/sim-model;tokens=2;tps=0"], race: {{policy: fallback}}}}
"""


def configuration(limits):
    """Returns the configuration. The fleet later replaces {provider} in it."""
    return f"access_keys: [{{name: all, key: {KEY}{limits}}}]\n" + PROVIDERS.replace("{{", "{").replace("}}", "}")


def fleet_for(test, limits=""):
    return test.enterContext(Fleet(sys.argv[1], configuration(limits)))


class Restarts(unittest.TestCase):
    def test_a_rolling_restart_under_load_fails_no_request(self):
        fleet = fleet_for(self)
        with Load(fleet.port, KEY, ["quick"] * 6 + ["long"] * 4, pause_s=0.05) as load:
            wait_until("answers come", PATIENCE_S, lambda: len(load.answers) > 20)
            for each in fleet.gateways:
                before = len(load.answers)
                self.assertEqual(each.end(), 0, f"{each.name} did not end orderly")
                each.start()
                fleet.wait_until_up(each.name)
                wait_until("answers go on", PATIENCE_S, lambda: len(load.answers) > before + 20)
                wait_until(f"{each.name} has its part of them", PATIENCE_S,
                           lambda: each.metric("photofinish_requests_total") > 0)
        self.assertEqual(load.failures, [])
        self.assertEqual({each.status for each in load.answers}, {200})


class Limits(unittest.TestCase):
    RATE = 300  # requests per minute of one key, over all gateways

    def test_a_rate_holds_over_all_of_them(self):
        """Sends three times the permitted rate. The bucket and its rate must be admitted: nothing above them, and at most 2 %
        less."""
        fleet = fleet_for(self, f", rpm_limit: {self.RATE}")
        seconds, callers = 20, 12
        with Load(fleet.port, KEY, ["quick"] * 30, pause_s=0.3) as drain:  # uses up the bucket, which holds one minute's requests
            wait_until("the bucket is empty", PATIENCE_S, lambda: drain.count(429) > 0)
        self.assertEqual(drain.failures, [])
        calls, began = fleet.store_calls(), time.monotonic()
        with Load(fleet.port, KEY, ["quick"] * callers, pause_s=callers / (3 * self.RATE / 60)) as load:
            time.sleep(seconds)
        took = time.monotonic() - began
        self.assertEqual(load.failures, [])
        admitted, refused = load.count(200), load.count(429)
        print(f"admitted {admitted} of {len(load.answers)} in {took:.1f} s, "
              f"{(fleet.store_calls() - calls) / took:.0f} calls a second")
        self.assertGreater(refused, admitted, "the load was not above the rate")
        # Requests that were leased earlier may be used now: for each gateway at most one second of the rate.
        self.assertLessEqual(admitted, self.RATE / 60 * (took + len(fleet.gateways)))
        self.assertGreaterEqual(admitted, 0.98 * self.RATE / 60 * seconds - 1)
        self.assertLess((fleet.store_calls() - calls) / took, 60)

    def test_places_of_a_killed_gateway_come_back(self):
        fleet = fleet_for(self, ", max_parallel_requests: 4")
        stop = threading.Event()
        at_it = [threading.Thread(target=hold_a_place, args=(fleet.gateways[0].port, stop), daemon=True) for _ in range(4)]
        for each in at_it:
            each.start()
        direct = PlainCaller(fleet.gateways[1].port, KEY)
        wait_until("no place is left", PATIENCE_S, lambda: direct.ask("quick") == 429)
        fleet.gateways[0].kill()
        killed = time.monotonic()
        stop.set()
        wait_until("its places are free", PATIENCE_S, lambda: direct.ask("quick") == 200, every=0.2)
        took = time.monotonic() - killed
        print(f"places were free after {took:.1f} s")
        # The permit is valid for ten seconds, and the next request must find that it has expired.
        self.assertGreater(took, 1, "they were free before: nothing was held")


class Learned(unittest.TestCase):
    def test_what_one_is_told_by_a_provider_all_know(self):
        """After one gateway got a 429 from a target, the other gateways must avoid this target."""
        fleet = fleet_for(self)
        one, *others = fleet.gateways
        self.assertEqual(PlainCaller(one.port, KEY).ask("first"), 200)
        limited_at = time.monotonic()
        for each in others:
            wait_until(f"{each.name} knows it", PATIENCE_S, lambda: is_limited_at(each, "limited"), every=0.02)
        print(f"known to all {time.monotonic() - limited_at:.2f} s behind its answer")
        for each in others:
            self.assertEqual(PlainCaller(each.port, KEY).ask("first"), 200)
            skipped = 'photofinish_attempts_total{.*provider="limited".*reason="cooldown"'
            wait_until(f"{each.name} left it out", PATIENCE_S, lambda: each.metric(skipped) == 1)
            self.assertEqual(each.metric('photofinish_attempts_total{.*provider="limited".*reason="rate_limited"'), 0)


def hold_a_place(port, stop):
    caller = PlainCaller(port, KEY)
    while not stop.is_set():
        caller.ask("long")


if __name__ == "__main__":
    run_tests()
