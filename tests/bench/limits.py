#!/usr/bin/env python3
"""Measures the cost of keys and limits. One build runs with 200 access keys in ten teams, with every limit on keys, teams and
routes, and with budgets. It is compared with the same build without these settings, which runs twice to show how much two
runs of the same build differ.

Called by run.sh --limits. The limits are so high that no request is refused. Each row has a load and a figure: the ratios of
successive measurements in alternating order, their median, and its 90 % interval by bootstrap."""
import argparse
import json
import os
import statistics
import sys
import tempfile
import time

from compare import Bench, per_request
from servers import Servers, photofinish_config
from versions import interval

KEYS, TEAMS = 200, 10
OPEN, LIMITED, OPEN_AGAIN = "without", "limited", "without_again"
WIDE = {"rpm_limit": 100_000_000, "tpm_limit": 10_000_000_000, "max_parallel_requests": 100_000, "max_budget": 1_000_000}
CPU_LIMIT = 1.03

# Name, description, route, the route's targets, the load generator's options.
LOADS = (
    ("short_1", "short stream, 1 connection", "short", ["p0/n2"], {"seconds": 0.6}),
    ("short_32", "short stream, 32 connections", "short", ["p0/n2"], {"connections": 32, "seconds": 0.8}),
    ("paced", "paced streams: 200 at once, 100 tokens, 5 ms", "paced", ["p0/n100-i5000"],
     {"connections": 200, "seconds": 1.0, "warm_up": 0.6}),
    ("race_3", "race of 3 at 50 connections", "race3", None,
     {"connections": 50, "pause_us": 40000, "seconds": 1.5, "warm_up": 0.5, "races": True}),
    ("prompt_64k", "64 kB prompt, 1 connection", "short", ["p0/n2"], {"prompt_bytes": 65536, "seconds": 0.5}),
)
FIGURES = {"CPU a request": per_request, "TTFT p99": lambda sample: sample["first_p99_us"]}


def configuration(text, has_limits):
    settings = json.loads(text)
    for provider in settings["providers"].values():
        provider["prices"] = {"*": "0.1/0.4"}
    for _, _, route, targets, _ in LOADS:
        if targets:
            settings["routes"][route] = {"targets": targets}
    if has_limits:
        for route in settings["routes"].values():
            route.update(WIDE)
        settings["teams"] = {f"team-{team}": dict(WIDE) for team in range(TEAMS)}
        settings["access_keys"] = [{"name": f"user-{number}", "key": f"bench-key-{number:03}", "team": f"team-{number % TEAMS}",
                                    **WIDE} for number in range(KEYS)]
    return json.dumps(settings)


class OneBuild(Servers):
    def start_proxies(self):
        first = len(self.children)
        self.plain, self.tls = {}, {}
        for name in (OPEN, LIMITED, OPEN_AGAIN):
            self.start_photofinish(name, 1, self.certificate)
        self.proxies = self.children[first:]

    def config_of(self, name, workers, certificate):
        text = photofinish_config(workers, self.provider_ports, self.tls_port, certificate, self.http2_ports)
        return configuration(text, name == LIMITED)


def measure(bench, rounds):
    names = [OPEN, LIMITED, OPEN_AGAIN]
    for turn in range(rounds):
        print(f"round {turn + 1} of {rounds}", file=sys.stderr)
        for name, _, route, _, options in LOADS:
            for who in names[turn % 3:] + names[:turn % 3]:
                keys = {"keys": KEYS} if who == LIMITED else {}
                bench.run_as(name, who, {**options, "model": route, **keys}, bench.servers.plain[who])


def rows_of(bench):
    for name, what, *_ in LOADS:
        for figure, of in FIGURES.items():
            taken = [[of(sample) for sample in bench.samples.get((name, who), [])] for who in (OPEN, LIMITED, OPEN_AGAIN)]
            limited = [mine / base for base, mine, _ in zip(*taken)]
            again = [mine / base for base, _, mine in zip(*taken)]
            yield what, figure, (statistics.median(limited), *interval(limited)), (statistics.median(again), *interval(again))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--photofinish", required=True)
    parser.add_argument("--tools", required=True, help="the folder of bench_provider and bench_load")
    parser.add_argument("--out", required=True, help="the folder for limits.json and limits.md")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="photofinish-bench.") as folder, \
            OneBuild(folder, options.photofinish, options.tools) as servers:
        bench = Bench(servers, options.tools)
        measure(bench, options.rounds)
    load = " ".join(f"{each:.1f}" for each in os.getloadavg())
    lines = [f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} processors, load average {load}, {options.rounds} rounds; "
             f"{KEYS} keys and all limits, to none.", "",
             "| load | figure | with limits | 90 % interval | the same twice | 90 % interval | not dearer |",
             "|---|---|---|---|---|---|---|"]
    is_good = True
    for what, figure, (median, low, high), (again, again_low, again_high) in rows_of(bench):
        # The CPU time must stay below its limit. A tail latency may differ by as much as in two runs of the same build.
        holds = low <= CPU_LIMIT if figure.startswith("CPU") else low <= max(1.0, again_high)
        is_good &= holds
        lines.append(f"| {what} | {figure} | {median:.3f} | {low:.3f} to {high:.3f} | {again:.3f} "
                     f"| {again_low:.3f} to {again_high:.3f} | {'yes' if holds else '**no**'} |")
    text = "\n".join(lines) + "\n"
    print(text)
    os.makedirs(options.out, exist_ok=True)
    with open(f"{options.out}/limits.md", "w", encoding="utf-8") as out:
        out.write(text)
    with open(f"{options.out}/limits.json", "w", encoding="utf-8") as out:
        json.dump({f"{name}/{who}": taken for (name, who), taken in bench.samples.items()}, out, indent=1)
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
