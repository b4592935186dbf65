#!/usr/bin/env python3
"""Measures the latency and the CPU time of nginx, HAProxy and photofinish under the same load, in turn, for several rounds.

Called by run.sh. Prints one table, and the targets with their results. Writes both with every figure as JSON."""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

from servers import Servers, get

PROXIES = ("nginx", "haproxy", "photofinish")
EVERY_SERVER = ("direct", *PROXIES)

# Name, description, servers, the load generator's options, and the provider of photofinish if it is not `p0`. `model`
# describes the provider's answers (bench_provider).
PLAIN = (
    ("short_1", "short stream, 1 connection", EVERY_SERVER, {"model": "n2", "seconds": 0.6}),
    ("short_32", "short stream, 32 connections", (*EVERY_SERVER, "photofinish2"),
     {"model": "n2", "connections": 32, "seconds": 0.8}),
    ("paced", "paced streams: 200 at once, 100 tokens, 5 ms", EVERY_SERVER,
     {"model": "n100-i5000", "connections": 200, "seconds": 1.0, "warm_up": 0.6}),
    ("blast", "blasting streams: 500 tokens at once, 8 connections", EVERY_SERVER,
     {"model": "n500", "connections": 8, "seconds": 0.6}),
    ("whole", "not streamed, 20 tokens, 32 connections", EVERY_SERVER,
     {"model": "n20", "connections": 32, "seconds": 0.6, "whole": True}),
    ("whole_upstream", "not streamed upstream (stream: never), 20 tokens, 32 connections", EVERY_SERVER,
     {"model": "n20", "connections": 32, "seconds": 0.6, "whole": True}, "whole"),
    ("whole_upstream_1", "not streamed upstream, 20 tokens, 1 connection", EVERY_SERVER,
     {"model": "n20", "seconds": 0.6, "whole": True}, "whole"),
    ("prompt_64k", "64 kB prompt, 1 connection", EVERY_SERVER, {"model": "n2", "prompt_bytes": 65536, "seconds": 0.5}),
    ("prompt_1m", "1 MB prompt, 1 connection", EVERY_SERVER, {"model": "n2", "prompt_bytes": 1048576, "seconds": 0.5}),
    ("prompt_2m", "2 MB prompt, 1 connection", EVERY_SERVER, {"model": "n2", "prompt_bytes": 2097152, "seconds": 0.8}),
    ("embeddings_2m", "embeddings of 512 texts, 2 MB, 1 connection", EVERY_SERVER,
     {"model": "n8", "prompt_bytes": 2097152, "seconds": 0.8, "embeddings": True}, "embeds"),
)
WHOLE = ("whole", "embeddings")  # loads whose answers have no events
TLS = (
    ("tls_1", "TLS provider: short stream, 1 connection", PROXIES, {"model": "n2", "seconds": 0.5}),
    ("tls_32", "TLS provider: short stream, 32 connections", PROXIES, {"model": "n2", "connections": 32, "seconds": 0.6}),
)
FOR_ONE = {"model": "n2-d20000", "connections": 50, "pause_us": 40000, "seconds": 1.5, "warm_up": 0.5}
RACES = (
    ("for_one", "1 target at 50 connections, 20 ms to its token", EVERY_SERVER, FOR_ONE),
    *((f"race_{count}", f"race of {count} at 50 connections", ("photofinish",),
       {**FOR_ONE, "model": f"race{count}", "races": True}) for count in (2, 3, 5)),
    *((name, what, ("photofinish",), {**FOR_ONE, "model": route, "races": True}) for name, what, route in (
        ("race_3_http2", "race of 3 at 50 connections, HTTP/2", "race3_http2"),
        ("race_3_tls", "race of 3 at 50 connections, TLS", "race3_tls"),
        ("race_3_tls_http2", "race of 3 at 50 connections, TLS, HTTP/2", "race3_tls_http2"))),
    ("race_64k", "race of 3, 64 kB prompt, 8 connections", ("photofinish",),
     {**FOR_ONE, "model": "race3", "races": True, "prompt_bytes": 65536, "connections": 8}),
    ("for_one_64k", "1 target, 64 kB prompt, 8 connections", EVERY_SERVER,
     {**FOR_ONE, "prompt_bytes": 65536, "connections": 8}),
)
# These loads are measured only once, because only their memory use matters.
OPEN = (
    ("open_plain", "4,000 open streams", PROXIES, {"model": "n2-i100000000", "connections": 4000, "hold": True}, "plain"),
    ("open_tls", "4,000 open streams, TLS provider", PROXIES, {"model": "n2-i100000000", "connections": 4000, "hold": True},
     "tls"),
)
# Compares the cost of many streams with the cost of few streams, at the same total rate of events.
STREAMS = (
    ("few_streams", "100 streams of 50 tokens/s", ("nginx", "photofinish"),
     {"model": "n1000-i20000", "connections": 100, "seconds": 2, "hold": True}),
    ("many_streams", "4,000 streams of 1.25 tokens/s", ("nginx", "photofinish"),
     {"model": "n1000-i800000", "connections": 4000, "seconds": 2, "hold": True}),
)


