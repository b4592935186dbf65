#!/usr/bin/env python3
"""Writes Grafana's dashboards: deploy/grafana/make_dashboards.py [--out FOLDER]

The dashboards are built here and not in Grafana, so that changes can be reviewed and every query can be tested. The
folder pages/ has one file for each dashboard. Thresholds come from the parameters of the rules
(deploy/prometheus/make_rules.py).
"""

import argparse
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(HERE.parent / "prometheus")]

from pages import cost, decisions, overview, prompt_caches, provider, providers, team  # noqa: E402


def dashboard_files():
    """Returns {file name: text} of all dashboards."""
    made = [each.page() for each in (overview, providers, provider, cost, decisions, prompt_caches, team)]
    return {f"{each['uid']}.json": json.dumps(each, indent=1, ensure_ascii=False) + "\n" for each in made}


def main():
    parser = argparse.ArgumentParser(description="Writes Grafana's dashboards.")
    parser.add_argument("--out", type=pathlib.Path, default=HERE / "dashboards", metavar="FOLDER")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in dashboard_files().items():
        (folder / name).write_text(text)


if __name__ == "__main__":
    main()
