#!/usr/bin/env python3
"""Freezes the store under load (SIGSTOP), and thaws it: no request waits, limits hold, and spending is counted once.

tests/acceptance/frozen_store_test.py BINARY
"""

import contextlib
import signal
import statistics
import sys
import threading
import time
import unittest
import urllib.error
import urllib.request

sys.dont_write_bytecode = True
from acceptance import PATIENCE_S, Canary, bill_of, key_of, quantile, start_fleet, wait_until_spent
from fleet import Load, run_tests
from servers import wait_until

RPM = 300
SLICE = 32  # the number of requests that a gateway may lease in advance
SLOWER_S = 0.15
KEYS = {
    "wide": "rpm_limit: 1000000, tpm_limit: 1000000000, max_parallel_requests: 10000, max_budget: 100000",
    "busy": f"rpm_limit: {RPM}",   # gets three times its rate from the beginning
    "early": f"rpm_limit: {RPM}",  # gets some requests first, so that gateways lease slices of its limit; then like "busy"
    "late": f"rpm_limit: {RPM}",   # is used for the first time while the store is frozen
}


class Probes:
    """Repeatedly records the answer of each gateway to /readyz, and HAProxy's view of the gateways."""

    def __init__(self, fleet):
        # The time, the duration and the answer. HAProxy's view is "UP 1/2" if one of its own checks was too late.
        self.seen, self._fleet = [], fleet
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join(PATIENCE_S)

    def _run(self):
        while not self._over.wait(0.2):
            for each in self._fleet.gateways:
                asked = time.monotonic()
                try:
                    with urllib.request.urlopen(f"http://127.0.0.1:{each.admin}/readyz", timeout=10) as page:
                        said = page.status
                except urllib.error.HTTPError as refused:
                    said = refused.code
                except OSError as broken:
                    said = str(broken)
                self.seen.append((asked, time.monotonic() - asked, said, self._fleet.state_of(each.name)))


