"""The shared part of the suites of coding agents: Codex CLI and Claude Code, each in a folder of its own.

CODEX and CLAUDE name the programs. Each gets an empty home, no key except the gateway's, and no other network: all other
connections use a proxy address at which nothing listens.
"""
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import unittest

from conversations_support import KEY
from support import GATEWAY_URL

PATIENCE_S = 60
DOOR = "The door is red.\n"
PAINTED = "The door is green.\n"
EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "deploy/examples"


def example(name):
    """Returns an example's text with this gateway's address in it."""
    text = (EXAMPLES / name).read_text()
    assert "http://127.0.0.1:7777" in text, name
    return text.replace("http://127.0.0.1:7777", GATEWAY_URL)


class AgentPrograms(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="coding-agent-")
        self.home = pathlib.Path(self._folder.name) / "home"
        self.work = pathlib.Path(self._folder.name) / "work"
        self.home.mkdir()
        self.work.mkdir()
        self.door = self.work / "door.txt"
        self.door.write_text(DOOR)

    def tearDown(self):
        self._folder.cleanup()

    def do(self, command, given=None, **variables):
        """Returns the program's output for this input. The program must end successfully, and in time."""
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(self.home), "LANG": "C.UTF-8", "NO_PROXY": "127.0.0.1",
            "HTTP_PROXY": "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9", **variables,
        }
        program = subprocess.Popen(
            command, cwd=self.work, env=environment, stdin=subprocess.DEVNULL if given is None else subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        )
        try:
            said, _ = program.communicate(given, timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            os.killpg(program.pid, signal.SIGKILL)
            said, _ = program.communicate()
            self.fail(f"not done after {PATIENCE_S} s: {said[-2000:]}")
        self.assertEqual(program.returncode, 0, said[-2000:])
        return said

    def codex(self, config, prompt, *options):
        (self.home / "config.toml").write_text(config)
        command = [os.environ["CODEX"], "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
        return self.do([*command, *options, prompt], CODEX_HOME=str(self.home), PHOTOFINISH_KEY=KEY)

    def set_up_claude(self, names_models):
        """Writes the settings of the example, with or without the variables that name models."""
        settings = json.loads(example("claude-code.json"))
        settings["env"] = {name: text for name, text in settings["env"].items() if names_models or "MODEL" not in name}
        settings["env"]["ANTHROPIC_AUTH_TOKEN"] = KEY
        folder = self.home / ".claude"
        folder.mkdir()
        (folder / "settings.json").write_text(json.dumps(settings))

    def claude(self, prompt, *options, names_models=True):
        self.set_up_claude(names_models)
        return self.do([os.environ["CLAUDE"], "-p", prompt, *options])

    def claude_turns(self, *prompts, names_models=True):
        """Returns the events of one session, in which the prompts are sent one after the other."""
        self.set_up_claude(names_models)
        typed = [{"type": "user", "message": {"role": "user", "content": prompt}} for prompt in prompts]
        form = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]
        return self.do([os.environ["CLAUDE"], "-p", *form], "".join(json.dumps(each) + "\n" for each in typed))
