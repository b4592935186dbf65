#!/usr/bin/env python3
"""Compares the usage that three gateways report with the providers' own counts. Also tests budgets if the store loses its data.

    tests/fleet/money_test.py BINARY
"""

import re
import sys
import threading
import time
import unittest

sys.dont_write_bytecode = True
from stage import PATIENCE_S, Stage, bill_of, run_tests
from servers import wait_until

ROUTES = {"main": ("policy: fallback", ["first", "second"]), "other": ("policy: fallback", ["second"])}
RATES = {"main": 8, "other": 4}
SETTLED_S = 2  # waiting time after the last request
SPEND = 'photofinish_budget_spend_usd{scope="key",name="web"}'


def micro_usd(usage):
    """Returns the cost of winners in micro-dollars and the number of requests on a usage page."""
    rows = [row for bucket in usage["data"] for row in bucket["results"]]
    return round(1e6 * sum(row["cost_usd"] for row in rows)), sum(row["num_model_requests"] for row in rows)


class Usage(unittest.TestCase):
    def setUp(self):
        self.stage = self.enterContext(Stage(sys.argv[1], ROUTES, with_alerts=False))

    def served(self, traffic):
        return {each.served_by for each in traffic.of()}

    def test_usage_through_the_balancer_is_the_providers_ledger(self):
        """Two seconds after the last request, every gateway must report the sum of all gateways, exact to the micro-dollar."""
        with self.stage.traffic(RATES) as traffic:
            time.sleep(12)
        time.sleep(SETTLED_S)
        self.assertEqual(traffic.failed(), [])
        self.assertEqual(len(self.served(traffic)), 3)
        bill = bill_of(traffic.outcomes), len(traffic.outcomes)
        reported = [micro_usd(self.stage.usage()) for _ in range(6)]  # asks each gateway twice
        reported += [micro_usd(self.stage.usage(each)) for each in self.stage.gateways]
        print(f"billed {bill[0]} micro-dollars for {bill[1]} answers; reported {reported}")
        self.assertEqual(reported, [bill] * len(reported))
        page = self.stage.usage()
        names = [each.name for each in self.stage.gateways]
        self.assertEqual((sorted(each["name"] for each in page["gateways"]), page["gateway"]), (names, None))
        parts = [micro_usd(self.stage.usage(query=f"?gateway={name}")) for name in names]
        self.assertEqual(tuple(map(sum, zip(*parts))), bill, parts)

    def test_a_killed_gateway_loses_what_it_had_not_posted(self):
        """At most the requests of the last two seconds are lost. The sum must never exceed the providers' count plus the cut
        requests."""
        killed = self.stage.gateways[0]
        with self.stage.traffic(RATES) as traffic:
            wait_until("each gateway answers", PATIENCE_S, lambda: len(self.served(traffic)) == 3)
            time.sleep(6)
            killed.kill()
            killed_at = time.monotonic()
            time.sleep(4)
        time.sleep(SETTLED_S)
        whole = [each for each in traffic.outcomes if each.status == 200 and each.is_whole]
        cut = [each for each in traffic.outcomes if not each.is_whole]
        last = [each for each in whole if each.served_by == killed.name and killed_at - 2 <= each.ended]
        bill, unposted = bill_of(whole), bill_of(last)
        reported, _ = micro_usd(self.stage.usage())
        print(f"billed {bill} micro-dollars, reported {reported}: {bill - reported} are lost, at most {unposted} "
              f"may be (of {len(last)} answers); {len(cut)} answers were cut")
        self.assertGreaterEqual(reported, bill - unposted)
        self.assertLessEqual(reported, bill + len(cut) * max(bill_of([each]) for each in whole))


class Watch:
    """Repeatedly reads the spending that each gateway reports. Used as a context."""

    def __init__(self, stage):
        self.seen = {each.name: [] for each in stage.gateways}
        self._stage, self._over = stage, threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join(PATIENCE_S)

    def _run(self):
        while not self._over.wait(0.1):
            for each in self._stage.gateways:
                self.seen[each.name].append(round(1e6 * each.metric(re.escape(SPEND))))


class Forgetting(unittest.TestCase):
    def setUp(self):
        self.stage = self.enterContext(Stage(sys.argv[1], ROUTES, with_alerts=False))

    def spent(self, gateway):
        return round(1e6 * gateway.metric(re.escape(SPEND)))

    def in_store(self):
        """Returns the spending of the key `web` in the store, in micro-dollars. The store counts nano-dollars."""
        keys = self.stage.redis("--scan", "--pattern", "pf:spend:*:key:web").split()
        return sum(int(self.stage.redis("GET", key) or 0) for key in keys) // 1000

    def test_a_store_that_forgets_lowers_no_budget(self):
        """Empties the store (FLUSHALL), then restarts it without data. Does both first without requests, and then under load."""
        with Watch(self.stage) as watch:
            with self.stage.traffic(RATES) as traffic:
                time.sleep(6)
            bill = bill_of(traffic.outcomes)
            wait_until("all gateways know all that was spent", PATIENCE_S,
                       lambda: [self.spent(each) for each in self.stage.gateways] == [bill] * 3)
            for forget in (self.flush, self.restart):
                self.is_restored(forget, bill)
            with self.stage.traffic(RATES) as more:
                time.sleep(2)
                self.flush()
                time.sleep(3)
                self.restart()
                time.sleep(3)
            self.assertEqual(more.failed(), [])
            second = bill_of(more.outcomes) / 8
            bill += bill_of(more.outcomes)
            self.is_the_bill(bill, 2 * second)
        for name, seen in watch.seen.items():
            falls = [(before, after) for before, after in zip(seen, seen[1:]) if after < before]
            self.assertEqual(falls, [], f"the spend that {name} shows fell")

    def flush(self):
        self.stage.redis("FLUSHALL")

    def restart(self):
        process = self.stage.house.processes.pop("redis")
        process.kill()
        process.wait()
        self.stage.start_redis()

    def is_restored(self, forget, bill):
        before = self.restored()
        forget()
        forgot = time.monotonic()
        wait_until("the sum is in the store again", 10, lambda: self.in_store() >= bill, every=0.05)
        took = time.monotonic() - forgot
        print(f"{forget.__name__}: restored after {took:.2f} s")
        self.assertLess(took, 2.5)
        wait_until("a gateway counts that", PATIENCE_S, lambda: self.restored() > before)
        self.assertEqual(self.in_store(), bill, "what was restored is what was spent, not more")

    def restored(self):
        return sum(each.metric("photofinish_budgets_restored_total") for each in self.stage.gateways)

    def is_the_bill(self, bill, more):
        """Checks that nothing is lost. Amounts that the store added without confirming them may be counted twice."""
        wait_until("the store has the bill", PATIENCE_S, lambda: self.in_store() >= bill)
        time.sleep(2)
        print(f"billed {bill}, in the store {self.in_store()} micro-dollars; at most {more:.0f} more are allowed")
        self.assertLessEqual(self.in_store(), bill + more)


if __name__ == "__main__":
    run_tests()
