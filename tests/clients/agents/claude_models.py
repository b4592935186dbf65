"""Tests the names of Claude's models that Claude Code uses: by default, after `/model`, and for sub-agents with a model of their own.

One route has the alias `claude-*`. The settings of deploy/examples/claude-code.json replace these names by the route `fast`.
"""
import json

from agent_programs import AgentPrograms
from conversations_support import seen, seen_natively
from support import requests, run

AGENTS = json.dumps({"painter": {"description": "Paints", "prompt": "You are the painter of doors.", "model": "opus"}})


RESULT = "<result>Hello there!</result>"  # the result of the sub-agent that its caller receives


class ClaudeModels(AgentPrograms):
    def assert_aliased(self, text, count=1):
        """Checks that the target of the aliased route answered this number of requests with this text, and that no model was unknown."""
        served = seen_natively(text)
        self.assertEqual(len(served), count)
        self.assertEqual([each["faults"] for each in served if each["faults"]], [])
        self.assertEqual({each["body"]["model"] for each in served}, {"claude-sonnet-5"})
        self.assertEqual(requests("_none"), 0, "a model had no route")

    def test_an_alias_serves_the_default_model(self):
        self.assertIn("Hello there!", self.claude("script hello, with no model set", names_models=False))
        self.assert_aliased("with no model set")

    def test_an_alias_serves_the_model_of_the_command(self):
        said = self.claude_turns("/model opus", "script hello, after the command", names_models=False)
        self.assertIn('"result":"Hello there!"', said)
        self.assert_aliased("after the command")

    def test_an_alias_serves_a_sub_agent_that_names_its_model(self):
        options = ["--agents", AGENTS, "--allowedTools", "Agent"]
        said = self.claude("script delegate on painter", *options, names_models=False)
        self.assertIn("It is delegated.", said)
        self.assert_aliased("You are the painter of doors.")
        self.assertIn(RESULT, json.dumps(seen_natively("script delegate on painter")[-1]["body"]))

    def test_the_example_serves_the_model_of_the_command(self):
        said = self.claude_turns("/model opus", "script hello, after the command, by the example")
        self.assertIn('"result":"Hello there!"', said)
        self.assertEqual([each["body"]["model"] for each in seen("command, by the example")], ["m"])

    def test_the_example_serves_a_sub_agent_that_names_its_model(self):
        said = self.claude("script delegate on painter", "--agents", AGENTS, "--allowedTools", "Agent")
        self.assertIn("It is delegated.", said)
        self.assertEqual([each["body"]["model"] for each in seen("You are the painter of doors.")], ["m"])
        self.assertIn(RESULT, json.dumps(seen("script delegate on painter")[-1]["body"]))


if __name__ == "__main__":
    raise SystemExit(run(ClaudeModels))
