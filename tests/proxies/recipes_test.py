#!/usr/bin/env python3
"""docs/operating.md shows each file of deploy/proxies as it is. `recipes_test.py --write` puts them in again."""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/operating.md"
RECIPES = ("Caddyfile", "Caddyfile-replicas", "nginx.conf", "nginx-replicas.conf", "haproxy.cfg", "haproxy-replicas.cfg",
           "haproxy-replicas-tls.cfg")
# A block of the page belongs to the file that the comment above it names.
BLOCK = re.compile(r"(?<=<!-- deploy/proxies/)(\S+)( -->\n```\w*\n)(.*?)(?=```\n)", re.S)


def with_recipes(page):
    return BLOCK.sub(lambda found: found[1] + found[2] + (ROOT / "deploy/proxies" / found[1]).read_text(), page)


class Recipes(unittest.TestCase):
    def test_the_page_shows_every_recipe(self):
        self.assertEqual(sorted(found[1] for found in BLOCK.finditer(PAGE.read_text())), sorted(RECIPES))

    def test_the_page_shows_them_as_they_are(self):
        page = PAGE.read_text()
        self.assertEqual(page, with_recipes(page), "refresh it: tests/proxies/recipes_test.py --write")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(with_recipes(PAGE.read_text()))
    else:
        unittest.main()
