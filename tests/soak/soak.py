"""Sends a random mix of requests and faults to the gateway, then checks conditions that must hold after all of them.

Each user repeats scenarios (scenarios.py). At the same time metrics are scraped, the configuration is reloaded, and memory and
descriptors are sampled. For a third of the time, every hostile client and provider of tests/neighbourhood runs.
"""
import argparse
import asyncio
import random
import re
import signal
import statistics
import sys
import tempfile
import time
from pathlib import Path

import apis  # noqa: F401 (adds its scenarios)
import scenarios
from house import OPERATOR_KEY, House, chat, connect, fetch, ids_read, read_head, request_bytes
from pages import Pages

SAMPLE_SECONDS = 5
TRUTH = {"ttft": 0.200, "tok_s": 100.0}  # figures of the provider `truth`, set by its flags
USERS = 24
PAGES = 100  # number of open live pages
QUIET_SECONDS, ATTACK_SECONDS = 40, 20  # seconds of quiet and of hostile times, which alternate
# The gateway's limit of stored receipts. Live pages alone add only 16 receipts per second, so the number would grow slowly during
# the whole run.
RECEIPTS = 10_000
PROVIDER_BEAT = 0.05  # seconds between the tokens of the provider `quick`
SETTLING_SECONDS = 5  # requests that began during an attack have ended after this time
ATTEMPT_TTFT = "photofinish_attempt_ttft_seconds"
DECODE = "photofinish_decode_%s_total"
RELOADED = "photofinish_config_last_reload_successful"


def metric(page, name, **labels):
    """Returns the sum of a metric's samples that have all these labels."""
    total = 0.0
    for found, held, value in re.findall(r"^(\w+)(?:\{(.*)\})? (\S+)$", page, re.MULTILINE):
        if found == name and all(f'{label}="{wanted}"' in held for label, wanted in labels.items()):
            total += float(value)
    return total


