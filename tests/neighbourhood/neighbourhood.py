#!/usr/bin/env python3
"""Runs a gateway among hostile providers and clients, and measures how this affects well-behaved clients.

neighbourhood.py BINARY TOOLS [--seconds 60] [--only TEXT] [--without-limits]: BINARY is photofinish, and TOOLS is the folder
with neighbourhood_hostile and neighbourhood_residents. First the well-behaved clients (residents) run alone. Then they run for
--seconds together with the hostile clients and providers. A canary runs all the time. It is the same client and provider
without a gateway, and shows for each second how much time the machine itself loses. Ends with `N passed, N failed`.
A nice run gets only the time that other processes leave. The gateway's workers may then wait for a processor. The canary cannot
show this waiting time, because it does not compute. The residents may be late by this waiting time.
--without-limits omits the settings that version 0.1.0 does not support, to show how the version behaves.
"""
import argparse
import collections
import os
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

from processes import CONFIG, FORMS_KEY, HOSTILE, HOSTILE_KEY, HOSTILE_SETTINGS, KEY, VERBOSE_KEY, Gateway, Tool
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "soak"))
from soak import Report, metric  # noqa: E402

MEBIBYTE = 1 << 20
MAX_MEMORY = 256 * MEBIBYTE
RSS_BESIDE = 100 * MEBIBYTE  # code, connections, and memory that the allocator keeps
ALLOWED_MS = 50
CROWDED_RUNNING = 10
NARROW_CONNECTIONS = 3  # connections per worker
USERS = 12
KINDS = ("stream", "raced", "responses", "messages", "probe", "word")
OLD_KINDS = ("stream", "raced", "probe", "word")  # kinds that version 0.1.0 serves
RESIDENTS = USERS * 4 + 3 + 1  # for each of the first two and the probe, for the next two together, 3 with long words, 1 that scrapes
CANARY_USERS = 4
QUIET_SECONDS = 10
RELOAD_SECONDS = 5
GAUGES = ("photofinish_inflight_requests", "photofinish_inflight_attempts")
MEMORY = "photofinish_memory_used_bytes"

Sample = collections.namedtuple("Sample", "kind began ended first total")


