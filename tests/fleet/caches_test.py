#!/usr/bin/env python3
"""Tests three gateways that share their knowledge of prompt caches, behind a balancer that does not hash.

    tests/fleet/caches_test.py BINARY
"""

import collections
import pathlib
import random
import sys
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "agents"))
import agent_sessions
from agent_sessions import Sessions, expected_share, summary, warm_share
from stage import WEB_KEY, Stage, run_tests

ROUTES = {"main": ("policy: adaptive", ["first", "second"])}
# The prompts are a tenth as long as an agent's prompts. Therefore each uncached token takes ten times as long as at a real
# provider.
CACHED = ["--prompt-cache", "--ttft", "200ms", "--ttft-uncached", "300ms", "--ttft-cached", "5ms", "--tokens", "8"]
# If a gateway knew only its own turns, it would know a third of all turns. Most turns would then find far less than 70 % of
# their prompt in a cache.
LONG_TURNS = {"turns": 12, "system_tokens": 1000, "turn_tokens": 2000}
LEAST_WARM = 0.85  # usually 0.94 to 0.97; forecasts are worse on a busy machine
SHARED_AFTER_S = 2  # time from a first token until the other gateways know the prefix of its prompt


class Caches(unittest.TestCase):
    def setUp(self):
        self.stage = self.enterContext(Stage(sys.argv[1], ROUTES, with_alerts=False, prepare=self.cache_prompts))

    def cache_prompts(self, stage):
        for provider in ("first", "second"):
            stage.change_provider(provider, *CACHED)

    def play(self, least_pause_s=1.5 * SHARED_AFTER_S, **more):
        base_url = f"https://127.0.0.1:{self.stage.port}/v1"
        turns = Sessions(base_url, "main", keys=[WEB_KEY], pause_s=1, least_pause_s=least_pause_s, **more).run()
        self.assertEqual(sum(each.is_answered for each in turns), len(turns), summary(turns))
        return turns

    def test_a_conversation_stays_warm_whichever_gateway_has_its_turn(self):
        self.play(least_pause_s=0, sessions=12, turns=6, seed=2, system_tokens=1000)  # each forecast needs some samples
        turns = self.play(sessions=6, **LONG_TURNS)
        print(summary(turns), f"expected {expected_share(turns):.3f}")
        gateways = collections.defaultdict(set)
        for each in turns:
            gateways[each.session].add(each.served_by)
        self.assertEqual({len(each) for each in gateways.values()}, {3}, "the balancer kept a session at one gateway")
        self.assertEqual(sum(each.may_be_warm for each in turns), 6 * 11)
        self.assertGreaterEqual(warm_share(turns), LEAST_WARM, summary(turns))
        self.assertGreaterEqual(expected_share(turns), LEAST_WARM, sorted(turns))

    def test_no_text_of_a_prompt_reaches_the_store(self):
        self.stage.house.run("monitor", "redis-cli", "-p", self.stage.redis_port, "MONITOR")
        self.stage.house.wait_for("monitor", lambda: "OK" in self.stage.house.logs["monitor"].read_text())
        turns = self.play(sessions=1, turns=4, system_tokens=2000, turn_tokens=800)
        time.sleep(SHARED_AFTER_S)
        self.assertGreater(turns[-1].expected_tokens, 0)
        calls = self.stage.house.logs["monitor"].read_text(errors="replace")
        self.assertIn("prefix", calls)
        prompt = agent_sessions.words(random.Random("1 0"), 2000).split()  # the text that Sessions writes for session 0 with seed 1
        pairs = [" ".join(each) for each in zip(prompt, prompt[1:])]  # a hash may contain a single word by chance
        self.assertEqual([pair for pair in pairs if pair in calls], [])


if __name__ == "__main__":
    run_tests()
