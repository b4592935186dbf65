#!/usr/bin/env python3
"""Runs two builds of photofinish under the same load, in turn, to measure the cost of a change.

Called by run.sh --against. Each row has a load and a figure: the ratios, new to old, of pairs of successive measurements in
alternating order, their median, and its 90 % interval by bootstrap. If the whole interval of a row is above the limit, the new
build is slower in this figure."""
import argparse
import json
import os
import random
import statistics
import sys
import tempfile
import time

from compare import OPEN, PLAIN, RACES, STREAMS, TLS, Bench, per_event, per_request
from servers import Servers

OLD, NEW = "photofinish_old", "photofinish_new"
FIGURES = {"CPU a request": per_request, "CPU an event": per_event,
           "TTFT p50": lambda sample: sample["added_p50_us"], "RSS": lambda sample: sample["resident_kib"]}
RESAMPLES = 10_000


class TwoVersions(Servers):
    knows_more = False  # the old build may lack newer features

    def __init__(self, folder, old, new, tools):
        super().__init__(folder, new, tools)
        self.binaries = {OLD: old, NEW: new}

    def start_proxies(self):
        first = len(self.children)
        self.plain, self.tls = {}, {}
        for name, binary in self.binaries.items():
            self.photofinish_binary = binary
            self.start_photofinish(name, 1, self.certificate)
        self.proxies = self.children[first:]


def loads():
    """Yields the name, the description, the options, the place and the compared figures of each load."""
    for rows, where, figures in ((PLAIN, "plain", ("CPU a request", "TTFT p50")), (RACES, "plain", ("CPU a request", "TTFT p50")),
                                 (TLS, "tls", ("CPU a request", "TTFT p50")), (STREAMS, "plain", ("CPU an event",))):
        for name, what, _, options, *provider in rows:
            if not provider:
                yield name, what, options, where, figures
    for name, what, _, options, where in OPEN:
        yield name, what, options, where, ("RSS",)


def measure(bench, pairs):
    for name, what, options, where, _ in loads():
        print(what, file=sys.stderr)
        if options.get("hold"):
            bench.servers.restart_proxies()  # memory that other loads left must not count as memory of the streams
        for pair in range(2 if name.startswith("open") else pairs):
            for who in (OLD, NEW) if pair % 2 == 0 else (NEW, OLD):
                bench.run(name, who, options, where)


def interval(ratios):
    """Returns the 90 % interval of the median by resampling. The same figures give the same interval."""
    chance = random.Random(0)
    medians = sorted(statistics.median(chance.choices(ratios, k=len(ratios))) for _ in range(RESAMPLES))
    return medians[int(0.05 * RESAMPLES)], medians[int(0.95 * RESAMPLES) - 1]


def rows_of(bench, limit):
    for name, what, _, _, figures in loads():
        for figure in figures:
            pairs = zip(bench.samples.get((name, OLD), []), bench.samples.get((name, NEW), []))
            taken = [(FIGURES[figure](old), FIGURES[figure](new)) for old, new in pairs]
            ratios = [new / old for old, new in taken if old > 0]
            if not ratios:
                yield what, figure, None, None, None, False
                continue
            low, high = interval(ratios)
            yield what, figure, statistics.median(ratios), low, high, low <= limit


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--limit", type=float, default=1.03)
    parser.add_argument("--old", required=True)
    parser.add_argument("--new", required=True)
    parser.add_argument("--tools", required=True, help="the folder of bench_provider and bench_load")
    parser.add_argument("--out", required=True, help="the folder for versions.json and versions.md")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="photofinish-bench.") as folder, \
            TwoVersions(folder, options.old, options.new, options.tools) as servers:
        bench = Bench(servers, options.tools)
        measure(bench, options.pairs)
    rows = list(rows_of(bench, options.limit))
    load = " ".join(f"{each:.1f}" for each in os.getloadavg())
    lines = [f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} processors, load average {load}, {options.pairs} pairs, new to old.",
             "", "| load | figure | median | 90 % interval | not slower |", "|---|---|---|---|---|"]
    for what, figure, median, low, high, is_good in rows:
        shown = "| not measured |" if median is None else f"{median:.3f} | {low:.3f} to {high:.3f}"
        lines.append(f"| {what} | {figure} | {shown} | {'yes' if is_good else '**no**'} |")
    text = "\n".join(lines) + "\n"
    print(text)
    os.makedirs(options.out, exist_ok=True)
    with open(f"{options.out}/versions.md", "w", encoding="utf-8") as out:
        out.write(text)
    with open(f"{options.out}/versions.json", "w", encoding="utf-8") as out:
        json.dump({f"{name}/{who}": taken for (name, who), taken in bench.samples.items()}, out, indent=1)
    return 0 if all(row[-1] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
