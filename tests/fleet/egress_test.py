#!/usr/bin/env python3
"""One of three gateways loses its connection to the providers. Tests how many requests fail, and that a page alert names the
gateway.

    tests/fleet/egress_test.py BINARY
"""

import re
import sys
import time
import unittest

sys.dont_write_bytecode = True
from stage import PATIENCE_S, Stage, run_tests
from servers import wait_until

ROUTES = {"main": ("policy: fallback", ["first", "second"])}
ALERT = "PhotofinishGatewayFailing"
PAGE_S = 120
COST_S = 30
SHARE = 0.1


class Egress(unittest.TestCase):
    def setUp(self):
        self.stage = self.enterContext(Stage(sys.argv[1], ROUTES))

    def test_a_gateway_that_is_cut_off_costs_little_and_is_named(self):
        """At one request per second, the page alert must come within two minutes. At ten requests per second, a tenth of them
        may fail."""
        one, other, _ = self.stage.gateways
        with self.stage.traffic({"main": 1}) as traffic:
            wait_until("each gateway answers", PATIENCE_S, lambda: len({each.served_by for each in traffic.of()}) == 3)
            cut_at = time.monotonic()
            one.close_way_out()
            missing = None
            try:
                page = self.stage.wait_for_alert(ALERT, "pages", PAGE_S, cut_at, instance=re.escape(one.instance))
                self.assertIn(one.instance, page.annotations["summary"])
            except AssertionError as failed:
                missing = failed
            failed = traffic.failed(since=cut_at)
            print(f"{len(failed)} of {len(traffic.of(since=cut_at))} requests failed at 1 a second")
            pages = {(each.name, each.labels.get("instance")) for each in self.stage.receivers.firing("pages")}
            one.open_way_out()
            self.stage.wait_until_up(one.name)

            traffic.rates["main"] = 10
            share = self.share_that_fails_without(other, traffic)
        self.assertLess(share, SHARE)
        if missing:
            raise missing
        self.assertEqual(pages, {(ALERT, one.instance)})
        blamed = [str(each) for each in self.stage.receivers.notices if each.name == "PhotofinishProviderFailing"]
        self.assertEqual(blamed, [])

    def share_that_fails_without(self, gateway, traffic):
        seen = time.monotonic()
        wait_until("each gateway answers at the new rate", PATIENCE_S,
                   lambda: len({each.served_by for each in traffic.of(since=seen) if each.status == 200}) == 3)
        cut_at = time.monotonic()
        gateway.close_way_out()
        time.sleep(COST_S)
        hit, failed = traffic.of(since=cut_at), traffic.failed(since=cut_at)
        print(f"{len(failed)} of {len(hit)} requests failed in {COST_S} s at 10 a second")
        gateway.open_way_out()
        return len(failed) / len(hit)


if __name__ == "__main__":
    run_tests()
