#!/usr/bin/env python3
"""Two pages of docs/operating show each file of deploy/proxies. `recipes_test.py --write` copies the files into them."""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [ROOT / "docs/operating" / name for name in ("load-balancers.md", "proxies.md")]
RECIPES = ("Caddyfile", "Caddyfile-replicas", "nginx.conf", "nginx-replicas.conf", "haproxy.cfg", "haproxy-replicas.cfg",
           "haproxy-replicas-tls.cfg")
# A block on the page belongs to the file that is named in the comment above the block.
BLOCK = re.compile(r"(?<=<!-- deploy/proxies/)(\S+)( -->\n```\w*\n)(.*?)(?=```\n)", re.S)


def with_recipes(page):
    return BLOCK.sub(lambda found: found[1] + found[2] + (ROOT / "deploy/proxies" / found[1]).read_text(), page)


class Recipes(unittest.TestCase):
    def test_the_pages_show_every_recipe_once(self):
        shown = [found[1] for page in PAGES for found in BLOCK.finditer(page.read_text())]
        self.assertEqual(sorted(shown), sorted(RECIPES))

    def test_the_pages_show_the_files_unchanged(self):
        for page in PAGES:
            with self.subTest(page.name):
                text = page.read_text()
                self.assertEqual(text, with_recipes(text), "update it: tests/proxies/recipes_test.py --write")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        for page in PAGES:
            page.write_text(with_recipes(page.read_text()))
    else:
        unittest.main()
