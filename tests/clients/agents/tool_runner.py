"""Tests Anthropic's tool runner, which uses threads: conversations that the provider keeps. It runs with two accounts, one of which
is killed, and with one account that forgets the thread.

One test kills the provider `account`, so the tests that need this provider come before that test.
"""
import os
import signal
import unittest
import urllib.request

import anthropic

from conversations_support import ANSWER, CITIES, KEY, seen
from support import GATEWAY_URL, run


def forget():
    urllib.request.urlopen(os.environ["ACCOUNT_URL"] + "/forget", timeout=5).close()


def die():
    os.kill(int(os.environ["ACCOUNT_PID"]), signal.SIGKILL)


def threads_of(requests):
    return [(request["body"].get("thread") or {}).get("type") for request in requests]


def lengths_of(requests):
    return [len(request["body"]["messages"]) for request in requests]


class ToolRunner(unittest.TestCase):
    def assert_done(self, text, model, at_first_call=lambda: None):
        """Runs all turns of the script `weather`. `action` runs when the runner first calls its tool."""
        asked = []

        @anthropic.beta_tool
        def get_weather(city: str) -> str:
            """The weather in a city."""
            if not asked:
                at_first_call()
            asked.append(city)
            return "sunny"

        with anthropic.Anthropic(base_url=GATEWAY_URL, api_key=KEY, max_retries=0, timeout=15) as api:
            runner = api.beta.messages.tool_runner(
                model=model, max_tokens=500, tools=[get_weather],
                messages=[{"role": "user", "content": f"script weather, {text}"}],
            )
            last = runner.until_done()
        self.assertEqual(asked, sum(CITIES, []))
        self.assertEqual(last.content[-1].text, ANSWER)

    def test_over_one_account_the_runner_sends_each_message_once(self):
        before = len(seen("", "ACCOUNT_URL"))
        self.assert_done("thread at one account", "one-account")
        turns = seen("", "ACCOUNT_URL")[before:]
        self.assertEqual(threads_of(turns), ["create", "continue", "continue"])
        self.assertEqual(lengths_of(turns), [1, 1, 1])
        self.assertEqual([each["faults"] for each in turns if each["faults"]], [])

    def test_over_one_account_the_runner_heals_a_thread_that_is_gone(self):
        self.assert_done("thread that is gone", "one-account", forget)
        requests = seen("thread that is gone", "ACCOUNT_URL")
        self.assertEqual(threads_of(requests), ["create", "create"])
        self.assertEqual(lengths_of(requests), [1, 3], "the second thread begins with the whole history")

    def test_over_two_accounts_the_runner_sends_whole_histories(self):
        self.assert_done("two accounts live", "two-accounts")
        requests = seen("two accounts live", "ACCOUNT_URL")
        self.assertEqual(threads_of(requests), [None, None, None])
        self.assertEqual(lengths_of(requests), [1, 3, 5])
        self.assertEqual(seen("two accounts live", "NATIVE_URL"), [])

    def test_the_runner_goes_on_at_the_second_account_after_the_first_has_died(self):
        self.assert_done("one account dies", "two-accounts", die)
        served = [each for each in seen("one account dies", "NATIVE_URL") if not each["faults"]]
        self.assertEqual(threads_of(served), [None, None])
        self.assertEqual(lengths_of(served), [3, 5])


if __name__ == "__main__":
    raise SystemExit(run(ToolRunner))
