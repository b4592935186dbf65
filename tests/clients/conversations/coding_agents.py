"""Tests Codex CLI and Claude Code with a task of four turns and three racing providers."""
import json

from agent_programs import PAINTED, AgentPrograms, example
from conversations_support import KEY, assert_raced, at, get, last_request, seen_natively
from support import run


class CodingAgents(AgentPrograms):
    def test_codex_changes_a_file_in_four_turns(self):
        said = self.codex(example("codex.toml"), f"Paint it by script paint on {self.door}")
        self.assertEqual(self.door.read_text(), PAINTED)
        self.assertIn("The door is painted green.", said)
        assert_raced(self, str(self.door), 4)

    def test_codex_sends_back_what_it_thought_and_saw(self):
        self.codex(example("codex.toml"), f"Paint it by script paint on {self.door}")
        messages = last_request(str(self.door))["messages"]
        self.assertEqual([each["role"] for each in messages],
                         ["system", "user", *["assistant", "tool"] * 3, "tool"])
        spoken = [(each["reasoning_content"], each["content"]) for each in messages if each["role"] == "assistant"]
        self.assertEqual(spoken, [(f"Step {step}.", f"Step {step} of the work.") for step in range(3)])
        self.assertIn("The door is red.", messages[3]["content"])
        self.assertIn("The door is green.", messages[-1]["content"])

    # If a command prints its key, Codex requests the list of models.
    def test_codex_takes_the_list_of_models(self):
        auth = f'[model_providers.photofinish.auth]\ncommand = "echo"\nargs = ["{KEY}"]\n'
        config = example("codex.toml").replace('env_key = "PHOTOFINISH_KEY"\n', "") + auth
        said = self.codex(config, f"Paint it by script paint on {self.door}")
        self.assertEqual(self.door.read_text(), PAINTED)
        self.assertNotIn("Model metadata", said)
        cached = json.loads((self.home / "models_cache.json").read_text())
        self.assertIn("fast", [model["slug"] for model in cached["models"]])

    # Codex's patch tool takes free text, but chat has only functions. Codex offers it to models whose entry says so.
    def test_codex_changes_a_file_by_its_patch_tool(self):
        models = get("/v1/models?client_version=1")["models"]
        catalog = self.home / "models.json"
        catalog.write_text(json.dumps({"models": [{**each, "apply_patch_tool_type": "freeform"} for each in models]}))
        config = f'model_catalog_json = "{catalog}"\n' + example("codex.toml")
        self.codex(config, f"Paint it by script paint on {self.door}")
        self.assertEqual(self.door.read_text(), PAINTED)
        assert_raced(self, str(self.door), 4)
        calls = [call["function"] for each in last_request(str(self.door))["messages"] if each["role"] == "assistant"
                 for call in each["tool_calls"]]
        self.assertEqual([call["name"] for call in calls], ["exec_command", "apply_patch", "exec_command"])
        self.assertTrue(json.loads(calls[1]["arguments"])["input"].startswith("*** Begin Patch"))

    def test_codex_repeats_answers_that_broke_off(self):
        config = example("codex.toml").replace('model = "fast"', 'model = "cut/m"')
        said = self.codex(config, f"Paint it by script paint on {self.door}")
        self.assertEqual(self.door.read_text(), PAINTED)
        self.assertIn("The door is painted green.", said)
        self.assertEqual(len(at("cut", str(self.door))), 8)

    # Codex offers OpenAI's own search next to its tools. Providers of chat do not have it.
    def test_codex_works_without_the_search_that_it_offers(self):
        config = example("codex.toml").replace('web_search = "disabled"\n', "")
        self.codex(config, f"Paint it by script paint on {self.door}")
        self.assertEqual(self.door.read_text(), PAINTED)
        offered = [tool["function"]["name"] for tool in last_request(str(self.door))["tools"]]
        self.assertIn("exec_command", offered)
        self.assertEqual([name for name in offered if "search" in name], [])

    def test_claude_code_changes_a_file_in_four_turns(self):
        said = self.claude(f"Paint it by script paint on {self.door}", "--allowedTools", "Read,Edit")
        self.assertEqual(self.door.read_text(), PAINTED)
        self.assertIn("The door is painted green.", said)
        assert_raced(self, f"by script paint on {self.door}", 4)

    def test_claude_code_repeats_answers_that_broke_off(self):
        said = self.claude(f"Paint it by script paint on {self.door}", "--allowedTools", "Read,Edit",
                           "--model", "cut/m")
        self.assertEqual(self.door.read_text(), PAINTED)
        self.assertIn("The door is painted green.", said)
        self.assertEqual(len(at("cut", f"by script paint on {self.door}")), 8)

    def test_claude_code_sends_back_what_it_thought_and_saw(self):
        self.claude(f"Paint it by script paint on {self.door}", "--allowedTools", "Read,Edit")
        messages = last_request(f"by script paint on {self.door}")["messages"]
        self.assertNotIn("x-anthropic-billing-header", json.dumps(messages))
        spoken = [(each["reasoning_content"], each["content"]) for each in messages if each["role"] == "assistant"]
        self.assertEqual(spoken, [(f"Step {step}.", f"Step {step} of the work.") for step in range(3)])
        results = [each["content"] for each in messages if each["role"] == "tool"]
        self.assertIn("The door is red.", results[0])
        self.assertIn("The door is green.", results[-1])

    def test_claude_code_streams_events_and_counts_what_was_used(self):
        said = self.claude(f"Paint it by script paint on {self.door}", "--allowedTools", "Read,Edit",
                           "--output-format", "stream-json", "--verbose")
        events = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
        result = events[-1]
        self.assertEqual((result["type"], result["is_error"], result["num_turns"]), ("result", False, 4))
        self.assertGreater(result["usage"]["output_tokens"], 10)
        used = [block["name"] for event in events if event["type"] == "assistant"
                for block in event["message"]["content"] if block["type"] == "tool_use"]
        self.assertEqual(used, ["Read", "Edit", "Read"])

    def assert_done_natively(self, said, text, turns):
        """Checks that the file is changed, and that the strict provider found no fault in any turn. Returns its last request."""
        self.assertEqual(self.door.read_text(), PAINTED)
        self.assertIn("The door is painted green.", said)
        requests = seen_natively(text)
        self.assertEqual([request["faults"] for request in requests if request["faults"]], [])
        self.assertEqual(len(requests), turns)
        return requests[-1]["body"]

    def test_claude_code_changes_a_file_by_a_gemini_provider(self):
        task = f"Paint it by script paint on {self.door}"
        said = self.claude(task, "--allowedTools", "Read,Edit", "--model", "by-gemini")
        asked = self.assert_done_natively(said, f"by script paint on {self.door}", 4)
        calls = [part for each in asked["contents"] for part in each["parts"] if "functionCall" in part]
        self.assertEqual([part["functionCall"]["name"] for part in calls], ["Read", "Edit", "Read"])
        stand_in = "skip_thought_signature_validator"
        self.assertNotIn(stand_in, [part["thoughtSignature"] for part in calls], "its own signatures come back")

    def test_claude_code_changes_a_file_by_a_messages_provider(self):
        task = f"Paint it by script paint on {self.door}"
        said = self.claude(task, "--allowedTools", "Read,Edit", "--model", "by-claude")
        self.assert_done_natively(said, f"by script paint on {self.door}", 4)

    def test_codex_changes_a_file_by_a_messages_provider(self):
        config = example("codex.toml").replace('model = "fast"', 'model = "by-claude"')
        said = self.codex(config, f"Paint it by script paint on {self.door}")
        asked = self.assert_done_natively(said, str(self.door), 4)
        blocks = [block for each in asked["messages"] if each["role"] == "assistant" for block in each["content"]]
        self.assertEqual([block["type"] for block in blocks][:3], ["thinking", "text", "tool_use"])

    def test_codex_changes_a_file_by_a_gemini_provider(self):
        config = example("codex.toml").replace('model = "fast"', 'model = "by-gemini"')
        said = self.codex(config, f"Paint it by script paint on {self.door}")
        self.assert_done_natively(said, str(self.door), 4)


if __name__ == "__main__":
    raise SystemExit(run(CodingAgents))
