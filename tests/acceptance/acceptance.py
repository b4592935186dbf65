"""The shared part of the acceptance tests with several gateways: the fleet, a canary, figures, and the content of the store."""

import bisect
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, __file__.rsplit("/", 2)[0] + "/proxies")
from fleet import PATIENCE_S, Fleet
from servers import wait_until

NANO = 1_000_000_000

# USD per million tokens of prompts and of answers; below, the price of one token in nano-dollars.
PRICES = "200/1000"
NANO_A_TOKEN = (200_000, 1_000_000)

CONFIGURATION = """
providers:
MORE_PROVIDERS  sim: {base_url: "{provider}", api_key: none, models: ["*"], prices: {"*": PRICES}}
routes:
  brief: {targets: ["sim/sim-model;tokens=2;tps=0"]}
  quick: {targets: ["sim/sim-model;tokens=8;tps=200"]}
  long: {targets: ["sim/sim-model;tokens=3000;tps=100"]}
"""


def key_of(name):
    return f"acceptance-key-of-{name}"


def start_fleet(test, keys, routes="", providers="", timeout="100ms"):
    """Starts three gateways, which run until the end of the test. `keys` maps the name of each access key to its limits in
    YAML, for example "rpm_limit: 5". `routes` and `providers` are lines for these sections of the configuration."""
    listed = [f"  - {{name: {name}, key: {key_of(name)}{', ' + limits if limits else ''}}}" for name, limits in keys.items()]
    around = CONFIGURATION.replace("PRICES", f'"{PRICES}"').replace("MORE_PROVIDERS", providers)
    rest = "access_keys:\n" + "\n".join(listed) + around + routes.lstrip("\n")
    return test.enterContext(Fleet(sys.argv[1], rest, timeout))


class Canary:
    """Measures how late this machine wakes a process: a separate process sleeps again and again, and records by how much each
    sleep was too long."""

    NAP_S = 0.005

    def __init__(self):
        self._file = tempfile.NamedTemporaryFile("r", prefix="photofinish-canary-")
        code = (f"import time\nwhile True:\n at = time.monotonic(); time.sleep({self.NAP_S}); late = time.monotonic() - at - {self.NAP_S}"
                "\n print(at, late, flush=True)")
        self._process = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", sys.executable, "-c", code],
                                         stdout=open(self._file.name, "w"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()

    def worst(self, since, until):
        """Returns the largest delay within this time, including the sleeps just before and after it."""
        time.sleep(2 * self.NAP_S)
        naps = [tuple(map(float, line.split())) for line in open(self._file.name) if line.endswith("\n")]
        begins = [began for began, _ in naps]
        at = max(0, bisect.bisect(begins, since) - 1)
        return max((late for _, late in naps[at:bisect.bisect(begins, until) + 1]), default=0)


def quantile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)]


def noise_of_difference(these, those, share, rounds=2000, seed=1):
    """Returns by how much this quantile of two such samples differs by chance alone, in all but one of a thousand cases. Both
    samples are joined, and divided at random many times."""
    chance, both = random.Random(seed), these + those
    found = []
    for _ in range(rounds):
        chance.shuffle(both)
        found.append(quantile(both[:len(these)], share) - quantile(both[len(these):], share))
    return quantile(found, 0.999)


def bill_of(answers):
    """Returns the provider's charge for these answers in nano-dollars, by the provider's own count of their tokens."""
    return sum(sum(count * price for count, price in zip(each.usage, NANO_A_TOKEN)) for each in answers)


def spent_in_store(fleet, name):
    """Returns the spending of a key in the store in nano-dollars, over all windows."""
    keys = fleet.redis("--scan", "--pattern", f"pf:spend:*:key:{name}").split()
    return sum(int(fleet.redis("GET", key) or 0) for key in keys)


def wait_until_spent(fleet, name, nano_usd):
    """Waits until the store has exactly this spending. Otherwise fails and names the spending in the store."""
    try:
        wait_until("", PATIENCE_S, lambda: spent_in_store(fleet, name) == nano_usd)
    except AssertionError:
        raise AssertionError(f"{name}: {spent_in_store(fleet, name)} nano-dollars in the store, its bill is {nano_usd}") from None


class Monitor:
    """Records the commands that clients of the store send (MONITOR), one per line. Commands of scripts are left out."""

    def __init__(self, fleet):
        self._path = fleet.house.folder / "monitor.log"
        fleet.house.run("monitor", "redis-cli", "-p", fleet.redis_port, "MONITOR")
        self._fleet = fleet
        fleet.house.wait_for("monitor", lambda: self.lines() is not None and "OK" in self._path.read_text())

    def lines(self):
        return [line for line in self._path.read_text().splitlines() if re.match(r"[\d.]+ \[\d+ (?!lua)", line)]

    def calls(self, part):
        return sum(part in line for line in self.lines())


def find_sdk():
    """Returns a Python that has OpenAI's SDK: this Python, or the Python of the clients' tests. Returns None if neither has the
    SDK."""
    for python in (sys.executable, str(pathlib.Path(__file__).resolve().parents[2] / "build/clients/python/bin/python")):
        if os.path.exists(python) and subprocess.run([python, "-c", "import openai"], capture_output=True).returncode == 0:
            return python
    return None