class Bench:
    def __init__(self, servers, tools):
        self.servers, self.tools = servers, tools
        self.samples = {}  # maps (load, server) to a list with one dict per round

    def run(self, name, who, load, where="plain", provider="p0"):
        options = dict(load)
        if who.startswith("photofinish") and not options["model"].startswith("race"):
            options["model"] = ("tls/" if where == "tls" else f"{provider}/") + options["model"]
        self.run_as(name, who, options, (self.servers.tls if where == "tls" else self.servers.plain)[who])

    def run_as(self, name, who, options, port):
        """Runs a load without changing its model."""
        command = [f"{self.tools}/bench_load", "--port", str(port), "--watch", ",".join(map(str, self.servers.pids[who]))]
        for key, value in options.items():
            command += [f"--{key.replace('_', '-')}"] + ([] if value is True else [str(value)])
        warm_before = connections_of(port) if options.get("races") and "keys" not in options else None
        self.servers.provider_statistics()
        done = subprocess.run(command, capture_output=True, text=True, timeout=90, check=False)
        if done.stderr:
            print(f"{name} through {who}: {done.stderr}", file=sys.stderr)
        if done.returncode:
            return  # the table shows the figure as missing
        sample = json.loads(done.stdout)
        sample["provider"] = self.servers.provider_statistics()
        if warm_before:
            warm = connections_of(port)
            taken = {kind: warm[kind] - warm_before[kind] for kind in warm}
            sample["warm_share"] = taken["reused"] / max(1, sum(taken.values()))
            sample["time_wait"] = time_wait_count(self.servers.provider_ports[1:])
        self.samples.setdefault((name, who), []).append(sample)

    def of(self, name, who, figure):
        """Returns the median of a figure over all rounds."""
        taken = [figure(sample) for sample in self.samples.get((name, who), [])]
        return statistics.median(taken) if taken else None


def connections_of(port):
    counts = {"new": 0.0, "reused": 0.0}
    for line in get(port, "/metrics").splitlines():
        if line.startswith("photofinish_upstream_connections_total"):
            kind = "new" if 'kind="new"' in line else "reused"
            counts[kind] += float(line.rsplit(" ", 1)[1])
    return counts


def time_wait_count(ports):
    """Counts closed connections to providers that still occupy their ports. Races must not accumulate such connections."""
    def port_of(address):
        return int(address.split(":")[1], 16)
    with open("/proc/net/tcp", encoding="ascii") as table:
        rows = [line.split() for line in table.readlines()[1:]]
    return sum(row[3] == "06" and bool({port_of(row[1]), port_of(row[2])} & set(ports)) for row in rows)


def per_request(sample):
    return sample["used_us"] / max(1, sample["requests"])


def per_event(sample):
    return sample["used_us"] / max(1, sample["events"])


def rate(sample):
    return sample["requests"] / sample["seconds"]


def measure(bench, rounds, only):
    def wanted(rows):
        return [row for row in rows if not only or row[0] in only]
    for round_number in range(rounds):
        print(f"round {round_number + 1} of {rounds}", file=sys.stderr)
        for name, _, participants, load, *provider in wanted((*PLAIN, *RACES)):
            for who in participants:
                bench.run(name, who, load, "plain", *provider)
        for name, _, participants, load in wanted(TLS):
            for who in participants:
                bench.run(name, who, load, "tls")
    if only:
        return
    print("open streams", file=sys.stderr)
    bench.servers.restart_proxies()
    for name, _, participants, load, where in OPEN:
        for who in participants:
            bench.run(name, who, load, where)
    for round_number in range(rounds):
        print(f"many and few streams, round {round_number + 1} of {rounds}", file=sys.stderr)
        for name, _, participants, load in STREAMS:
            for who in participants:
                bench.run(name, who, load)


