"""Claude Code and Codex CLI over two accounts each: every turn is sent where the provider has the conversation in its cache.

Providers are simulated; they report which part of a prompt they found. Each program shows this as usage.
"""
import json
import os
import random

from agent_programs import AgentPrograms, example
from support import run

TURNS = 25
LEAST_WARM = 0.94


def prompts():
    chance = random.Random(1)
    return [f"Turn {number}: " + " ".join(f"{chance.randrange(16 ** 7):07x}" for _ in range(150)) for number in range(TURNS)]


def warm_share(usages):
    """The share of turns after the first that found at least 80 % of the prompt before. `usages`: (prompt, cached) tokens."""
    warm = [cached >= 0.8 * before for (before, _), (_, cached) in zip(usages, usages[1:])]
    return sum(warm) / len(warm)


def is_object(line):
    return line.startswith("{")


class WarmAgents(AgentPrograms):
    """Each turn is a process of its own that resumes the session."""

    def test_claude_code_finds_its_turns_in_a_cache(self):
        self.set_up_claude(names_models=False)
        usages = []
        for number, prompt in enumerate(prompts()):
            resumed = ["--continue"] if number else []
            said = self.do([os.environ["CLAUDE"], "-p", prompt, "--output-format", "json", *resumed])
            usage = json.loads(said)["usage"]
            cached = usage["cache_read_input_tokens"]
            usages.append((usage["input_tokens"] + cached + usage["cache_creation_input_tokens"], cached))
        self.assertGreaterEqual(warm_share(usages), LEAST_WARM, usages)

    def test_codex_finds_its_turns_in_a_cache(self):
        usages, before = [], (0, 0)
        for number, prompt in enumerate(prompts()):
            resumed = ["resume", "--last"] if number else []
            lines = self.codex(example("codex.toml"), prompt, "--json", *resumed).splitlines()
            [usage] = [event["usage"] for event in map(json.loads, filter(is_object, lines)) if event["type"] == "turn.completed"]
            session = usage["input_tokens"], usage["cached_input_tokens"]  # the sums of all turns
            usages.append((session[0] - before[0], session[1] - before[1]))
            before = session
        self.assertGreaterEqual(warm_share(usages), LEAST_WARM, usages)


if __name__ == "__main__":
    raise SystemExit(run(WarmAgents))