def parse(text):
    """Reads the samples, the errors, and the bytes that are kept for answers from the output of a `measure`."""
    lines = text.splitlines()
    samples = [Sample(kind, *map(float, figures)) for kind, *figures in (line.split() for line in lines
                                                                        if not line.startswith(("lost ", "kept ")))]
    kept = sum(int(line.split()[1]) for line in lines if line.startswith("kept "))
    return samples, [line for line in lines if line.startswith("lost ")], kept


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def seconds_of(sample):
    return range(int(sample.began // 1000), int(sample.ended // 1000) + 1)


class Canary:
    """Computes the time that the machine lost in each second: the delay of the canary's slowest answer in that second."""

    def __init__(self, quiet, loud):
        usual = {field: percentile([getattr(each, field) for each in quiet], 0.5) for field in ("first", "total")}
        self.lost = collections.defaultdict(float)
        for sample in loud:
            late = max(getattr(sample, field) - usual[field] for field in usual)
            for second in seconds_of(sample):
                self.lost[second] = max(self.lost[second], late)

    def during(self, sample):
        return max(self.lost[second] for second in seconds_of(sample))


class Watch:
    """Samples memory, connections and unread sockets of the gateway until stopped."""

    def __init__(self, gateway, residents):
        self.gateway, self.residents = gateway, residents
        self.rss, self.shares, self.unread = [], [], []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self):
        for tick in range(1 << 30):
            self.rss.append(self.gateway.rss())
            if tick % 10 == 0:
                connections, unread = self.gateway.connections()
                self.shares.append(1 - self.residents / max(connections, self.residents, 1))
                self.unread.append(unread)
            if self._over.wait(0.1):
                return

    def stop(self):
        self._over.set()
        self._thread.join()


def configure(good, hostile, has_limits):
    def more(name, version):
        return (", http2: on" if version == "http2" else "") + \
               (f", max_running: {CROWDED_RUNNING}" if name == "crowded" and has_limits else "") + \
               (f", max_connections: {NARROW_CONNECTIONS}" if name == "narrow" else "") + \
               (HOSTILE_SETTINGS.get(name, "") if has_limits else "")

    sections = [HOSTILE.format(name=name, port=port, more=more(name, version)) for name, port, version in hostile]
    limits = f"max_memory: {MAX_MEMORY}, " if has_limits else ""
    return CONFIG.format(good=good, key=KEY, hostile_key=HOSTILE_KEY, verbose_key=VERBOSE_KEY, forms_key=FORMS_KEY,
                         hostile="\n".join(sections), limits=limits)


def measure(tools, house, seconds, port, kinds, users):
    return Tool(tools / "neighbourhood_residents", "measure", port, seconds, users, house.key, *kinds)


def reload_until(gateway, until):
    count = 0
    while time.monotonic() + RELOAD_SECONDS < until:
        time.sleep(RELOAD_SECONDS)
        gateway.reload()
        count += 1
    return count


def busiest_workers(before, after):
    """Returns the seconds for which the two busiest threads have computed and have waited for a processor."""
    since = [tuple(now - then for now, then in zip(times, before.get(thread, (0, 0)))) for thread, times in after.items()]
    return sorted(since)[-2:]


def allowed_ms(workers):
    if os.getpriority(os.PRIO_PROCESS, 0) <= 0:
        return ALLOWED_MS
    ran, waited = (sum(figures) for figures in zip(*workers))
    return ALLOWED_MS * (ran + waited) / ran


def judge_latency(report, kinds, quiet, loud, canary, allowed):
    for kind in kinds:
        for field in ("first",) if kind in ("probe", "word") else ("first", "total"):
            before = [getattr(each, field) for each in quiet if each.kind == kind]
            mine = [each for each in loud if each.kind == kind]
            if not before or not mine:
                report.check(f"{kind}: answers came", False, f"{len(before)} alone, {len(mine)} beside the hostile")
                continue
            before = percentile(before, 0.99)
            raw = percentile([getattr(each, field) for each in mine], 0.99)
            own = percentile([getattr(each, field) - canary.during(each) for each in mine], 0.99)
            report.check(f"{kind}: p99 {field} stays within {allowed:.0f} ms", own <= before + allowed,
                         f"{before:.1f} ms alone, then {raw:.1f}, {own:.1f} beyond the canary's, of {len(mine)}")


def holds(page, kept):
    """Returns True if all memory is freed, except items that clients may refer to for an hour. An answer whose client had
    already left may also be kept."""
    return kept <= metric(page, MEMORY) <= 1.01 * kept + 8192


def settle(gateway, kept):
    """Waits until no request is in flight, for at most 30 s, and returns the metrics. Returns an empty text if the gateway does
    not return them."""
    page = ""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        try:
            page = gateway.metrics()
        except OSError:
            continue
        if all(metric(page, gauge) == 0 for gauge in GAUGES) and holds(page, kept):
            break
        time.sleep(0.5)
    return page


def run(options, folder):
    tools = Path(options.tools)
    report = Report()
    kinds = OLD_KINDS if options.without_limits else KINDS
    with Tool(tools / "neighbourhood_residents", "provide", has_input=True) as good, \
         Tool(tools / "neighbourhood_hostile", has_input=True, nice=5) as hostile:
        good_port = int(good.line_with("port ").split()[1])
        hostile.line_with("ready")
        config = configure(good_port, hostile.words_behind("provider "), not options.without_limits)
        with Gateway(options.binary, folder, config) as gateway:
            alone = measure(tools, gateway, QUIET_SECONDS, gateway.port, kinds, USERS)
            canary_alone = measure(tools, gateway, QUIET_SECONDS, good_port, ["stream"], CANARY_USERS)
            quiet, lost, kept_alone = parse(alone.output())
            quiet_canary, *_ = parse(canary_alone.output())
            report.check("alone, every answer came", not lost and quiet, "; ".join(lost[:3]))

            ends_at = time.monotonic() + options.seconds
            hostile.say(f"attack {gateway.port} {options.seconds} {options.only}")
            time.sleep(1)
            before = gateway.thread_seconds()
            loud_run = measure(tools, gateway, options.seconds - 2, gateway.port, kinds, USERS)
            canary_run = measure(tools, gateway, options.seconds - 2, good_port, ["stream"], CANARY_USERS)
            watch = Watch(gateway, RESIDENTS)
            reloads = reload_until(gateway, ends_at)
            loud, lost, kept_beside = parse(loud_run.output())
            loud_canary, *_ = parse(canary_run.output())
            watch.stop()
            workers = busiest_workers(before, gateway.thread_seconds())
            hostile.line_with("done", seconds=60)

            report.check("beside the hostile, every answer came whole", not lost, f"{len(lost)}: {lost[:3]}" if lost else
                         f"{len(loud)}")
            judge_latency(report, kinds, quiet, loud, Canary(quiet_canary, loud_canary), allowed_ms(workers))
            report.check("memory is bounded", max(watch.rss) <= MAX_MEMORY + RSS_BESIDE,
                         f"RSS at most {max(watch.rss) / MEBIBYTE:.0f} MiB of {(MAX_MEMORY + RSS_BESIDE) / MEBIBYTE:.0f}")
            report.check("hostile peers held 30 % of the connections", percentile(watch.shares, 0.5) >= 0.3,
                         f"median {percentile(watch.shares, 0.5):.0%}")
            report.check("sockets lay unread all the time", percentile(watch.unread, 0.1) > 0,
                         f"median {percentile(watch.unread, 0.5)}")
            report.check("both workers were kept busy", min(ran for ran, _ in workers) > 0.05 * options.seconds,
                         " and ".join(f"{ran:.1f} s, {waited:.1f} s waiting for a processor" for ran, waited in workers))
            report.check("it reloaded meanwhile", reloads > 0, str(reloads))
            for kind, count in sorted((line.split(": ", 1)[1], int(line.split()[1].rstrip(":")))
                                      for line in hostile.lines_with("did ")):
                report.check(f"a client that {kind}", count > 0, str(count))
            wrong = hostile.lines_with("wrong ")
            report.check("hostile clients got what they may expect, too", not wrong, "; ".join(wrong))
            kept = kept_alone + kept_beside
            page = settle(gateway, kept)
            report.check("the metrics can be had afterwards", bool(page))
            for gauge in GAUGES:
                report.check(f"{gauge} is back at zero", metric(page, gauge) == 0, f"{metric(page, gauge):.0f}")
            report.check("memory holds what is kept of responses, and nothing else", holds(page, kept),
                         f"{metric(page, MEMORY):.0f} bytes, {kept} of them kept")
            report.check("SIGTERM ended it with 0", gateway.terminate() == 0)
    return report


def main():
    options = argparse.ArgumentParser()
    options.add_argument("binary")
    options.add_argument("tools")
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--only", default="", help="kinds of hostile clients whose names hold this text")
    options.add_argument("--without-limits", action="store_true")
    given = options.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # ends all processes if ctest stops the test at its time limit
    with tempfile.TemporaryDirectory() as folder:
        report = run(given, Path(folder))
    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
