#!/usr/bin/env python3
"""Tests the rules with promtool: each alert must fire if it should, and only then.

Exit code: 0 passed, 1 failed, 77 promtool or amtool is missing.
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import servers
from servers import DEPLOY

import make_rules

HERE = pathlib.Path(__file__).resolve().parent
ALERTMANAGER = DEPLOY / "alertmanager/alertmanager.yml"
RULES = sorted((DEPLOY / "prometheus/rules").glob("*.yml"))


# The same route in two environments. All requests of `staging` fail, on its only gateway. `prod` answers, and its losing
# attempts cost money.
KEPT = """rule_files: [recording.yml, alerts.yml, operations.yml]
evaluation_interval: 15s
tests:
  - interval: 15s
    input_series:
      - {series: 'photofinish_requests_total{env="prod",region="eu",instance="a:1",route="chat",outcome="ok"}', values: '0+60x40'}
      - {series: 'photofinish_requests_total{env="prod",region="eu",instance="b:1",route="chat",outcome="ok"}', values: '0+60x40'}
      - {series: 'photofinish_requests_total{env="staging",region="eu",instance="c:1",route="chat",outcome="upstream_error"}', values: '0+60x40'}
      - {series: 'photofinish_cost_usd_total{env="prod",region="eu",provider="p",model="m",kind="loser"}', values: '0+0.125x40'}
      - {series: 'photofinish_cost_usd_total{env="staging",region="eu",provider="p",model="m",kind="loser"}', values: '0+0.125x40'}
      - {series: 'up{job="photofinish",env="prod",region="eu",instance="a:1"}', values: '1x40'}
      - {series: 'up{job="photofinish",env="prod",region="eu",instance="b:1"}', values: '0x40'}
      - {series: 'up{job="photofinish",env="staging",region="eu",instance="c:1"}', values: '0x40'}
    promql_expr_test:
      - expr: count by (alertname, env, region, route) (ALERTS{severity="page", alertstate="firing"})
        eval_time: 8m
        exp_samples:
          - {labels: '{alertname="PhotofinishRouteDown", env="staging", region="eu", route="chat"}', value: 1}
          - {labels: '{alertname="PhotofinishErrorBurn", env="staging", region="eu", route="chat"}', value: 1}
          - {labels: '{alertname="PhotofinishNoData", env="staging", region="eu"}', value: 1}
      - expr: round(photofinish:cost_usd_loser:per_hour)
        eval_time: 8m
        exp_samples:
          - {labels: '{env="prod", region="eu"}', value: 4}
          - {labels: '{env="staging", region="eu"}', value: 4}
    alert_rule_test:
      - {alertname: PhotofinishGatewayFailing, eval_time: 8m, exp_alerts: []}
      - {alertname: PhotofinishRacingOverBudget, eval_time: 8m, exp_alerts: []}
      - alertname: PhotofinishRouteDown
        eval_time: 8m
        exp_alerts:
          - exp_labels: {severity: page, env: staging, region: eu, route: chat}
            exp_annotations:
              summary: "Route chat: 100% of the requests get no answer (staging eu)"
              description: Every target of the route fails or hangs, each answer is cut, or the gateway refuses the requests.
              runbook_url: docs/runbooks/PhotofinishRouteDown.md
