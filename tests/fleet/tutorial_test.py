#!/usr/bin/env python3
"""Runs docs/tutorial.md line by line (pages.py), and checks that a page with a mistake fails.

tests/fleet/tutorial_test.py BINARY
"""

import pathlib
import sys
import tempfile
import unittest

import pages

PAGE = pages.ROOT / "docs" / "tutorial.md"
PATIENCE_S = 500  # on two busy cores a sanitizer build took 330 to 450 s
PROGRAMS = ("redis-server", "redis-cli", "haproxy", "prometheus", "promtool", "curl", "jq")


def run(text, patience_s=PATIENCE_S):
    with tempfile.TemporaryDirectory(prefix="photofinish-tutorial-") as folder:
        return pages.problems(text, sys.argv[1], pathlib.Path(folder), patience_s)


class Tutorial(unittest.TestCase):
    def test_each_command_of_the_page_does_what_the_page_says(self):
        self.assertGreater(len(pages.blocks(PAGE.read_text())), 10)
        found = run(PAGE.read_text())
        self.assertFalse(found, "\n".join(found))

    def test_pages_without_a_mistake_pass(self):
        for text in ("```sh\necho a b\necho c\n```\n```text\na …\nc\n```\n", "```sh install\nfalse\n```\n```sh\ntrue\n```\n"):
            with self.subTest(text):
                self.assertEqual(run(text), [])

    def test_pages_with_a_mistake_fail(self):
        for text in ("```sh\necho a\n```\n```text\nb\n```\n", "```sh\necho b a\n```\n```text\nb\n```\n",
                     "```sh\necho a; echo b\n```\n```text\nb\na\n```\n", "```sh\nfalse\n```\n",
                     "```sh\necho 500\n```\n", "```sh\nsleep 60\n```\n"):
            with self.subTest(text):
                self.assertNotEqual(run(text, patience_s=3), [])
        with self.assertRaises(ValueError):
            pages.blocks("```yaml\na: b\n```\n")


if __name__ == "__main__":
    pages.skip_without("tutorial", *PROGRAMS)
    unittest.main(argv=sys.argv[:1])
