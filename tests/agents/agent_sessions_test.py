#!/usr/bin/env python3
"""Plays sessions of agents against the simulated provider itself, and tests which turns its prompt caches serve, in each API.

tests/agents/agent_sessions_test.py BINARY
"""

import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
from agent_sessions import APIS, Sessions, summary, warm_share

BINARY = sys.argv[1]
FAST = ["--ttft", "2ms", "--ttft-sigma", "0", "--stall-share", "0", "--tps", "0", "--tokens", "8"]
SMALL = {"sessions": 3, "turns": 5, "system_tokens": 1500, "turn_tokens": 300, "pause_s": 0}


class Provider:
    """Runs `photofinish sim` with these flags until the end of the test."""

    def __init__(self, test, *flags):
        self._process = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", BINARY, "sim", "--listen", "127.0.0.1:0", *FAST, *flags],
                                         stdout=subprocess.PIPE, text=True)
        test.addCleanup(self._end)
        self.url = self._process.stdout.readline().strip()

    def _end(self):
        self._process.terminate()
        self._process.wait(10)
        self._process.stdout.close()


class AgentSessions(unittest.TestCase):
    def play(self, *flags, **more):
        turns = Sessions(Provider(self, *flags).url, "m", **{**SMALL, **more}).run()
        self.assertEqual(sum(each.is_answered for each in turns), len(turns), summary(turns))
        return turns

    def test_every_turn_but_the_first_is_warm_in_each_api(self):
        for api in APIS:
            with self.subTest(api):
                turns = self.play("--prompt-cache", api=api)
                self.assertEqual(len(turns), 15)
                self.assertEqual(sum(each.may_be_warm for each in turns), 12)
                self.assertEqual(warm_share(turns), 1, summary(turns))
                self.assertEqual({each.cached_tokens for each in turns if each.number == 1}, {0})

    def test_without_caches_no_turn_is_warm(self):
        self.assertEqual(warm_share(self.play()), 0)

    def test_marks_are_needed_where_the_provider_needs_them(self):
        needed = ["--prompt-cache", "--cache-marks", "needed", "--cache-step", "1"]
        self.assertEqual(warm_share(self.play(*needed, api="messages")), 1)
        self.assertEqual(warm_share(self.play(*needed, api="chat")), 0)

    def test_a_hint_finds_the_replica_again(self):
        lottery = ["--prompt-cache", "--cache-replicas", "8", "--cache-hint", "x-session-affinity"]
        self.assertLess(warm_share(self.play(*lottery)), 0.75)
        self.assertEqual(warm_share(self.play(*lottery, headers={"x-session-affinity": "one"})), 1)

    def test_another_key_is_cold(self):
        url = Provider(self, "--prompt-cache").url
        cached = [Sessions(url, "m", sessions=1, turns=1, keys=[key]).run()[0].cached_tokens for key in ("a", "b", "a")]
        self.assertEqual(cached[:2], [0, 0])
        self.assertGreater(cached[2], 4000)

    def test_a_warm_turn_has_its_first_token_earlier(self):
        turns = self.play("--prompt-cache", "--ttft-uncached", "300ms")
        cold = min(each.ttft for each in turns if each.number == 1)
        warm = sorted(each.ttft for each in turns if each.number > 1)
        self.assertGreater(cold, 0.3)  # the provider reads 1,800 tokens in 0.54 s
        self.assertLess(warm[len(warm) // 2], cold)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