"""

DAY = 120  # minutes
SHORT_DAYS = {
    "baseline_day": "2h",
    "baseline_around": "10m",
    "baseline_window": "14h",
    "baseline_offset": "10m",
    "now_window": "4m",
    "regression_for": "2m",
    "regression_keep": "0s",
    "min_samples": "10",
    "baseline_grace": "20h",  # not tested here
}


def speeds_of(provider, is_slow, begins=0):
    """Returns the series of ten answers per minute from this time on. The speed is 200 to 250 tok/s, or 135 to 165 tok/s in the
    slow minutes."""
    slow, everything, name = [0], [0], "photofinish_output_tokens_per_second"
    for minute in range(9 * DAY):
        answers = 10 if minute >= begins else 0
        everything.append(everything[-1] + answers)
        slow.append(slow[-1] + (answers if is_slow(minute // DAY, minute % DAY) else 0))
    labels = f'provider="{provider}",model="m",source="tokenizer"'
    series = {f'{name}_bucket{{{labels},le="135"}}': [0] * len(slow)}
    series |= {f'{name}_bucket{{{labels},le="{edge}"}}': slow for edge in (165, 200)}
    series |= {f'{name}_bucket{{{labels},le="{edge}"}}': everything for edge in (250, "+Inf")}
    series[f"{name}_count{{{labels}}}"] = everything
    return "".join(f"      - {{series: '{each}', values: '{' '.join(map(str, of))}'}}\n" for each, of in series.items())


def busy_days():
    """The target `busy` is slow from minute 60 to 80 of each day. `early` begins to be slow five minutes sooner on the last
    day. `young` exists since the seventh day. `worse` is also slow from minute 20 to 50 of the last day, which is new."""
    busy = lambda day, minute: 60 <= minute < 80
    series = (
        speeds_of("busy", busy)
        + speeds_of("early", lambda day, minute: busy(day, minute) or (day == 8 and 55 <= minute < 60))
        + speeds_of("young", busy, begins=6 * DAY)
        + speeds_of("worse", lambda day, minute: busy(day, minute) or (day == 8 and 20 <= minute < 50))
    )
    slow = 'ALERTS{alertname="PhotofinishThroughputRegression", alertstate="firing"}'
    quiet = [(8, 15), (8, 58), (8, 62), (8, 66), (8, 72), (8, 78), (8, 82), (8, 86), (8, 110)]
    checks = "".join(
        f"      - {{expr: '{slow}', eval_time: {day * DAY + minute}m, exp_samples: []}}\n" for day, minute in quiet
    )
    return f"""rule_files: [recording.yml, alerts.yml]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series:
{series}    promql_expr_test:
{checks}      - expr: count by (provider) ({slow})
        eval_time: {8 * DAY + 30}m
        exp_samples: [{{labels: '{{provider="worse"}}', value: 1}}]
      # The first busy hour of young was news, the third is not.
      - expr: count by (provider) ({slow})
        eval_time: {6 * DAY + 70}m
        exp_samples: [{{labels: '{{provider="young"}}', value: 1}}]
"""


class Promtool(unittest.TestCase):
    def run_tool(self, *command):
        done = subprocess.run([str(each) for each in command], capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")

    def test_accepts_configuration_and_rules(self):
        self.run_tool("promtool", "check", "config", DEPLOY / "prometheus/prometheus.yml")
        self.run_tool("promtool", "check", "rules", *RULES)

    def test_accepts_tuned_rules(self):
        with tempfile.TemporaryDirectory() as folder:
            make_rules.write(pathlib.Path(folder), {"ttft_edge": "0.75", "cost_budget": "0.5", "now_window": "30m"})
            self.run_tool("promtool", "check", "rules", *pathlib.Path(folder).glob("*.yml"))

    def test_alerts_fire_when_they_should(self):
        self.run_tool("promtool", "test", "rules", *sorted(HERE.glob("*.test.yml")))

    def test_a_busy_hour_of_every_day_is_no_regression(self):
        """A day takes two hours in this test. Speeds fall from 225 to 150 tok/s in the busy 20 minutes of each day."""
        with tempfile.TemporaryDirectory() as folder:
            make_rules.write(pathlib.Path(folder), SHORT_DAYS)
            test = pathlib.Path(folder, "busy.test.yml")
            test.write_text(busy_days())
            self.run_tool("promtool", "test", "rules", test)

    def test_labels_that_are_kept_do_not_mix(self):
        with tempfile.TemporaryDirectory() as folder:
            make_rules.write(pathlib.Path(folder), {"keep_labels": "env,region"})
            self.run_tool("promtool", "check", "rules", *pathlib.Path(folder).glob("*.yml"))
            test = pathlib.Path(folder, "kept.test.yml")
            test.write_text(KEPT)
            self.run_tool("promtool", "test", "rules", test)

    def test_alertmanager_accepts_its_configuration(self):
        self.run_tool("amtool", "check-config", ALERTMANAGER)

    def test_pages_and_tickets_reach_their_receivers(self):
        for severity, receiver in (("page", "pages"), ("ticket", "tickets")):
            self.run_tool(
                *("amtool", "config", "routes", "test", f"--config.file={ALERTMANAGER}"),
                *(f"--verify.receivers={receiver}", f"severity={severity}", "alertname=PhotofinishRouteDown"),
            )

    def test_a_page_does_not_wait_and_names_its_gateway(self):
        pages = ALERTMANAGER.read_text().split('severity="page"')[1].split("receivers:")[0]
        self.assertIn("group_wait: 0s", pages)
        self.assertRegex(pages, r"group_by: \[.*\binstance\b.*\]")


if __name__ == "__main__":
    servers.skip_without("rules", "promtool", "amtool")
    unittest.main(argv=sys.argv[:1], verbosity=2)
