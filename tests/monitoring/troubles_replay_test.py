#!/usr/bin/env python3
"""Replays recorded troubles on a real Prometheus. Every alert must fire in time, name the cause, and end. On quiet days no
alert may fire.

    tests/monitoring/troubles_replay_test.py BINARY
recordings.py draws the recordings from a seed. Exit code: 0 passed, 1 failed, 77 a program is missing.
"""

import sys
import unittest

sys.dont_write_bytecode = True
import servers
from recordings import BAD_DAY, DAY, HALVED, HOUR, INSTANCES, MINUTE
from replay import Replay

# These rules compare with earlier days. It is sufficient to evaluate them every two minutes.
COMPARING = ["photofinish-targets", "photofinish-baselines", "photofinish-providers"]
SLOW = {"interval": "2m", "baseline_interval": "4m"}


class Recorded(unittest.TestCase):
    def replay(self, *arguments, **more):
        return self.enterContext(Replay(sys.argv[1], *arguments, **more))

    def take(self, alerts, name, severity, trouble, seconds, more, **labels):
        """Removes the alert from the list. The alert must begin within `seconds` of the trouble's beginning, and end within
        `more` after the trouble's end."""
        began, ended = trouble
        found = [each for each in alerts if each.name in name.split("|") and labels.items() <= each.labels.items()
                 and began <= each.began <= ended + more]
        self.assertTrue(found, f"no {name} {labels}; fired: {list(map(str, alerts))}")
        print(f"{found[0].name} {labels}: {found[0].began - began} s after the trouble began, until "
              f"{found[-1].ended - ended} s after its end")
        self.assertEqual({each.severity for each in found}, {severity})
        self.assertLessEqual(found[0].began - began, seconds, str(found[0]))
        self.assertLessEqual(found[-1].ended - ended, more, str(found[-1]))
        for each in found:
            alerts.remove(each)

    def test_a_quiet_day_and_an_outage_of_a_minute_stay_silent(self):
        replay = self.replay("quiet_day", DAY)
        self.assertEqual([str(each) for each in replay.alerts()], [])

    def test_a_busy_hour_of_every_day_is_no_regression_and_half_the_speed_is(self):
        """After a week, the busy hour is known. A drop to half the speed on the last day must be reported within half an hour."""
        replay = self.replay("fortnight", 14 * DAY, settings=SLOW, groups=COMPARING)
        alerts = replay.alerts(since=8 * DAY)
        self.take(alerts, "PhotofinishThroughputRegression", "ticket", HALVED, 30 * MINUTE, 45 * MINUTE,
                  provider="halved")
        self.assertEqual([str(each) for each in alerts], [])

    def test_a_bad_day_is_alerted_right(self):
        replay = self.replay("bad_day", 6 * HOUR)
        alerts = replay.alerts()
        for name, severity, trouble, minutes, more, labels in (
                ("PhotofinishRouteDown", "page", "dead", 2, 10, {"route": "dead"}),
                ("PhotofinishRouteDown|PhotofinishErrorBurn", "page", "cut", 2, 40, {"route": "cut"}),
                ("PhotofinishRouteDown|PhotofinishErrorBurn", "page", "half", 6, 40, {"route": "half"}),
                ("PhotofinishTtftBurn", "page", "late", 12, 40, {"route": "late"}),
                ("PhotofinishGatewayFailing", "page", "gateway", 2, 5, {"instance": INSTANCES[1]}),
                ("PhotofinishProviderFailing", "ticket", "dying", 12, 15, {"provider": "dying"})):
            self.take(alerts, name, severity, BAD_DAY[trouble], minutes * MINUTE, more * MINUTE, **labels)
        for each in alerts:
            self.assertTrue(self.belongs_to_a_trouble(each), str(each))

    def belongs_to_a_trouble(self, alert):
        """Further tickets may name other parts that are in trouble. While a third of all requests fails, each route may cause a
        page alert."""
        if alert.severity == "page":
            began, ended = BAD_DAY["gateway"]
            dead_began, dead_ended = BAD_DAY["dead"]
            is_dead_one = alert.labels.get("route") == "dead" and dead_began <= alert.began <= dead_ended + HOUR
            return alert.name == "PhotofinishErrorBurn" and (is_dead_one or began <= alert.began <= ended + HOUR)
        if alert.name == "PhotofinishProviderFailing":  # if only one gateway fails, the reason is not a provider
            return alert.labels["provider"] in ("half-only", "dead-only", "cut-only", "dying")
        return alert.name in ("PhotofinishErrorBurnSlow", "PhotofinishTtftBurnSlow")


if __name__ == "__main__":
    servers.skip_without("recorded troubles", "prometheus", "promtool")
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
