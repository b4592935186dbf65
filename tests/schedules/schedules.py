#!/usr/bin/env python3
"""Runs the binary with three simulated providers that slow down, hang, fail, limit requests and become slower under load, on a
schedule. Checks which attempts started, when, and why.

schedules.py BINARY [--only TEXT]: BINARY is photofinish, which also simulates the providers. The scenarios run at the same
time, each with its own gateway and three providers, for about six minutes. The scenarios are judged by the receipts of races,
and by comparing median times to first token with a canary: the same request in the same seconds, sent without a gateway to the
provider that should answer.
Ends with `N passed, N failed`.
"""
import argparse
import bisect
import concurrent.futures
import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "soak"))
from soak import Report  # noqa: E402

SLACK_SECONDS = 0.05     # added to a median: the delay by two more processes on a busy machine
SLACK_SHARE = 0.25       # share of a median: chance decides which of two similar providers is used
LEFT_SECONDS, LEFT_REQUESTS = 12, 40
BACK_SECONDS, BACK_REQUESTS = 90, 300
RECENT = 10              # number of requests over which the first choices are judged
MOST_EXTRA_COST = 0.11   # for the whole run: max_extra_cost is 0.10, and 1.10 times this is permitted
MOST_LIVE = 64           # the largest number of concurrent requests of a scenario


class Request:
    """One request as its client saw it."""

    def __init__(self, at):
        self.at, self.first, self.whole, self.status, self.race = at, None, None, 0, None
        self.receipt = None
        self.kind = ""


def ask(port, at, model, max_tokens=None, kind=""):
    """Sends one streamed chat request. If it fails, the status is 0."""
    made = Request(at)
    made.kind = kind
    body = {"model": model, "stream": True, "messages": [{"role": "user", "content": "Say something."}]}
    if max_tokens:
        body["max_tokens"] = max_tokens
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        start = time.monotonic()
        connection.request("POST", "/v1/chat/completions", json.dumps(body), {"content-type": "application/json"})
        answer = connection.getresponse()
        made.status, made.race = answer.status, answer.getheader("x-race-id")
        for line in answer:
            if line.startswith(b"data: {") and b'"content":"' in line and made.first is None:
                made.first = time.monotonic() - start
        made.whole = time.monotonic() - start
    except OSError:
        made.status = 0
    finally:
        connection.close()
    return made


