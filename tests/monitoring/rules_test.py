#!/usr/bin/env python3
"""The rules under promtool: each alert fires when it should, and not when it should not.

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
RULES = sorted((DEPLOY / "prometheus/rules").glob("*.yml"))


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

    def test_alertmanager_accepts_its_configuration(self):
        self.run_tool("amtool", "check-config", DEPLOY / "alertmanager/alertmanager.yml")


if __name__ == "__main__":
    servers.skip_without("rules", "promtool", "amtool")
    unittest.main(argv=sys.argv[:1], verbosity=2)
