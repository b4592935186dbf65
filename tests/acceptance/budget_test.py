#!/usr/bin/env python3
"""Tests a budget of one dollar with three gateways behind HAProxy: the spending, the answers to clients, and the next window.

tests/acceptance/budget_test.py BINARY
"""

import http.client
import itertools
import json
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
from acceptance import NANO, PATIENCE_S, Canary, bill_of, find_sdk, key_of, start_fleet, wait_until_spent
from fleet import Caller, Load, run_tests
from servers import wait_until

WINDOW_S = 60  # the shortest window; it begins with each minute
CALLERS, A_SECOND = 12, 15
ROUNDS = 6

BODY = json.dumps({"model": "quick", "messages": [{"role": "user", "content": "hello"}]})

# Waits for a line, then prints how a request of the SDK ends, including the SDK's own retries.
BY_SDK = """
import openai, sys
client = openai.OpenAI(base_url=sys.argv[1], api_key=sys.argv[2])
sys.stdin.readline()
try:
    client.chat.completions.create(model="quick", messages=[{"role": "user", "content": "hello"}])
    print("answered")
except openai.RateLimitError as refused:
    print(refused.status_code, refused.code)
"""


class Budget(unittest.TestCase):
    def test_a_dollar_is_overspent_by_a_seconds_spend_and_what_runs(self):
        """Spends the budget in several rounds, at different moments between the gateways' reads from the store. The budget is
        reset before each round."""
        fleet = start_fleet(self, {"spender": "max_budget: 1"})
        for at in range(ROUNDS):
            with Canary() as canary, Load(fleet.port, key_of("spender"), ["quick"] * CALLERS, pause_s=CALLERS / A_SECOND,
                                          stream_options={"include_usage": True}) as load:
                wait_until("all of it is spent", PATIENCE_S, lambda: is_refused_by_all(load))
                self.assertEqual(load.failures, [])
                self.is_overspent_by_no_more(load, canary)
            wait_until_spent(fleet, "spender", bill_of(load.answers))
            subprocess.run([sys.argv[1], "keys", "reopen-budget", "key", "spender", "--redis", f"redis://127.0.0.1:{fleet.redis_port}"],
                           check=True)
            wait_until("it is open", PATIENCE_S, lambda: all(
                each.metric("photofinish_budget_spend_usd{.*spender") == 0 for each in fleet.gateways))
            time.sleep(at / ROUNDS)

    def test_who_has_spent_it_is_refused_for_good_until_the_next_window_opens(self):
        fleet = start_fleet(self, {"spender": "max_budget: 1, budget_duration: 1m"})
        sdk = self.start_sdk(fleet.gateways[0])
        time.sleep(WINDOW_S - time.time() % WINDOW_S + 2)  # all requests are in the same window
        with Load(fleet.port, key_of("spender"), ["quick"] * CALLERS, pause_s=CALLERS / A_SECOND) as load:
            wait_until("all of it is spent", 40, lambda: is_refused_by_all(load))
        self.assertEqual(load.failures, [])
        self.assertLess(time.time() % WINDOW_S, 50, "the machine is too slow for this window")
        self.is_refused_for_good(fleet)
        if sdk:
            self.sdk_calls_once(fleet, sdk)
        self.next_window_opens(fleet)

    def is_overspent_by_no_more(self, load, canary):
        paid = sorted((each for each in load.answers if each.status == 200), key=lambda each: each.ended)
        total, sums = bill_of(paid), list(itertools.accumulate(bill_of([each]) for each in paid))
        spent_at = paid[next(at for at, so_far in enumerate(sums) if so_far >= NANO)].ended
        late = 0.1 + 5 * canary.worst(spent_at, spent_at + 2)  # allows for a few wake-ups in a row, and for exchanges with the store
        second = max(bill_of(other for other in paid if each.ended <= other.ended < each.ended + 1 + late) for each in paid)
        ran = CALLERS * max(bill_of([each]) for each in paid)
        last = max(each.began for each in paid) - spent_at
        print(f"${total / NANO:.4f} spent; a second's are at most ${second / NANO:.4f}, what runs ${ran / NANO:.4f}; the last was admitted "
              f"{last:.2f} s behind the dollar (at most {1 + late:.2f} s)")
        self.assertLessEqual(total, NANO + second + ran)
        self.assertLess(last, 1 + late, "it is posted within half a second, and read by the others within one more")

    def is_refused_for_good(self, fleet):
        for each in fleet.gateways:
            connection = http.client.HTTPConnection("127.0.0.1", each.port, timeout=PATIENCE_S)
            connection.request("POST", "/v1/chat/completions", BODY, {
                "content-type": "application/json", "authorization": f"Bearer {key_of('spender')}"})
            answer = connection.getresponse()
            error = json.load(answer)["error"]
            self.assertEqual((answer.status, error["code"]), (429, "insufficient_quota"))
            self.assertIn("budget exceeded", error["message"])
            self.assertEqual(answer.getheader("x-should-retry"), "false")
            self.assertLessEqual(float(answer.getheader("x-photofinish-key-budget-reset")), WINDOW_S)
            connection.close()

    def start_sdk(self, gateway):
        """Starts a process that waits for a line. Returns None if the SDK is not installed."""
        python = find_sdk()
        if not python:
            print("skip  acceptance: OpenAI's SDK is not installed (build/clients/python, by tests/clients/run.sh)")
            return None
        sdk = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", python, "-c", BY_SDK, f"http://127.0.0.1:{gateway.port}/v1",
                                key_of("spender")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(sdk.wait)
        self.addCleanup(sdk.kill)
        return sdk

    def sdk_calls_once(self, fleet, sdk):
        before = rejections(fleet)
        said, _ = sdk.communicate("go on\n", PATIENCE_S)
        self.assertLess(time.time() % WINDOW_S, WINDOW_S - 2, "the machine is too slow for this window")
        self.assertEqual(said.strip(), "429 insufficient_quota")
        self.assertEqual(rejections(fleet) - before, 1)
        print("the SDK called once")

    def next_window_opens(self, fleet):
        caller = Caller(fleet.port, key_of("spender"))
        begins = time.time() // WINDOW_S * WINDOW_S + WINDOW_S
        with Canary() as canary:
            refused_at = opened_at = None
            while opened_at is None and time.time() < begins + PATIENCE_S:
                asked = time.time()
                if caller.ask("quick").status == 200:
                    opened_at = asked
                else:
                    refused_at = asked
                time.sleep(0.1)
            late = 20 * canary.worst(time.monotonic() - 5, time.monotonic())
        print(f"refused until {refused_at - begins:+.2f} s, open {opened_at - begins:+.2f} s behind its end")
        self.assertGreaterEqual(opened_at, begins)
        self.assertLess(opened_at, begins + 3 + late)


def is_refused_by_all(load):
    """True if every request of the last two seconds was refused."""
    latest = [each for each in load.answers if each.ended > time.monotonic() - 2]
    return len(latest) > 10 and all(each.status == 429 for each in latest)


def rejections(fleet):
    return sum(each.metric('photofinish_limit_rejections_total{.*kind="budget"') for each in fleet.gateways)


if __name__ == "__main__":
    run_tests()
