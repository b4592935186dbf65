"""Makes recordings of troubles: the metrics of several gateways over days, drawn from a seed, as OpenMetrics text.

    tests/monitoring/recordings.py NAME >FILE    NAME: fortnight, quiet_day or bad_day
Three gateways answer routes. Requests arrive at random (Poisson). Their rate depends on the hour of the day.
"""

import bisect
import itertools
import math
import random
import sys

START = 1_790_000_000 // 86400 * 86400  # midnight UTC
MINUTE, HOUR, DAY = 60, 3600, 86400

INSTANCES = ("10.0.0.11:7778", "10.0.0.12:7778", "10.0.0.13:7778")

# Some of the bucket limits in metrics/buckets.hpp: those near the recorded values.
LATE_EDGES = (0.5, 1, 2, 5)  # seconds, for requests
TTFT_EDGES = (0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.75)
SPEED_EDGES = (30, 40, 50, 60, 75, 90, 110, 135)

# Outcomes that a gateway shows from its start.
OUTCOMES = ("ok", "upstream_error", "truncated", "gateway_error")


def number(value):
    return str(int(value)) if value == int(value) else repr(value)


def poisson(chance, mean):
    if mean <= 0:
        return 0
    if mean > 50:
        return max(0, round(chance.gauss(mean, math.sqrt(mean))))
    limit, count, product = math.exp(-mean), 0, chance.random()
    while product > limit:
        count += 1
        product *= chance.random()
    return count


class Series:
    """Counters and gauges by name and labels, whose values change with time, and the lines of every scrape."""

    def __init__(self):
        self._values, self._histograms, self._lines = {}, {}, {}

    def add(self, name, amount=1, **labels):
        key = (name, tuple(labels.items()))
        self._values[key] = self._values.get(key, 0) + amount

    def set(self, name, value, **labels):
        self._values[name, tuple(labels.items())] = value

    def observe(self, name, edges, values, **labels):
        key = (name, edges, tuple(labels.items()))
        counts = self._histograms.setdefault(key, [0] * (len(edges) + 1))
        for value in values:
            counts[bisect.bisect_left(edges, value)] += 1

    def scrape(self, at):
        for key, value in self._values.items():
            self._lines.setdefault(key, []).append((at, value))
        for (name, edges, labels), counts in self._histograms.items():
            sums = list(itertools.accumulate(counts))
            for edge, count in zip((*map(number, edges), "+Inf"), sums):
                self._lines.setdefault((f"{name}_bucket", (*labels, ("le", edge))), []).append((at, count))
            self._lines.setdefault((f"{name}_count", labels), []).append((at, sums[-1]))

    def write(self, out):
        """Writes one series after another, because the format does not allow mixed series."""
        for (name, labels), samples in sorted(self._lines.items()):
            inside = ",".join(f'{key}="{value}"' for key, value in labels)
            out.writelines(f"{name}{{{inside}}} {value:.10g} {at}\n" for at, value in samples)
        out.write("# EOF\n")


class Target:
    """The behaviour of a target at a time: its speed, its time to first token, and the share of attempts that fail."""

    def __init__(self, provider, speed=lambda at: 100, ttft=lambda at: 0.25, failing=lambda at: 0):
        self.provider, self.speed, self.ttft, self.failing = provider, speed, ttft, failing


class Route:
    """`targets` are used in this order (fallback). `per_minute` is the number of requests per minute over all gateways.

    `cut` is the share of answers that end too early at a time."""

    def __init__(self, name, targets, per_minute, cut=lambda at: 0):
        self.name, self.targets, self.per_minute, self.cut = name, targets, per_minute, cut


def at_rest(series, routes, instances):
    for instance in instances:
        series.set("up", 1, job="photofinish", instance=instance)
        series.set("photofinish_config_last_reload_successful", 1, instance=instance)
        series.set("photofinish_store_up", 1, instance=instance)
        series.set("photofinish_limits_degraded", 0, instance=instance)
        series.set("photofinish_store_errors_total", 0, instance=instance, reason="refused")
        for route in routes:
            series.set("photofinish_inflight_requests", 0, instance=instance, route=route.name)
            for outcome in OUTCOMES:
                series.set("photofinish_requests_total", 0, **request_labels(instance, route, outcome))


def request_labels(instance, route, outcome):
    return {"instance": instance, "route": route.name, "endpoint": "chat_completions", "client": "_none",
            "outcome": outcome}


def run_attempts(chance, route, is_cut_off, at, seen):
    """Returns the outcome of one request and the time to its first token. Its attempts are added to `seen`."""
    for target in route.targets:
        if is_cut_off or chance.random() < target.failing(at):
            seen.append((target, "failed", "connect" if is_cut_off else "server_error", None))
            continue
        first = target.ttft(at) * math.exp(chance.gauss(0, 0.25))
        is_cut = chance.random() < route.cut(at)
        seen.append((target, *(("broken", "closed") if is_cut else ("won", "none")), first))
        return ("truncated" if is_cut else "ok"), first
    return "upstream_error", None