class Frozen(unittest.TestCase):
    def load(self, name, callers, a_second):
        """Returns a load on the route "quick". The test's own exit stack starts and ends it."""
        return Load(self.fleet.port, key_of(name), ["quick"] * callers, callers / a_second, stream_options={"include_usage": True})

    def test_a_frozen_store_holds_up_no_request_and_what_was_spent_counts_once(self):
        self.fleet = start_fleet(self, KEYS)
        store = self.fleet.house.processes["redis"]
        provider = int(self.fleet.house.url_in_log("provider", r"http://[^:]+:(\d+)"))
        stack = self.enterContext(contextlib.ExitStack())
        canary, probes = stack.enter_context(Canary()), stack.enter_context(Probes(self.fleet))
        # Sends the same requests to the provider without a gateway, to show the delays of the machine in the same seconds.
        direct = stack.enter_context(Load(provider, "none", ["sim-model;tokens=8;tps=200"] * 4, 0.25, is_tls=False))
        wide = stack.enter_context(self.load("wide", 6, 20))
        busy = stack.enter_context(self.load("busy", 9, 3 * RPM / 60))
        with self.load("early", 6, 20) as before:
            wait_until("each gateway has leased some", PATIENCE_S, lambda: len(before.answers) >= 30)
        wait_until("the busy one is refused", PATIENCE_S, lambda: busy.count(429) > 20)

        store.send_signal(signal.SIGSTOP)
        frozen = time.monotonic()
        try:
            early = stack.enter_context(self.load("early", 9, 3 * RPM / 60))
            late = stack.enter_context(self.load("late", 9, 3 * RPM / 60))
            time.sleep(20)
            degraded = [each.metric("photofinish_limits_degraded") for each in self.fleet.gateways]
        finally:
            store.send_signal(signal.SIGCONT)
        thawed = time.monotonic()
        wait_until("all are healed", PATIENCE_S, self.are_healed, every=0.05)
        healed = time.monotonic() - thawed
        time.sleep(10)
        ended = time.monotonic()
        stack.close()

        loads = {"wide": [wide], "busy": [busy], "early": [before, early], "late": [late]}
        for each in (direct, before, wide, busy, early, late):
            self.assertEqual(each.failures, [])
        answers = {name: [answer for each in all_of for answer in each.answers] for name, all_of in loads.items()}
        for name in ("busy", "early", "late"):
            self.admits_no_more(name, answers[name], (thawed, ended), 0 if name == "late" else SLICE * len(self.fleet.gateways))
        self.admits_its_rate(answers["busy"], frozen, thawed)
        self.assertEqual(degraded, [1] * 3)
        self.are_green(probes.seen, frozen, canary)
        self.is_no_slower([each for all_of in answers.values() for each in all_of], direct.answers, frozen, canary)
        behind = canary.worst(thawed, thawed + healed)
        print(f"healed after {healed:.2f} s (canary {behind * 1e3:.0f} ms)")
        self.assertLess(healed, 3 + 20 * behind)
        wait_until_spent(self.fleet, "wide", bill_of(answers["wide"]))
        print(f"spent: ${bill_of(answers['wide']) / 1e9:.4f}, as billed for {len(answers['wide'])} answers")

    def are_healed(self):
        return all(each.metric("photofinish_limits_degraded") == 0 and each.metric("photofinish_store_up") == 1
                   for each in self.fleet.gateways)

    def are_green(self, seen, frozen, canary):
        self.assertEqual({said for _, _, said, _ in seen}, {200})
        self.assertEqual([state for _, _, _, state in seen if not state.startswith("UP")], [])
        began, took, *_ = max((each for each in seen if each[0] > frozen), key=lambda each: each[1])
        late = canary.worst(began, began + took)
        print(f"{len(seen)} probes, all green; the slowest took {took * 1e3:.0f} ms (canary {late * 1e3:.0f} ms)")
        self.assertLess(took, SLOWER_S + 20 * late)

    def admits_no_more(self, name, answers, moments, slices):
        first = min(each.began for each in answers)
        for moment in moments:
            admitted = sum(each.status == 200 and each.ended <= moment for each in answers)
            allowed = RPM + RPM / 60 * (moment - first)
            print(f"{name}: {admitted} admitted, {allowed:.0f} and slices of at most {slices} are allowed")
            self.assertLessEqual(admitted, allowed + slices)
        self.assertGreater(sum(each.status == 429 for each in answers), 20, "the load was not above the rate")

    def admits_its_rate(self, answers, frozen, thawed):
        """Checks that the key gets only its rate. Its bucket was empty when the store froze, so no gateway may use a full
        bucket of its own."""
        admitted = sum(each.status == 200 and frozen <= each.began and each.ended <= thawed for each in answers)
        due = RPM / 60 * (thawed - frozen)
        print(f"busy, while the store was frozen: {admitted} admitted, {due:.0f} are due")
        self.assertLessEqual(admitted, 1.3 * due)

    def is_no_slower(self, answers, direct, frozen, canary):
        """Compares each request after the freeze with the earlier median, and with the delays of the canaries at the same
        moments."""
        usual = {status: statistics.median(each.took for each in answers if each.status == status and each.ended < frozen)
                 for status in (200, 429)}
        usual_direct = statistics.median(each.took for each in direct if each.ended < frozen)
        worst, worst_excess, said = 0, 0, ""
        after = [each for each in answers if each.began >= frozen]
        for each in after:
            slower = each.took - usual[each.status]
            worst = max(worst, slower)
            if slower <= SLOWER_S:
                continue
            same = [other.took - usual_direct for other in direct if other.began < each.ended + 0.5 and other.ended > each.began - 0.5]
            noise = max([*same, 0.0]) + canary.worst(each.began, each.ended)
            if slower - noise > worst_excess:
                worst_excess = slower - noise
                said = (f"{each.status} to {each.key}, {each.began - frozen:+.2f} s from the freeze: {slower * 1e3:.0f} ms slower, "
                        f"canaries {noise * 1e3:.0f} ms")
        before = quantile([each.took - usual[each.status] for each in answers if each.ended < frozen], 1)
        print(f"{len(after)} requests since it was frozen: at most {worst * 1e3:.0f} ms slower than the median before "
              f"({before * 1e3:.0f} before that), p99 {quantile([each.took - usual[each.status] for each in after], 0.99) * 1e3:.0f}")
        self.assertLessEqual(worst_excess, SLOWER_S, said)


if __name__ == "__main__":
    run_tests()