class Providers:
    """Three simulated providers, and a gateway that races them."""

    def __init__(self, binary, folder, scenario):
        self.processes, self.ports = [], []
        folder.mkdir()
        for seed, flags in enumerate(scenario.providers, 1):
            process = subprocess.Popen([binary, "sim", "--listen", "127.0.0.1:0", "--seed", str(seed), *flags],
                                       stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
            self.processes.append(process)
            self.ports.append(int(process.stdout.readline().split(":")[2].split("/")[0]))
        self.begun = time.monotonic()
        names = "abc"[:len(self.ports)]
        config = "listen: 127.0.0.1:0\nstate_dir: none\nworkers: 1\nproviders:\n" + "".join(
            f"  {name}: {{base_url: 'http://127.0.0.1:{port}/v1', api_key: none, cancel_billing: stops}}\n"
            for name, port in zip(names, self.ports))
        config += "routes:\n  r:\n    targets: [" + ", ".join(f"{name}/m" for name in names) + "]\n"
        config += f"    race: {{policy: adaptive, sort: {scenario.sort}, max_extra_cost: 0.10}}\n"
        (folder / "photofinish.yaml").write_text(config)
        log = folder / "log"
        environment = {name: value for name, value in os.environ.items() if not name.endswith("_KEY")}
        with open(log, "wb") as into:
            self.processes.append(subprocess.Popen([binary, "serve", "--config", str(folder / "photofinish.yaml")], stdout=into,
                                                   stderr=into, stdin=subprocess.DEVNULL,
                                                   env={**environment, "HOME": str(folder)}))
        self.port = self._port(log)

    def _port(self, log):
        for _ in range(400):
            for line in log.read_text(errors="replace").splitlines():
                if "listening on http://127.0.0.1:" in line:
                    return int(line.split("http://127.0.0.1:")[1].split()[0].split("/")[0])
            time.sleep(0.05)
        raise RuntimeError("the gateway does not listen: " + log.read_text(errors="replace"))

    def receipt(self, race):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("GET", f"/v1/races/{race}")
            answer = connection.getresponse()
            return json.loads(answer.read()) if answer.status == 200 else None
        finally:
            connection.close()

    def end(self):
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.wait()


class Scenario:
    """`providers` has the flags of each provider, in the order a, b, c. `canary(second)` returns the index of the provider that
    should answer in this second."""

    def __init__(self, name, seconds, providers, judge, sort="ttft", rate=4.0, canary=lambda _: None, asks=None):
        self.name, self.seconds, self.providers, self.judge = name, seconds, providers, judge
        self.sort, self.rate, self.canary = sort, rate, canary
        self.asks = asks or (lambda number: {})  # maps the number of a request to its max_tokens and kind
        self.requests, self.canaries = [], []

    def run(self, binary, folder):
        providers = Providers(binary, folder / self.name, self)
        try:
            with concurrent.futures.ThreadPoolExecutor(MOST_LIVE) as pool:
                canary = threading.Thread(target=self._watch, args=(providers,))
                canary.start()
                running = []
                for number in range(int(self.seconds * self.rate)):
                    due = providers.begun + number / self.rate
                    time.sleep(max(0.0, due - time.monotonic()))
                    running.append(pool.submit(ask, providers.port, time.monotonic() - providers.begun, "r",
                                               **self.asks(number)))
                self.requests = [each.result() for each in running]
                canary.join()
            time.sleep(1)  # waits for the last receipts
            for each in self.requests:
                if each.race:
                    each.receipt = providers.receipt(each.race)
        finally:
            providers.end()

    def _watch(self, providers):
        """Sends one request after another, at most one per second, to the provider that should answer in this second."""
        for second in range(int(self.seconds)):
            late = time.monotonic() - providers.begun - second
            if late >= 1:
                continue  # the previous answer took longer than a second
            time.sleep(max(0.0, -late))
            which = self.canary(second)
            if which is not None:
                self.canaries.append(ask(providers.ports[which], second, "m", **self.asks(second)))

    # The following methods are for the judges.
    def between(self, begin, end):
        return [each for each in self.requests if begin <= each.at < end]

    def first_choices(self, begin, end):
        return [first_of(each) for each in self.between(begin, end) if each.receipt]

    def median(self, begin, end, what="first"):
        seen = [getattr(each, what) for each in self.between(begin, end) if getattr(each, what)]
        return statistics.median(seen) if seen else float("inf")

    def canary_median(self, begin, end, what="first"):
        seen = [getattr(each, what) for each in self.canaries if begin <= each.at < end and getattr(each, what)]
        return statistics.median(seen) if seen else 0.0


def first_of(request):
    """Returns the provider with which the race of this request began, ignoring trials."""
    for attempt in request.receipt["attempts"]:
        if attempt["why"] == "first":
            return attempt["target"].split("/")[0]
    return None


def share(choices, name):
    return choices.count(name) / len(choices) if choices else 0.0


def turned(scenario, since, holds):
    """Returns the seconds and the number of requests from `since` until `holds` is true for the last RECENT first choices.
    Returns None if this never happens."""
    asked = [each for each in scenario.requests if each.receipt and each.at >= since]
    for index in range(RECENT, len(asked) + 1):
        if holds([first_of(each) for each in asked[index - RECENT:index]]):
            return asked[index - 1].at - since, index
    return None


def judge_every_start(report, scenario):
    """Checks that each attempt of each race began at the time that its reason requires, and that no request failed."""
    wrong = []
    seen = {}
    for request in scenario.requests:
        page = request.receipt
        if not page:
            continue
        attempts = page["attempts"]
        hedge = page.get("choice", {}).get("hedge", {}).get("after_seconds", 0)
        rescue = page.get("choice", {}).get("rescue", {}).get("after_seconds", 0)
        for index, attempt in enumerate(attempts):
            why, started = attempt["why"], attempt["started_seconds"]
            seen[why] = seen.get(why, 0) + 1
            is_right = {"first": started < 0.05, "trial": started < 0.05,
                        "hedge": "hedge" in page.get("choice", {}) and started >= 0.99 * hedge,
                        "rescue": started >= 0.99 * rescue,
                        "failure": any(other.get("failure") and abs(other["ended_seconds"] - started) < 0.1
                                       for other in attempts[:index])}.get(why, False)
            if not is_right:
                wrong.append(f"{page['id']}: {why} after {started} s")
    report.check(f"{scenario.name}: every attempt started when its reason says", seen and not wrong,
                 f"{seen}" + (f"; {len(wrong)} did not: {wrong[:3]}" if wrong else ""))
    known = [each for each in scenario.requests if each.race]
    missing = [each for each in known if not each.receipt]
    report.check(f"{scenario.name}: every race left its receipt", known and not missing, f"{len(known)}, {len(missing)} missing")


def judge_cost(report, scenario):
    spent, won = 0.0, 0.0
    for request in scenario.requests:
        cost = (request.receipt or {}).get("choice", {}).get("cost", {})
        won += cost.get("winner", 0)
        spent += cost.get("hedge", 0) + cost.get("trial", 0)
    report.check(f"{scenario.name}: hedges and trials stay within their share", won > 0 and spent <= MOST_EXTRA_COST * won,
                 f"{100 * spent / won if won else 0:.1f} %")


def judge_answers(report, scenario, allowed=0):
    failed = [each for each in scenario.requests if each.status != 200 or each.first is None]
    report.check(f"{scenario.name}: every request was answered", len(failed) <= allowed,
                 f"{len(scenario.requests)}, {len(failed)} not")


def judge_median(report, scenario, begin, end, what="first"):
    own, canary = scenario.median(begin, end, what), scenario.canary_median(begin, end, what)
    report.check(f"{scenario.name}: the median from {begin} s to {end} s is the canary's",
                 canary > 0 and own <= canary * (1 + SLACK_SHARE) + SLACK_SECONDS,
                 f"{1000 * own:.0f} ms, canary {1000 * canary:.0f} ms")


def judge_change(begin, end):
    """The usual first choice is bad from `begin` to `end`. The gateway must stop using it, and must use it again afterwards."""
    def judge(report, scenario):
        before = scenario.first_choices(begin - 45, begin)
        report.check(f"{scenario.name}: the best one is first before it changes", share(before, "a") > 0.7,
                     f"{100 * share(before, 'a'):.0f} % of {len(before)}")
        left = turned(scenario, begin, lambda recent: share(recent, "a") < 0.2)
        report.check(f"{scenario.name}: it is left in {LEFT_SECONDS} s and {LEFT_REQUESTS} requests",
                     left and left[0] <= LEFT_SECONDS and left[1] <= LEFT_REQUESTS, f"{left}")
        back = turned(scenario, end, lambda recent: share(recent, "a") >= 0.5)
        report.check(f"{scenario.name}: it is back in {BACK_SECONDS} s and {BACK_REQUESTS} requests",
                     back and back[0] <= BACK_SECONDS and back[1] <= BACK_REQUESTS, f"{back}")
        judge_median(report, scenario, begin - 45, begin)
        judge_median(report, scenario, begin + LEFT_SECONDS, end)
    return judge


def judge_limit(report, scenario):
    """Within its limit, the fastest provider answers. After a 429, the gateway must not use this provider until the time in the
    429 has passed."""
    refused = [(request.at + attempt["started_seconds"], request) for request in scenario.requests if request.receipt
               for attempt in request.receipt["attempts"] if attempt.get("failure") == "rate_limited"]
    report.check(f"{scenario.name}: the limit was met", bool(refused), f"{len(refused)} refusals")
    report.check(f"{scenario.name}: few requests meet it", len(refused) <= 0.05 * len(scenario.requests),
                 f"{len(refused)} of {len(scenario.requests)}")
    after = [request for _, request in refused]
    report.check(f"{scenario.name}: behind a refusal the next one starts at once",
                 all(any(each["why"] == "failure" for each in request.receipt["attempts"]) or request.receipt["winner"]
                     for request in after), "")
    asked = sorted(request.at for request in scenario.requests if request.receipt and first_of(request) == "a")
    used = [bisect.bisect(asked, at + 60) - bisect.bisect_left(asked, at) for at in asked if at > 60]
    report.check(f"{scenario.name}: what the quick one takes is used", bool(used) and max(used) >= 45, f"{max(used, default=0)}")


def judge_load(report, scenario):
    """The fastest provider becomes slower under load. Not all requests may go there, and answers must end sooner than if all
    requests went there."""
    choices = scenario.first_choices(90, scenario.seconds)
    crowd = share(choices, "a")
    report.check(f"{scenario.name}: the load is shared", 0.1 < crowd < 0.9, f"a first in {100 * crowd:.0f} % of {len(choices)}")
    expected = [(request.receipt["choice"], request.receipt["candidates"]) for request in scenario.between(90, scenario.seconds)
                if request.receipt and request.receipt.get("choice")]
    right = 0
    for choice, candidates in expected:
        finish = {each["target"]: each["finish_seconds"] for each in candidates if each["state"] == "ready"}
        right += finish[choice["order"][0]] <= 1.3 * min(finish.values())
    report.check(f"{scenario.name}: who starts is among those that are predicted to finish first", right >= 0.9 * len(expected) > 0,
                 f"{right} of {len(expected)}")
    judge_median(report, scenario, 90, scenario.seconds, "whole")


def judge_lengths(report, scenario):
    """Different providers finish first for short answers and for long answers."""
    asked = [each for each in scenario.between(120, scenario.seconds) if each.receipt]
    for kind, name in (("short", "a"), ("long", "b")):
        choices = [first_of(each) for each in asked if each.kind == kind]
        report.check(f"{scenario.name}: {kind} answers begin with {name}", share(choices, name) > 0.75,
                     f"{100 * share(choices, name):.0f} % of {len(choices)}")


USUAL = {"--ttft-sigma": "0.3", "--stall-share": "0.02", "--tokens": "16", "--tps": "200"}


def provider(ttft, *more):
    """Returns the flags of a provider. Flags in `more` replace the usual flags."""
    usual = [word for flag, value in USUAL.items() if flag not in more for word in (flag, value)]
    return ["--ttft", ttft, *usual, *more]


def good_one(begin, end):
    return lambda second: 1 if begin <= second < end else 0


def scenarios():
    change = lambda settings: ["--phase", "90s-210s;" + settings]  # noqa: E731
    outage = lambda settings: ["--phase", "90s-150s;" + settings]  # noqa: E731
    b, c = provider("320ms"), provider("450ms")
    yield Scenario("slow", 320, [provider("220ms", *change("slow=3")), b, c], judge_change(90, 210), canary=good_one(90, 210))
    yield Scenario("hang", 260, [provider("220ms", *outage("hang")), b, c], judge_change(90, 150), canary=good_one(90, 150))
    yield Scenario("errors", 260, [provider("220ms", *outage("status=500;status_after=20ms")), b, c], judge_change(90, 150),
                   canary=good_one(90, 150))
    yield Scenario("limit", 240, [provider("200ms", "--rpm-limit", "60"), b, c], judge_limit)
    yield Scenario("load", 240, [provider("200ms", "--tps", "150", "--tokens", "150", "--load-share", "0.25"),
                                 provider("250ms", "--tps", "80", "--tokens", "150", "--load-share", "0.05"),
                                 provider("450ms", "--tps", "40", "--tokens", "150")],
                   judge_load, sort="finish", canary=lambda _: 1)
    yield Scenario("lengths", 300, [["--ttft", "150ms", "--stall-share", "0", "--tps", "80", "--tokens", "900"],
                                    ["--ttft", "500ms", "--stall-share", "0", "--tps", "200", "--tokens", "900"],
                                    ["--ttft", "900ms", "--stall-share", "0", "--tps", "60", "--tokens", "900"]],
                   judge_lengths, sort="finish", rate=2,
                   asks=lambda number: {"max_tokens": 900 if number % 4 == 0 else 25,
                                        "kind": "long" if number % 4 == 0 else "short"})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--only", default="", help="the scenarios whose name has this text")
    given = parser.parse_args()
    wanted = [each for each in scenarios() if given.only in each.name]
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        threads = [threading.Thread(target=each.run, args=(os.path.abspath(given.binary), Path(folder))) for each in wanted]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for each in wanted:
        judge_answers(report, each)
        judge_every_start(report, each)
        judge_cost(report, each)
        each.judge(report, each)
    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed or not report.passed else 0


if __name__ == "__main__":
    sys.exit(main())
