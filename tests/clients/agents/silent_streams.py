"""openai-go 3.42 treats each blank line as the end of an event. It must be able to read streams with comments.

OPENAI_GO names the program, which releases the provider after it has read the first comment.
"""
import os
import subprocess
import unittest

from conversations_support import KEY
from support import GATEWAY_URL, run

PATIENCE_S = 60


class SilentStreams(unittest.TestCase):
    def assert_read(self, model, api, text):
        command = [os.environ["OPENAI_GO"], f"{GATEWAY_URL}/v1", KEY, model, api, f"script hello, {text}",
                   f"{os.environ['CHAT_URL']}/release?{text}"]
        ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE_S)
        self.assertEqual(ran.returncode, 0, ran.stdout)
        said, comments = ran.stdout.splitlines()
        self.assertEqual(said, "Hello there!")
        self.assertGreaterEqual(int(comments.removeprefix("comments: ")), 1)

    def test_openai_go_reads_chat_that_is_silent_before_its_first_token(self):
        self.assert_read("silent-first", "chat", "chat-first")

    def test_openai_go_reads_a_response_that_is_silent_before_its_first_token(self):
        self.assert_read("silent-first", "responses", "response-first")

    # The gateway writes a comment after 15 seconds of silence.
    def test_openai_go_reads_chat_that_is_silent_later(self):
        self.assert_read("silent-later", "chat", "chat-later")


if __name__ == "__main__":
    raise SystemExit(run(SilentStreams))
