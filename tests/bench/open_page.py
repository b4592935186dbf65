#!/usr/bin/env python3
"""Measures the cost of an open live page. The same build runs twice under a thousand races per second. One of the two sends its
feed once per second, as to a page.

Called by run.sh --page. The pairs, the ratios and the interval are computed as in versions.py. The limit is 2 % more CPU time
per request."""
import argparse
import json
import os
import statistics
import sys
import tempfile
import threading
import time

from compare import Bench, per_request, rate
from servers import get
from versions import NEW, OLD, TwoVersions, interval

LIMIT = 1.02
# 50 connections. Each waits 20 ms for its token, and then pauses for 30 ms. The page is opened before the warm-up ends.
LOAD = {"model": "race3", "races": True, "connections": 50, "pause_us": 30000, "seconds": 4.0, "warm_up": 2.5}
LEAST_RATE = 800  # races per second; with fewer races, the machine was too busy for a result


class Pages(threading.Thread):
    """Opens this number of pages. They stay open until close()."""

    def __init__(self, port, count):
        super().__init__(daemon=True)
        self.port, self.count = port, count
        self.is_closed = threading.Event()
        self.races, self.sequence, self.asked = set(), 0, 0

    def run(self):
        while not self.is_closed.wait(1 / self.count):
            feed = json.loads(get(self.port, f"/v1/feed?since={self.sequence if self.count == 1 else 0}"))
            self.asked += 1
            self.sequence = feed["sequence"]
            self.races.update(race["id"] for race in feed["races"])

    def close(self):
        self.is_closed.set()
        self.join(10)


def measure(bench, pairs, pages):
    seen = []
    for pair in range(pairs):
        print(f"pair {pair + 1} of {pairs}", file=sys.stderr)
        for who in (OLD, NEW) if pair % 2 == 0 else (NEW, OLD):
            opened = Pages(bench.servers.plain[NEW], pages) if who == NEW else None
            if opened:
                opened.start()
            bench.run("races", who, LOAD)
            if opened:
                opened.close()
                seen.append(len(opened.races))
    return seen


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--pages", type=int, default=1, help="how many pages are open")
    parser.add_argument("--photofinish", required=True)
    parser.add_argument("--tools", required=True, help="the folder of bench_provider and bench_load")
    parser.add_argument("--out", required=True, help="the folder for page.json and page.md")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="photofinish-bench.") as folder, \
            TwoVersions(folder, options.photofinish, options.photofinish, options.tools) as servers:
        bench = Bench(servers, options.tools)
        seen = measure(bench, options.pairs, options.pages)
    pairs = list(zip(bench.samples.get(("races", OLD), []), bench.samples.get(("races", NEW), [])))
    ratios = [per_request(new) / per_request(old) for old, new in pairs]
    if not ratios:
        sys.exit("nothing was measured")
    median, (low, high) = statistics.median(ratios), interval(ratios)
    races = min(statistics.median(map(rate, side)) for side in zip(*pairs))
    is_load = races >= LEAST_RATE and min(seen) >= 16
    is_good = is_load and low <= LIMIT
    load = " ".join(f"{each:.1f}" for each in os.getloadavg())
    text = "\n".join((
        f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} processors, load average {load}, {options.pairs} pairs, "
        f"{options.pages} open to none.",
        "",
        "| races a second | shown while measured, least | CPU a request | 90 % interval | at most 2 % more |",
        "|---|---|---|---|---|",
        f"| {races:,.0f} | {min(seen)} | {median:.3f} | {low:.3f} to {high:.3f} | {'yes' if is_good else '**no**'} |",
        "" if is_load else "The load or the page was not what it should be: this says nothing.\n"))
    print(text)
    os.makedirs(options.out, exist_ok=True)
    with open(f"{options.out}/page.md", "w", encoding="utf-8") as out:
        out.write(text)
    with open(f"{options.out}/page.json", "w", encoding="utf-8") as out:
        json.dump({"seen": seen, "samples": {who: taken for (_, who), taken in bench.samples.items()}}, out, indent=1)
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
