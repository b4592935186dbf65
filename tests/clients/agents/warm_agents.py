"""Plays sessions of Claude Code and Codex CLI with two accounts each. Each turn must go to the account that has the
conversation in its cache.

Providers are simulated. They report which part of a prompt they found in the cache. Each program shows this part as usage.
"""
import json
import os
import random

from agent_programs import AgentPrograms, example
from support import run

SESSIONS, TURNS = 6, 6
LEAST_WARM = 0.9  # an account with few samples gets a turn now and then: up to three of these 30 turns


def prompt(session, turn):
    chance = random.Random(f"{session} {turn}")
    return f"Turn {turn}: " + " ".join(f"{chance.randrange(16 ** 7):07x}" for _ in range(150))


def warm_share(sessions):
    """Returns the share of later turns that found at least 70 % of the previous prompt in the cache. The limit is 70 %, because
    Claude Code moves a part of its first prompt in the second turn. `sessions` has a list of (prompt, cached) tokens for
    each session."""
    warm = [cached >= 0.7 * before for turns in sessions for (before, _), (_, cached) in zip(turns, turns[1:])]
    return sum(warm) / len(warm)


def is_object(line):
    return line.startswith("{")


class WarmAgents(AgentPrograms):
    """Plays the sessions in turn. Each turn is a separate process that resumes its session."""

    def setUp(self):
        super().setUp()
        self._root = self.home.parent

    def open_session(self, session):
        """Gives the programs the folders of this session."""
        self.home, self.work = self._root / f"home{session}", self._root / f"work{session}"
        for folder in (self.home, self.work):
            folder.mkdir(exist_ok=True)

    def play(self, usage_of):
        """Calls usage_of(session, turn), which returns the (prompt, cached) tokens of a turn."""
        sessions = [[] for _ in range(SESSIONS)]
        for turn in range(TURNS):
            for session, turns in enumerate(sessions):
                self.open_session(session)
                turns.append(usage_of(session, turn))
        self.assertGreaterEqual(warm_share(sessions), LEAST_WARM, sessions)

    def test_claude_code_finds_its_turns_in_a_cache(self):
        def usage_of(session, turn):
            if turn == 0:
                self.set_up_claude(names_models=False)
            resumed = ["--continue"] if turn else []
            said = self.do([os.environ["CLAUDE"], "-p", prompt(session, turn), "--output-format", "json", *resumed])
            usage = json.loads(said)["usage"]
            cached = usage["cache_read_input_tokens"]
            return usage["input_tokens"] + cached + usage["cache_creation_input_tokens"], cached

        self.play(usage_of)

    def test_codex_finds_its_turns_in_a_cache(self):
        sums = [(0, 0)] * SESSIONS  # Codex shows the sums of all turns of a session

        def usage_of(session, turn):
            resumed = ["resume", "--last"] if turn else []
            lines = self.codex(example("codex.toml"), prompt(session, turn), "--json", *resumed).splitlines()
            [usage] = [event["usage"] for event in map(json.loads, filter(is_object, lines)) if event["type"] == "turn.completed"]
            before, sums[session] = sums[session], (usage["input_tokens"], usage["cached_input_tokens"])
            return sums[session][0] - before[0], sums[session][1] - before[1]

        self.play(usage_of)


if __name__ == "__main__":
    raise SystemExit(run(WarmAgents))