def added(bench, name, who, key):
    """Returns the proxy's own share of a figure: the figure with the proxy minus the figure without a proxy."""
    own = bench.of(name, who, lambda sample: sample[key])
    base = bench.of(name, "direct", lambda sample: sample[key])
    return own if own is None or base is None else own - base


def table(bench, only):
    lines = ["| load | through | TTFT added us, p50 | p99 | requests/s | CPU us a request | an event | RSS MB | to nginx: CPU |",
             "|---|---|---|---|---|---|---|---|---|"]
    for name, what, participants, *_ in (*PLAIN, *RACES, *TLS, *OPEN, *STREAMS):
        for who in participants:
            if (name, who) in bench.samples or not only:
                lines.append("| " + " | ".join((what, who, *figures(bench, name, who))) + " |")
    return "\n".join(lines)


def figures(bench, name, who):
    def shown(value, form=".1f"):
        return "" if value is None else format(value, form)
    is_hold = name.startswith(("open", "few", "many"))
    base = bench.of(name, "nginx", per_event if is_hold else per_request)
    own = bench.of(name, who, per_event if is_hold else per_request)
    idle = name.startswith("open")
    return (
        shown(None if is_hold else added(bench, name, who, "added_p50_us")),
        shown(None if is_hold else added(bench, name, who, "added_p99_us")),
        shown(None if is_hold else bench.of(name, who, rate), ",.0f"),
        shown(None if is_hold or who == "direct" else own),
        shown(None if idle or name.startswith(WHOLE) or who == "direct" else bench.of(name, who, per_event), ".2f"),
        shown(None if who == "direct" else bench.of(name, who, lambda sample: sample["resident_kib"] / 1024), ".0f"),
        shown(None if idle or who == "direct" or not base else own / base, ".2f"),
    )


class Verdicts:
    def __init__(self):
        self.rows = []

    def at_most(self, what, figure, limit, unit=""):
        self.add(what, figure, "<=", limit, unit)

    def at_least(self, what, figure, limit, unit=""):
        self.add(what, figure, ">=", limit, unit)

    def add(self, what, figure, sign, limit, unit):
        try:
            value = figure()
        except (TypeError, ZeroDivisionError):  # a value that the figure needs was not measured
            value = None
        is_met = value is not None and (value <= limit if sign == "<=" else value >= limit)
        self.rows.append((what, value, sign, limit, unit, is_met))

    def text(self, only):
        lines = ["| target | measured | wanted | met |", "|---|---|---|---|"]
        for what, value, sign, limit, unit, is_met in self.rows:
            if only and value is None:
                continue
            lines.append(f"| {what} | {'?' if value is None else format(value, '.2f')} {unit} | {sign} {limit:g} {unit} "
                         f"| {'yes' if is_met else '**no**'} |")
        return "\n".join(lines)


def ratio(bench, name, figure, who="photofinish", base="nginx", base_name=None):
    return bench.of(name, who, figure) / bench.of(base_name or name, base, figure)