class Soak:
    def __init__(self, house, seconds, seed):
        self.house = house
        self.started = self.ends_at = 0.0
        self.seconds = seconds
        self.seed = seed
        self.done = {}  # maps each scenario to its number of runs
        self.wrong = []  # error texts
        self.wrong_ids = []  # ids of requests whose scenario failed
        self.samples = []  # (seconds since the start, RSS in bytes, descriptors)
        self.reloads = 0
        self.attacks = 0
        self.pages = Pages(house.port, OPERATOR_KEY, PAGES, seed)
        self.late = []  # seconds by which sleeps of the length of TRUTH's TTFT were too long
        self.beats = []  # (time, seconds by which a short sleep was too long)
        self.silences = []  # (end, seconds) of pauses of `quick` without a gateway
        self.heard_at = time.monotonic()  # time of the last token from `quick`
        self.truth = {"answers": 0.0, "ttft": 0.0, "tokens": 0.0, "decoding": 0.0}  # sums over the quiet times

    def is_over(self):
        return time.monotonic() >= self.ends_at

    async def user(self, index):
        chance = random.Random(f"{self.seed}/{index}")
        names = list(scenarios.ALL)
        weights = [scenarios.ALL[name].weight for name in names]
        while not self.is_over():
            name = chance.choices(names, weights)[0]
            ids = []
            ids_read.set(ids)
            began = time.monotonic()
            try:
                await asyncio.wait_for(scenarios.ALL[name].run(self.house, chance), timeout=40)
            except Exception as error:  # the run continues, and the report contains the error
                self.wrong.append(f"{name}: {type(error).__name__}: {error}")
                self.wrong_ids += ids
                print(f"{name} went wrong behind {time.monotonic() - self.started:.0f} s; meanwhile sleeps of this "
                      f"process were up to {1000 * longest_since(began, self.beats):.0f} ms late, and quick, asked with no "
                      f"gateway between, silent for up to {1000 * self.longest_silence_since(began):.0f} ms", flush=True)
            self.done[name] = self.done.get(name, 0) + 1
            await asyncio.sleep(chance.uniform(0, 0.05))

    async def fill_receipts(self):
        """Fills the bounded stores before the memory is measured. Each race of a session has a receipt."""
        left = iter(range(RECEIPTS))

        async def races():
            for each in left:
                answer = await scenarios.post(self.house, chat("all", max_tokens=1), [f"x-race-session: s{each % 100}"])
                scenarios.expect(answer.status == 200, f"status {answer.status}: {answer.body[-300:]}")

        await asyncio.gather(*(races() for _ in range(2 * USERS)))

    async def watch(self):
        while not self.is_over():
            self.samples.append((time.monotonic() - self.started, self.house.rss(), self.house.descriptors()))
            try:
                await fetch(self.house.url("/metrics"))
                await fetch(self.house.url("/v1/models"))
            except Exception as error:
                self.wrong.append(f"scrape: {type(error).__name__}: {error}")
            await asyncio.sleep(SAMPLE_SECONDS)

    async def reload(self):
        while not self.is_over():
            await asyncio.sleep(min(20, self.seconds / 4))
            self.reloads += 1
            if self.reloads % 3 == 0:  # a bad file must change nothing
                self.house.write_config("routes: {broken: [", is_good=False)
            else:
                self.house.write_config(self.house.config())
            self.house.gateway.send_signal(signal.SIGHUP)
        self.house.write_config(self.house.config())
        self.house.gateway.send_signal(signal.SIGHUP)

    async def figures(self):
        page = (await fetch(self.house.url("/metrics"))).body
        return {"answers": metric(page, f"{ATTEMPT_TTFT}_count", provider="truth"),
                "ttft": metric(page, f"{ATTEMPT_TTFT}_sum", provider="truth"),
                "tokens": metric(page, DECODE % "tokens", provider="truth", source="usage"),
                "decoding": metric(page, DECODE % "seconds", provider="truth", source="usage")}

    async def rest_beside(self, seconds):
        """Sleeps, and records how late each sleep ends. Other processes lose the same amount of time on this machine."""
        ends_at = time.monotonic() + seconds
        while time.monotonic() < ends_at:
            due = time.monotonic() + TRUTH["ttft"]
            await asyncio.sleep(TRUTH["ttft"])
            self.late.append(time.monotonic() - due)

    async def beat(self):
        """Repeatedly sleeps for a short time, to find the times in which this process did not run."""
        while not self.is_over():
            due = time.monotonic() + 0.1
            await asyncio.sleep(0.1)
            self.beats.append((due, time.monotonic() - due))

    async def listen_to_provider(self):
        """Reads streams of `quick` without a gateway during the whole test. The gateway cannot cause delays of these streams."""
        while not self.is_over():
            try:
                await self.listen_to_stream()
            except Exception as error:
                self.wrong.append(f"quick, with no gateway between: {type(error).__name__}: {error}")
            await asyncio.sleep(PROVIDER_BEAT)

    async def listen_to_stream(self):
        reader, writer = await connect(self.house.urls["quick"])
        try:
            body = chat(f"m;tokens=100000;tps={1 / PROVIDER_BEAT:g}", max_tokens=100000)
            writer.write(request_bytes("POST", scenarios.CHAT, body))
            self.heard_at = time.monotonic()
            status, _ = await read_head(reader)
            scenarios.expect(status == 200, f"status {status}")
            while not self.is_over() and await asyncio.wait_for(reader.read(65536), timeout=40):
                now = time.monotonic()
                self.silences.append((now, now - self.heard_at))
                self.heard_at = now
        finally:
            writer.close()

    def longest_silence_since(self, when):
        """Returns the longest silence of `quick`, including the current silence."""
        return max(longest_since(when, self.silences), time.monotonic() - self.heard_at)

    async def attack(self):
        """Alternates quiet and hostile times. Only quiet times are compared with the simulator's truth."""
        while not self.is_over():
            before = await self.figures()
            await self.rest_beside(min(QUIET_SECONDS, max(0.0, self.ends_at - time.monotonic())))
            after = await self.figures()
            for name in self.truth:
                self.truth[name] += after[name] - before[name]
            if self.is_over():
                return
            self.attacks += 1
            self.house.hostile.say(f"attack {self.house.port} {ATTACK_SECONDS}")
            await asyncio.to_thread(self.house.hostile.line_with, "done", ATTACK_SECONDS + 60, self.attacks)
            await asyncio.sleep(SETTLING_SECONDS)

    async def run(self):
        await self.fill_receipts()
        self.started = time.monotonic()
        self.ends_at = self.started + self.seconds
        await asyncio.gather(self.watch(), self.reload(), self.attack(), self.beat(), self.listen_to_provider(),
                             self.pages.keep_open(self.is_over), *(self.user(index) for index in range(USERS)))

    async def rest(self):
        """Waits until no request is running and the last file was read, for at most 30 s. Returns the metrics page."""
        page = ""
        for _ in range(60):
            page = (await fetch(self.house.url("/metrics"))).body
            running = metric(page, "photofinish_inflight_requests") + metric(page, "photofinish_inflight_attempts")
            if running == 0 and metric(page, RELOADED) == 1:
                break
            await asyncio.sleep(0.5)
        return page


