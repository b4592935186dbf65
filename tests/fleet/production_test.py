#!/usr/bin/env python3
"""Runs docs/production.md line by line (pages.py): tests/fleet/production_test.py BINARY"""

import pathlib
import sys
import tempfile
import unittest

import pages

PAGE = pages.ROOT / "docs" / "production.md"
PATIENCE_S = 420  # the page takes 100 s on an idle machine
PROGRAMS = ("redis-server", "haproxy", "prometheus", "prometheus-alertmanager", "promtool", "amtool", "openssl", "curl", "jq")


class Production(unittest.TestCase):
    def test_each_command_of_the_page_does_what_the_page_says(self):
        self.assertGreater(len(pages.blocks(PAGE.read_text())), 10)
        with tempfile.TemporaryDirectory(prefix="photofinish-production-") as folder:
            found = pages.problems(PAGE.read_text(), sys.argv[1], pathlib.Path(folder), PATIENCE_S)
        self.assertFalse(found, "\n".join(found))


if __name__ == "__main__":
    pages.skip_without("production", *PROGRAMS)
    unittest.main(argv=sys.argv[:1])
