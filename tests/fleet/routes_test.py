#!/usr/bin/env python3
"""Tests troubles of providers and routes with three gateways: the right alert reaches the right receiver, and no other page
alert is sent.

    tests/fleet/routes_test.py BINARY [--long]
Without --long, tests routes that are dead in four ways. With --long, tests four further troubles at the same time.
"""

import sys
import time
import unittest

sys.dont_write_bytecode = True
from stage import IS_LONG, Stage, run_tests

DEAD = "PhotofinishRouteDown"
PAGE = "PhotofinishRouteDown|PhotofinishErrorBurn"  # for routes on which half of the requests fail, or answers are cut

MAIN = {"main": ("policy: fallback", ["first", "second"])}
SHORT = {
    "failing": ("", ["failing-only"]),  # the 502 of this route must not make HAProxy take gateways away from other routes
    "limited": ("", ["limited-only"]),
    "hanging": ("race_timeout: 5s", ["hanging-only"]),
    "cut": ("", ["cut-only"]),
}
LONG = {
    "half": ("", ["half-only"]),
    "brownout": ("", ["brownout-only"]),
    "slow": ("", ["slow-only"]),
    "spared": ("policy: fallback", ["dying", "spare"]),
}

# Shorter windows for rules that compare with earlier days, and for burn rates that end half an hour after their trouble.
# tests/monitoring/troubles_replay_test.py tests the shipped windows with recorded troubles.
SETTINGS = {
    "now_window": "1m", "baseline_window": "5m", "baseline_offset": "20s",
    "regression_for": "20s", "regression_keep": "20s",
    "burn_page_slow_long": "1h", "burn_page_slow_short": "5m",
}


class Trouble:
    """`begin` changes a provider. `alert` must then reach `receiver` within `seconds`, with these labels."""

    def __init__(self, alert, receiver, seconds, labels, provider, options):
        self.alert, self.receiver, self.seconds, self.labels = alert, receiver, seconds, labels
        self.provider, self.options = provider, options

    def begin(self, stage):
        self.began = time.monotonic()
        if self.options is None:
            stage.stop_provider(self.provider)
        else:
            stage.change_provider(self.provider, *self.options)

    def end(self, stage):
        if self.options is None:
            stage.start_provider(self.provider)
        else:
            stage.change_provider(self.provider)


SHORT_TROUBLES = [
    Trouble(DEAD, "pages", 120, {"route": "failing"}, "failing-only", ["--status", "500"]),
    Trouble(DEAD, "pages", 120, {"route": "limited"}, "limited-only", ["--status", "429"]),
    Trouble(DEAD, "pages", 120, {"route": "hanging"}, "hanging-only", ["--hang"]),
    Trouble(PAGE, "pages", 120, {"route": "cut"}, "cut-only", ["--close-after", "3"]),
]
LONG_TROUBLES = [
    Trouble(PAGE, "pages", 300, {"route": "half"}, "half-only", ["--status", "500", "--fault-share", "0.5"]),
    Trouble("PhotofinishTtftBurn", "pages", 300, {"route": "brownout"}, "brownout-only",
            ["--ttft", "200ms", "--slow", "20"]),
    Trouble("PhotofinishThroughputRegression", "tickets", 300, {"provider": "slow-only"}, "slow-only", ["--tps", "50"]),
    Trouble("PhotofinishProviderFailing", "tickets", 900, {"provider": "dying"}, "dying", None),
]


class RouteTroubles(unittest.TestCase):
    def run_troubles(self, routes, troubles, quiet_s, end_s):
        stage = self.enterContext(Stage(sys.argv[1], MAIN | routes, SETTINGS))
        rates = {"main": 3, **{route: 1.5 for route in routes}}
        with stage.traffic(rates) as traffic:
            time.sleep(quiet_s)
            self.assertEqual([str(each) for each in stage.receivers.notices], [], "an alert without a trouble")
            self.assertEqual(traffic.failed(), [])
            for each in troubles:
                each.begin(stage)
            missing = self.wait_for_alerts(stage, troubles)
            began = min(each.began for each in troubles)
            healthy, failed = traffic.of("main", since=began), traffic.failed("main", since=began)
            print(f"{len(failed)} of {len(healthy)} requests of the healthy route failed meanwhile")
            for each in troubles:
                each.end(stage)
            ended = time.monotonic()
            self.assertEqual(missing, [])
            self.assertLess(len(failed), 0.01 * len(healthy), failed[:3])
            for each in troubles:
                # A trouble that lasts becomes a part of the baseline, so a ticket may end before the trouble ends.
                since = ended if each.receiver == "pages" else each.began
                stage.wait_for_end(each.alert, end_s, since, **each.labels)
        self.names_nothing_else(stage, troubles)

    def wait_for_alerts(self, stage, troubles):
        missing = []
        for each in troubles:
            left = each.began + each.seconds - time.monotonic()
            try:
                notice = stage.wait_for_alert(each.alert, each.receiver, left, each.began, **each.labels)
                self.assertTrue(notice.annotations["summary"] and notice.annotations["runbook_url"])
            except AssertionError as failed:
                missing.append(str(failed))
        return missing

    def names_nothing_else(self, stage, troubles):
        """Each page alert must name a route that is in serious trouble. Each ticket must name a provider or route in trouble."""
        paged = {each.labels["route"] for each in troubles if each.receiver == "pages"}
        wrong = [str(each) for each in stage.receivers.firing("pages") if each.labels.get("route") not in paged]
        troubled = paged | {each.provider for each in troubles}
        wrong += [str(each) for each in stage.receivers.firing("tickets")
                  if not troubled & {each.labels.get("provider"), each.labels.get("route")}]
        self.assertEqual(wrong, [])

    if not IS_LONG:
        def test_dead_routes_page_within_two_minutes(self):
            self.run_troubles(SHORT, SHORT_TROUBLES, quiet_s=20, end_s=150)
    else:
        def test_troubles_of_routes_and_providers(self):
            """The quiet time is the baseline for the rule that detects half the speed."""
            self.run_troubles(SHORT | LONG, SHORT_TROUBLES + LONG_TROUBLES, quiet_s=180, end_s=900)


if __name__ == "__main__":
    run_tests()