def longest_since(when, times):
    """Returns the longest of the given times that ended after `when`. `times` has pairs (end, seconds)."""
    return max((seconds for ended, seconds in times if ended >= when), default=0.0)


def thirds(samples, column):
    """Returns the first and the last third of the samples after the warm-up, which takes a fifth of the run."""
    kept = [sample[column] for sample in samples[len(samples) // 5:]]
    size = max(1, len(kept) // 3)
    return kept[:size], kept[-size:]


class Report:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, sentence, is_true, detail=""):
        print(f"{'ok  ' if is_true else 'FAIL'}  {sentence}{': ' if detail else ''}{detail}")
        if is_true:
            self.passed += 1
        else:
            self.failed += 1


def attempts_in_log(lines):
    """Returns the number of attempts in the log lines of requests, without attempts that never started."""
    total = 0
    for line in lines:
        listed = re.search(r' attempts="([^"]*)"', line)
        if listed:
            total += sum(1 for each in listed.group(1).split("; ") if " skipped" not in each)
    return total


def judge(soak, page, log, exit_code):
    report = Report()
    requests = sum(soak.done.values())
    report.check("the mix ran", requests > soak.seconds, f"{requests} scenarios in {soak.seconds:.0f} s")
    report.check("every scenario ended as it should", not soak.wrong,
                 f"{len(soak.wrong)} did not" if soak.wrong else "")
    for line in sorted(set(soak.wrong))[:20]:
        print(f"        {soak.wrong.count(line)} x {line}")
    for line in log:
        if any(f" id={each} " in line for each in soak.wrong_ids[:50]):
            print(f"        {line}")
    missing = [name for name in scenarios.ALL if not soak.done.get(name)]
    report.check("every scenario was tried", not missing, ", ".join(missing))

    first, last = thirds(soak.samples, 1)
    growth = statistics.median(last) - statistics.median(first)
    allowed = max(8e6, 0.05 * statistics.median(first))
    report.check("memory is flat", growth <= allowed,
                 f"RSS {statistics.median(first) / 1e6:.1f} MB, then {statistics.median(last) / 1e6:.1f} MB")
    first, last = thirds(soak.samples, 2)
    report.check("descriptors are flat", statistics.median(last) <= 1.2 * statistics.median(first) + 10,
                 f"median {statistics.median(first):.0f}, then {statistics.median(last):.0f}, at most {max(last)}")

    for gauge in ("photofinish_inflight_requests", "photofinish_inflight_attempts"):
        report.check(f"{gauge} is back at zero", metric(page, gauge) == 0, f"{metric(page, gauge):.0f}")
    lines = [line for line in log if " info request " in line]
    left_out = sum(int(found.group(1)) for found in (re.search(r" left_out lines=(\d+)", line) for line in log) if found)
    counted = metric(page, "photofinish_requests_total")
    report.check("every request has its line, or is among those left out", counted == len(lines) + left_out,
                 f"{counted:.0f} counted, {len(lines)} logged, {left_out} left out")
    ended = metric(page, "photofinish_attempts_total") - metric(page, "photofinish_attempts_total", outcome="skipped")
    report.check("every attempt has its end", ended == attempts_in_log(lines),
                 f"{ended:.0f} counted, {attempts_in_log(lines)} logged")

    seen = soak.truth
    late = sum(soak.late) / max(len(soak.late), 1)
    allowed = 0.05 + 2 * late / TRUTH["ttft"]  # the simulator and the gateway are as late as this process
    ttft = seen["ttft"] / max(seen["answers"], 1)
    report.check("TTFT is the simulator's within 5 % and what the machine takes", abs(ttft / TRUTH["ttft"] - 1) <= allowed,
                 f"{ttft * 1000:.2f} ms of {TRUTH['ttft'] * 1000:.0f} over {seen['answers']:.0f} answers, "
                 f"sleeps {late * 1000:.2f} ms late")
    speed = seen["tokens"] / max(seen["decoding"], 1e-9)
    report.check("tok/s is the simulator's within 5 % and what the machine takes",
                 abs(speed / TRUTH["tok_s"] - 1) <= allowed, f"{speed:.2f} of {TRUTH['tok_s']:.0f}")
    pages = soak.pages
    report.check("a hundred live pages saw races", not pages.wrong and len(pages.races) > soak.seconds,
                 f"{pages.asked} feeds, {len(pages.races)} races, the largest feed {pages.largest / 1e6:.2f} MB"
                 + "".join(f"; {pages.wrong.count(each)} x {each}" for each in sorted(set(pages.wrong))[:3]))
    report.check("a feed is bounded", 0 < pages.largest < 2e6, f"{pages.largest}")
    report.check("hostile peers were at work", soak.attacks > 0, f"{soak.attacks} times")
    report.check("reloads were taken", soak.reloads > 0 and metric(page, RELOADED) == 1,
                 f"{soak.reloads}")
    report.check("SIGTERM ended it with 0", exit_code == 0, str(exit_code))
    complaints = [line for line in log if "Sanitizer" in line or "runtime error" in line]
    report.check("no sanitizer complained", not complaints, "; ".join(complaints[:3]))
    return report


async def main():
    options = argparse.ArgumentParser()
    options.add_argument("binary")
    options.add_argument("hostile", help="the program neighbourhood_hostile")
    options.add_argument("--minutes", type=float, default=5)
    options.add_argument("--seed", default=str(time.time_ns() % 1_000_000))
    given = options.parse_args()
    print(f"soak: {given.minutes:g} minutes, seed {given.seed}", flush=True)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, asyncio.current_task().cancel)  # the child processes then also end
    with tempfile.TemporaryDirectory() as folder:
        house = House(given.binary, given.hostile, Path(folder))
        try:
            await house.start()
            soak = Soak(house, given.minutes * 60, given.seed)
            await soak.run()
            page = await soak.rest()
            exit_code = await house.terminate()
            report = judge(soak, page, house.log_lines(), exit_code)
            print(f"quick, asked with no gateway between, was silent for up to {1000 * longest_since(0, soak.silences):.0f} ms "
                  f"between tokens {1000 * PROVIDER_BEAT:.0f} ms apart")
            print("scenarios: " + ", ".join(f"{name} {count}" for name, count in sorted(soak.done.items())))
        finally:
            house.stop()
    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
