#!/usr/bin/env python3
"""Tests limits of requests and tokens per minute with three gateways behind HAProxy: how much is admitted, and the cost of a
limit that is not reached.

tests/acceptance/rates_test.py BINARY
"""

import sys
import time
import unittest

sys.dont_write_bytecode = True
from acceptance import PATIENCE_S, Monitor, key_of, noise_of_difference, quantile, start_fleet
from fleet import Load, run_tests
from servers import wait_until

RPM = 600


class Requests(unittest.TestCase):
    def test_three_times_the_rate_is_admitted_as_by_one_gateway(self):
        """Starts with a full bucket. The bucket and its rate must be admitted: nothing above them, and at most 2 % less."""
        fleet = start_fleet(self, {"over": f"rpm_limit: {RPM}"})
        seconds, callers = 60, 24
        calls, began = fleet.store_calls(), time.monotonic()
        with Load(fleet.port, key_of("over"), ["quick"] * callers, pause_s=callers / (3 * RPM / 60)) as load:
            time.sleep(seconds)
        took = time.monotonic() - began
        calls = fleet.store_calls() - calls
        self.assertEqual(load.failures, [])
        admitted, asked = load.count(200), len(load.answers)
        first, last = min(each.began for each in load.answers), max(each.began for each in load.answers)
        allowed, sure = RPM + RPM / 60 * took, RPM + RPM / 60 * (last - first)
        print(f"admitted {admitted} of {asked} in {took:.2f} s, {admitted / allowed:.4f} of what is allowed; "
              f"{calls / took:.1f} calls a second")
        self.assertGreater(asked, 2.5 * RPM / 60 * seconds, "the load was not three times the rate")
        self.assertLessEqual(admitted, allowed)
        self.assertGreaterEqual(admitted, 0.98 * sure)
        self.assertLess(calls / took, 60)

    def test_under_the_rate_the_limit_costs_nothing_that_can_be_measured(self):
        """The same callers use a key with a limit and a key without a limit in turn. The difference of the p99 must not exceed
        chance."""
        fleet = start_fleet(self, {"under": f"rpm_limit: {RPM}", "open": ""})
        seconds, callers = 120, 8
        limited, free = key_of("under"), key_of("open")
        with Load(fleet.port, [limited, free], ["brief"] * callers, pause_s=0.2) as warm:
            wait_until("all know the key", PATIENCE_S, lambda: len(warm.answers) >= 60)
        monitor = Monitor(fleet)
        waits = sum(each.metric("photofinish_limit_waits_total") for each in fleet.gateways)
        with Load(fleet.port, [limited, free], ["brief"] * callers, pause_s=callers / (2 * 0.8 * RPM / 60)) as load:
            time.sleep(seconds)
        self.assertEqual(load.failures, [])
        self.assertEqual({each.status for each in load.answers}, {200})
        ours = [each.took for each in load.answers if each.key == limited]
        theirs = [each.took for each in load.answers if each.key == free]
        added = quantile(ours, 0.99) - quantile(theirs, 0.99)
        noise = noise_of_difference(ours, theirs, 0.99)
        calls = monitor.calls(":key:under\"")
        waits = sum(each.metric("photofinish_limit_waits_total") for each in fleet.gateways) - waits
        print(f"{len(ours)} with a limit, {len(theirs)} without: p50 {quantile(ours, 0.5) * 1e3:.2f} and "
              f"{quantile(theirs, 0.5) * 1e3:.2f} ms, p99 {quantile(ours, 0.99) * 1e3:.2f} and {quantile(theirs, 0.99) * 1e3:.2f} ms; "
              f"{added * 1e3:+.2f} ms, by chance up to {noise * 1e3:.2f}; {calls} calls, {waits:.0f} requests waited")
        self.assertGreater(len(ours), 0.6 * RPM / 60 * seconds, "hardly any load")
        self.assertLessEqual(added, noise)
        self.assertGreater(calls, 0, "no call was seen: the pattern is wrong")
        self.assertLess(calls, 0.05 * len(ours))


class Tokens(unittest.TestCase):
    TPM = 30_000
    ANSWERS = """
  words: {targets: ["sim/sim-model;tokens=40;tps=0"]}
  slow: {targets: ["sim/sim-model;tokens=40;tps=13"]}
"""

    def test_max_tokens_far_above_the_truth_settle_to_the_rate(self):
        """Requests reserve twenty times the tokens that answers have. After the bucket is empty, the tokens that are really
        used must match the rate."""
        rate = self.settles("words", max_tokens=1400, callers=16, pause_s=0.6)
        self.assertLess(abs(rate / self.TPM - 1), 0.03, "of 45 s; what gateways hold at its ends is in it")

    def test_they_do_so_where_answers_are_long(self):
        """Answers take three seconds, so their reservations are settled at the store, which limits the returned amounts."""
        self.settles("slow", max_tokens=700, callers=36, pause_s=0.6)

    def settles(self, model, max_tokens, callers, pause_s):
        """The store must have counted the same tokens as the provider. The store keeps the time at which the bucket will be
        full again. The bucket was never full during the test, so the used amount is the rate times the time from the first
        request to that moment."""
        # If a call to the store comes too late, the returned amount is lost, which makes the limit stricter. The longer timeout
        # prevents this on a busy machine.
        fleet = start_fleet(self, {"tokens": f"tpm_limit: {self.TPM}"}, self.ANSWERS, timeout="5s")
        seconds = 60
        with Load(fleet.port, key_of("tokens"), [model] * callers, pause_s, max_tokens=max_tokens,
                  stream_options={"include_usage": True}) as load:
            wait_until("the bucket is empty", PATIENCE_S, lambda: load.count(429) > 10)
            time.sleep(seconds)
        self.assertEqual(load.failures, [])
        first = min(each.began for each in load.answers)
        took = time.monotonic() - first
        began = time.time() - took  # the store's clock is this machine's clock
        used = sum(sum(each.usage) for each in load.answers)
        time.sleep(25)  # unused leases return to the store; every ten seconds the gateway checks how much it has used
        full_at = float(fleet.redis("HGET", "pf:rate:tokens:key:tokens", "full")) / 1e6
        counted = self.TPM / 60 * (full_at - began)
        late = [each for each in load.answers if each.ended > load.answers[-1].ended - seconds + 15]
        rate = sum(sum(each.usage) for each in late) / (seconds - 15) * 60
        print(f"{model}: {load.count(200)} of {len(load.answers)} admitted, {used} tokens used, {counted:.0f} counted: "
              f"{used / counted:.4f}; at the end {rate:.0f} a minute of {self.TPM}; "
              f"{used / (self.TPM * (1 + took / 60)):.4f} of what is allowed")
        self.assertGreater(load.count(429), load.count(200) / 4, "the load was not above the rate")
        self.assertGreater(full_at, time.time(), "it was full: nothing can be said")
        self.assertEqual(sum(each.metric("photofinish_store_errors_total") for each in fleet.gateways), 0, "the machine is too slow")
        self.assertLess(abs(used / counted - 1), 0.01)
        self.assertLessEqual(used, 1.01 * self.TPM * (1 + took / 60))
        return rate


if __name__ == "__main__":
    run_tests()