def run_requests(series, chance, route, instance, at, count, is_cut_off, with_speeds):
    """Simulates these requests at random, and counts their outcomes."""
    firsts, seen = [], []
    for _ in range(count):
        outcome, first = run_attempts(chance, route, is_cut_off, at, seen)
        series.add("photofinish_requests_total", 1, **request_labels(instance, route, outcome))
        firsts += [first] if first is not None else []
    series.observe("photofinish_request_ttft_seconds", LATE_EDGES, firsts, instance=instance, route=route.name)
    for target, outcome, reason, first in seen:
        labels = {"instance": instance, "provider": target.provider, "model": "m"}
        series.add("photofinish_attempts_total", 1, **labels, outcome=outcome, reason=reason)
        if with_speeds and first is not None:
            speed = target.speed(at) * math.exp(chance.gauss(0, 0.12))
            series.observe("photofinish_attempt_ttft_seconds", TTFT_EDGES, [first], **labels)
            series.observe("photofinish_output_tokens_per_second", SPEED_EDGES, [speed], **labels, source="tokenizer")


def record(routes, seconds, step, seed, instances=INSTANCES, cut_off=lambda at: (), with_speeds=False):
    """`cut_off` has the gateways that reach no provider at a time. The speeds and the first tokens of targets are recorded only
    on request, because they have many series."""
    series, chance = Series(), random.Random(seed)
    at_rest(series, routes, instances)
    for at in range(0, seconds + 1, step):
        for route in routes:
            for instance in instances:
                count = poisson(chance, route.per_minute(at) * step / MINUTE / len(instances))
                run_requests(series, chance, route, instance, at, count, instance in cut_off(at), with_speeds)
        series.scrape(START + at)
    return series


def by_hour(busy, quiet):
    """Returns the requests per minute: few at night, most at three in the afternoon."""
    return lambda at: quiet + (busy - quiet) * max(0, math.sin(math.pi * ((at % DAY) / HOUR - 6) / 18)) ** 2


def within(*spans):
    """Returns True if a time is in one of the spans, each given as (from, to) in seconds."""
    return lambda at: any(begin <= at < end for begin, end in spans)


def is_busy(at):
    return 14 * HOUR <= at % DAY < 15 * HOUR


# In the fortnight, the target `daily` is slow in the busy hour of every day: its speed is 35 % lower, and its first tokens
# arrive 60 % later. On the last day, the target `halved` has half its speed for three hours at another time.
HALVED = (13 * DAY + 9 * HOUR, 13 * DAY + 12 * HOUR)


def fortnight():
    daily = Target("daily", speed=lambda at: 65 if is_busy(at) else 100, ttft=lambda at: 0.4 if is_busy(at) else 0.25)
    halved = Target("halved", speed=lambda at: 50 if within(HALVED)(at) else 100)
    routes = [Route("fast", [daily], lambda at: 12 if is_busy(at) else 4), Route("steady", [halved], lambda at: 4)]
    return record(routes, 14 * DAY, 5 * MINUTE, seed=36, instances=INSTANCES[:1], with_speeds=True)


# On the quiet day, one request in a thousand fails. The first provider is down for a minute at eleven. A rarely used provider
# of one client fails twice in a row at night.
OUTAGE = (11 * HOUR, 11 * HOUR + MINUTE)


def quiet_day():
    first = Target("first", failing=lambda at: 1 if within(OUTAGE)(at) else 0.001)
    second, third = Target("second", failing=lambda at: 0.001), Target("third", failing=lambda at: 0.001)
    routes = [Route("main", [first, second], by_hour(60, 4)), Route("lone", [third], by_hour(20, 1))]
    return record(routes, DAY, 15, seed=37)


# The troubles of the bad day, each on its own route or gateway: (from, to).
BAD_DAY = {
    "half": (1 * HOUR, 1 * HOUR + 13 * MINUTE),
    "dead": (2 * HOUR, 2 * HOUR + 10 * MINUTE),
    "cut": (2 * HOUR + 5 * MINUTE, 2 * HOUR + 15 * MINUTE),
    "late": (3 * HOUR, 3 * HOUR + 20 * MINUTE),
    "gateway": (4 * HOUR, 4 * HOUR + 10 * MINUTE),
    "dying": (3 * HOUR, 3 * HOUR + 30 * MINUTE),
}


def bad_day():
    trouble = {name: within(span) for name, span in BAD_DAY.items()}

    def rate(_):
        return 60

    routes = [
        Route("main", [Target("first"), Target("second")], rate),
        Route("half", [Target("half-only", failing=lambda at: 0.5 if trouble["half"](at) else 0)], rate),
        Route("dead", [Target("dead-only", failing=lambda at: 1 if trouble["dead"](at) else 0)], rate),
        Route("cut", [Target("cut-only")], rate, cut=lambda at: 1 if trouble["cut"](at) else 0),
        Route("late", [Target("late-only", ttft=lambda at: 5 if trouble["late"](at) else 0.25)], rate),
        Route("spared", [Target("dying", failing=lambda at: 1 if trouble["dying"](at) else 0), Target("spare")], rate),
    ]
    return record(routes, 6 * HOUR, 15, seed=38, cut_off=lambda at: INSTANCES[1:2] if trouble["gateway"](at) else ())


RECORDINGS = {"fortnight": fortnight, "quiet_day": quiet_day, "bad_day": bad_day}


if __name__ == "__main__":
    RECORDINGS[sys.argv[1]]().write(sys.stdout)