def judge(bench, start_ms):
    verdicts = Verdicts()
    ours = "photofinish"

    def of(name, key):
        return bench.of(name, ours, lambda sample: sample[key])

    verdicts.at_most("1 connection: added TTFT p50, to nginx", lambda: added(bench, "short_1", ours, "added_p50_us") /
                     added(bench, "short_1", "nginx", "added_p50_us"), 1.2)
    verdicts.at_most("short request: CPU, to nginx", lambda: ratio(bench, "short_32", per_request), 1.2)
    verdicts.at_most("paced event: CPU, to nginx", lambda: ratio(bench, "paced", per_event), 1.1)
    verdicts.at_least("32 connections: requests/s, to nginx", lambda: ratio(bench, "short_32", rate), 0.9)
    verdicts.at_least("not streamed: requests/s, to nginx", lambda: ratio(bench, "whole", rate), 0.5)
    verdicts.at_least("not streamed upstream: requests/s, to nginx", lambda: ratio(bench, "whole_upstream", rate), 0.7)
    verdicts.at_least("not streamed upstream, 1 connection: requests/s, to nginx",
                      lambda: ratio(bench, "whole_upstream_1", rate), 0.7)
    verdicts.at_most("2 MB of texts to embed, by nginx's CPU for them: to a prompt of 2 MB by nginx's for it",
                     lambda: ratio(bench, "embeddings_2m", per_request) / ratio(bench, "prompt_2m", per_request), 1)
    verdicts.at_most("race of 3: TTFT over the winner's own, p50", lambda: of("race_3", "added_p50_us") / 1000, 0.2, "ms")
    verdicts.at_most("race of 3: TTFT over the winner's own, p99", lambda: of("race_3", "added_p99_us") / 1000, 1, "ms")
    verdicts.at_most("race of 3: CPU a request, to nginx's for one",
                     lambda: ratio(bench, "race_3", per_request, base_name="for_one"), 6)
    verdicts.at_most("race of 3 over HTTP/2: CPU a request, to nginx's for one",
                     lambda: ratio(bench, "race_3_http2", per_request, base_name="for_one"), 3.5)
    verdicts.at_most("race of 3: from the win to the losers' close, p99", lambda: bench.of(
        "race_3", ours, lambda sample: sample["provider"]["cancel_p99_us"]) / 1000, 1, "ms")
    verdicts.at_most("race of 3: losers' connections in TIME_WAIT", lambda: of("race_3", "time_wait"), 10)
    verdicts.at_least("race of 3: attempts that began on a warm connection", lambda: of("race_3", "warm_share") * 100, 99,
                      "%")
    verdicts.at_most("race of 3, 64 kB prompt: added TTFT p50", lambda: (of("race_64k", "added_p50_us") - bench.of(
        "for_one_64k", "direct", lambda sample: sample["added_p50_us"])) / 1000, 0.3, "ms")
    for name, what, limit in (("open_plain", "4,000 open streams: RSS", 80),
                              ("open_tls", "4,000 open streams, TLS provider: RSS", 200)):
        verdicts.at_most(what, lambda name=name: of(name, "resident_kib") / 1024, limit, "MB")
    verdicts.at_most("CPU an event, 4,000 streams to 100", lambda: bench.of("many_streams", ours, per_event) /
                     bench.of("few_streams", ours, per_event), 1.2)
    verdicts.at_most("CPU a request, two workers to one",
                     lambda: ratio(bench, "short_32", per_request, who="photofinish2", base=ours), 1.1)
    verdicts.at_most("start to first answer", lambda: start_ms, 100, "ms")
    return verdicts


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rows", default="", help="the names of those loads that are measured, instead of all")
    parser.add_argument("--photofinish", required=True)
    parser.add_argument("--tools", required=True, help="the folder of bench_provider, bench_load, bench_floor")
    parser.add_argument("--out", required=True, help="the folder for bench.json and bench.md")
    options = parser.parse_args()
    only = set(filter(None, options.rows.split(",")))
    if unknown := only - {row[0] for row in (*PLAIN, *RACES, *TLS)}:
        parser.error(f"--rows: {', '.join(sorted(unknown))}: no such load; there are "
                     f"{', '.join(row[0] for row in (*PLAIN, *RACES, *TLS))}")
    with tempfile.TemporaryDirectory(prefix="photofinish-bench.") as folder, \
            Servers(folder, options.photofinish, options.tools) as servers:
        bench = Bench(servers, options.tools)
        start_ms = 1000 * statistics.median(servers.seconds_to_first_answer() for _ in range(options.rounds))
        floor_us = json.loads(subprocess.run([f"{options.tools}/bench_floor"], capture_output=True, text=True, check=True).stdout)
        measure(bench, options.rounds, only)
        verdicts = judge(bench, start_ms)
        load = " ".join(f"{each:.1f}" for each in os.getloadavg())
        head = (f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} processors, load average {load}, "
                f"medians of {options.rounds} rounds.")
        text = "\n".join((head, "", table(bench, only), "", verdicts.text(only), "", floor_line(floor_us), ""))
        print(text)
        write(options.out, text, bench, verdicts, floor_us)
    return 0


def floor_line(floor_us):
    return (f"The floor under a loser over HTTP/1.1, in system calls alone: send, close and reconnect take "
            f"{floor_us['loser_us']:.1f} us of our own CPU.")


def write(folder, text, bench, verdicts, floor_us):
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/bench.md", "w", encoding="utf-8") as out:
        out.write(text)
    with open(f"{folder}/bench.json", "w", encoding="utf-8") as out:
        json.dump({"floor": floor_us,
                   "targets": [dict(zip(("what", "value", "sign", "limit", "unit", "met"), row)) for row in verdicts.rows],
                   "samples": {f"{name}/{who}": taken for (name, who), taken in bench.samples.items()}}, out, indent=1)
    print(f"{folder}/bench.md and bench.json", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
