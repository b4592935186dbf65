"""Tests Codex CLI and Claude Code with providers of other APIs. Claude Code reads a PDF. Codex requests gpt-5.5 and gets Claude.

One test kills the provider `openai`, so the tests that need this provider come before that test.
"""
import base64
import json
import os
import signal

from agent_programs import PAINTED, AgentPrograms, example
from conversations_support import seen, seen_natively
from support import run

PDF = b"""%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj
trailer<</Root 1 0 R>>
%%EOF
"""
CODEX_CONFIG = example("codex.toml").replace('model = "fast"', 'model = "gpt-5.5"')


def stop_openai():
    try:
        os.kill(int(os.environ["OPENAI_PID"]), signal.SIGKILL)
    except ProcessLookupError:
        pass  # another test has already killed the provider


def tool_names(request):
    return [tool["name"] for tool in request["body"]["tools"]]


class AgentsAcrossApis(AgentPrograms):
    def read_pdf(self, model, provider):
        """Lets Claude Code read a PDF. Returns the last request that the provider got, which must contain the file."""
        plan = self.work / "plan.pdf"
        plan.write_bytes(PDF)
        said = self.claude(f"script read on {plan}", "--allowedTools", "Read", "--model", model)
        self.assertIn("I have read it.", said)
        requests = seen(f"script read on {plan}", provider)
        self.assertEqual([each["faults"] for each in requests if each["faults"]], [])
        self.assertEqual(len(requests), 2)
        asked = {name: value for name, value in requests[-1]["body"].items() if name != "conversation"}
        self.assertEqual(json.dumps(asked).count(base64.b64encode(PDF).decode()), 1)
        return asked

    def test_claude_code_reads_a_pdf_by_a_messages_provider(self):
        result = self.read_pdf("by-claude", "NATIVE_URL")["messages"][-1]["content"][0]
        self.assertEqual(result["type"], "tool_result")
        self.assertEqual([block["type"] for block in result["content"]], ["text", "document"])

    def test_claude_code_reads_a_pdf_by_a_gemini_provider(self):
        asked = json.dumps(self.read_pdf("by-gemini", "NATIVE_URL")["contents"][-1])
        self.assertIn('"functionResponse"', asked)
        self.assertIn('"mimeType": "application/pdf"', asked)

    def test_claude_code_reads_a_pdf_by_a_chat_provider(self):
        messages = self.read_pdf("fast", "CHAT_URL")["messages"]
        self.assertEqual([each["role"] for each in messages[-3:]], ["assistant", "tool", "user"])
        [file] = [part["file"] for part in messages[-1]["content"] if part["type"] == "file"]
        self.assertTrue(file["file_data"].startswith("data:application/pdf;base64,"), file["file_data"][:40])

    def test_claude_code_reads_a_pdf_by_a_responses_provider(self):
        items = self.read_pdf("by-responses", "OPENAI_URL")["input"]
        files = [part for item in items for part in (item.get("content") or item.get("output") or [])
                 if isinstance(part, dict) and part["type"] == "input_file"]
        self.assertEqual(len(files), 1)
        self.assertTrue(files[0]["file_data"].startswith("data:application/pdf;base64,"), files[0]["file_data"][:40])

    def test_codex_at_a_provider_that_answers_in_one_piece(self):
        config = example("codex.toml").replace('model = "fast"', 'model = "in-one-piece"')
        said = self.codex(config, f"Paint it by script paint on {self.door}")
        self.assertEqual(self.door.read_text(), PAINTED)
        self.assertIn("The door is painted green.", said)
        requests = seen(str(self.door), "OPENAI_URL")
        self.assertEqual([each["faults"] for each in requests if each["faults"]], [])
        self.assertEqual({each["body"]["stream"] for each in requests}, {False})

    def test_codex_goes_on_at_claude_after_openai_has_died(self):
        errand = self.work / "errand.sh"
        errand.write_text(f"kill -9 {os.environ['OPENAI_PID']}\nsed -i s/red/green/ {self.door}\n")
        said = self.codex(CODEX_CONFIG, f"Go, by script errand on {errand}")
        self.assertEqual(self.door.read_text(), PAINTED)
        self.assertIn("The errand is done.", said)
        requests = [each for each in seen_natively(str(errand)) if not each["faults"]]
        self.assertEqual(len(requests), 3)
        blocks = [block for each in requests[-1]["body"]["messages"] for block in each["content"]]
        calls = [block["name"] for block in blocks if block["type"] == "tool_use"]
        self.assertEqual(calls, ["exec_command", "tool_search", "exec_command"])
        self.assertEqual([block["type"] for block in blocks].count("tool_result"), 3)
        self.assertNotIn("gAAAA", json.dumps(blocks), "what OpenAI has encrypted is not for Claude")

    def test_codex_with_its_own_model_works_at_claude_while_openai_is_stopped(self):
        stop_openai()
        said = self.codex(CODEX_CONFIG, f"Paint it by script paint on {self.door}")
        self.assertEqual(self.door.read_text(), PAINTED)
        self.assertIn("The door is painted green.", said)
        requests = seen_natively(str(self.door))
        self.assertEqual([each["faults"] for each in requests if each["faults"]], [])
        self.assertEqual(len(requests), 4)
        for request in requests:
            self.assertLessEqual({"exec_command", "apply_patch", "tool_search"}, set(tool_names(request)))


if __name__ == "__main__":
    raise SystemExit(run(AgentsAcrossApis))
