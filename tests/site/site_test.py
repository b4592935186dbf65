#!/usr/bin/env python3
"""Tests the index of the documents, their links and their anchors, and the site that docs/site.sh builds from the documents.

tests/site/site_test.py           reads the documents, without a network
tests/site/site_test.py --build   builds the site, which needs mkdocs-material from PyPI once; skipped without it
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "deploy" / "site"))
import pages

ALL_SKIPPED = 77  # ctest's SKIP_RETURN_CODE
BUILD_S = 840  # installing included
MOST_BYTES = 15_360  # the largest permitted number, so that readers can find their way in a page
# Pages that may be longer, each with the reason: pages that a program generates, or that readers search as a whole.
LONGER_PAGES = {
    "CHANGELOG.md": "readers search all versions in one file, and each version adds to it",
}

INDEX = """# Documents
## Start
- [Overview](../README.md): what it is.
## How-to guides
- [Monitoring](monitoring.md): all alerts.
## Reference
- [Settings](settings.md): all of them.
## Explanation
- [Decisions](decisions/README.md): the reasons.
"""
TREE = {
    "README.md": "# Overview\n[settings](docs/settings.md#two-words), [a file](LICENSE)\n",
    "LICENSE": "free\n",
    "docs/README.md": INDEX,
    "docs/monitoring.md": "# Monitoring\n[alerts](monitoring/alerts.md)\n",
    "docs/monitoring/alerts.md": "# Alerts\n[an alert](../runbooks/Down.md), `[no](link.md)`\n```sh\n# [no](link.md)\n```\n",
    "docs/settings.md": "# Settings\n## Two words\n## Two words\n[again](#two-words-1), [more](settings/more.md#more)\n",
    "docs/settings/more.md": "# More\n[up](../settings.md)\n",
    "docs/runbooks/Down.md": "# Down\n[back](../monitoring/alerts.md#alerts)\n",
    "docs/decisions/README.md": "# Decisions\n[one](0001-one.md)\n",
    "docs/decisions/0001-one.md": "# 1. One\n",
}
MISTAKES = {
    "a page that the index does not name": {"docs/new.md": "# New\n"},
    "a page that the index names twice": {"docs/README.md": INDEX + "- [Again](settings.md): twice.\n"},
    "an entry that does not say what the page has": {"docs/README.md": INDEX.replace(": all of them.", "")},
    "an entry without a page": {"docs/README.md": INDEX + "- [Nothing](nothing.md): not there.\n"},
    "a part that is missing": {"docs/README.md": INDEX.replace("## Reference\n", "")},
    "a decision that its index does not name": {"docs/decisions/0002-two.md": "# 2. Two\n"},
    "a runbook that no alert names": {"docs/runbooks/Up.md": "# Up\n"},
    "a page of a folder that the page of the same name does not name": {"docs/settings/other.md": "# Other\n"},
    "a page that two indexes name": {"docs/README.md": INDEX + "- [Again](settings/more.md): more.\n"},
    "a link to no file": {"docs/settings.md": TREE["docs/settings.md"] + "[x](nowhere.md)\n"},
    "a link to no heading": {"docs/settings.md": TREE["docs/settings.md"] + "[x](#nowhere)\n"},
    "a link to no heading of another page": {"README.md": "# Overview\n[x](docs/settings.md#three)\n"},
    "a heading that only looks like one": {"docs/settings.md": "# Settings\n## Two words\n```sh\n# x\n```\n[x](#x)\n"},
}


def write(folder, files):
    for path, text in files.items():
        file = pathlib.Path(folder, path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def problems_of(files):
    with tempfile.TemporaryDirectory(prefix="photofinish-site-") as folder:
        write(folder, files)
        return pages.problems(pathlib.Path(folder))


class Pages(unittest.TestCase):
    def test_the_documents_are_in_the_index_and_their_links_lead_somewhere(self):
        self.assertEqual(pages.problems(ROOT), [])

    def test_pages_are_short(self):
        sizes = {page: (ROOT / page).stat().st_size for page in pages.all_pages(ROOT)}
        longer = {page: size for page, size in sizes.items() if size > MOST_BYTES}
        self.assertEqual({page: longer[page] for page in longer if page not in LONGER_PAGES}, {},
                         f"split these pages by topic: they have more than {MOST_BYTES} bytes")
        self.assertLessEqual(LONGER_PAGES.keys(), longer.keys(), "these pages need no exception")

    def test_a_tree_without_a_mistake_has_no_problem(self):
        self.assertEqual(problems_of(TREE), [])

    def test_each_mistake_is_a_problem(self):
        for name, files in MISTAKES.items():
            with self.subTest(name):
                self.assertNotEqual(problems_of(TREE | files), [])

    def test_the_navigation_has_the_pages_of_a_folder_after_the_page_of_the_same_name(self):
        with tempfile.TemporaryDirectory(prefix="photofinish-site-") as folder:
            write(folder, TREE)
            _, _, guides, reference, _ = pages.navigation(pathlib.Path(folder))
        self.assertEqual(reference["Reference"],
                         [{"Settings": "docs/settings.md"}, {"Settings, page by page": ["docs/settings/more.md"]}])
        self.assertEqual(guides["How-to guides"], [
            {"Monitoring": "docs/monitoring.md"},
            {"Monitoring, page by page": ["docs/monitoring/alerts.md", {"Runbooks, page by page": ["docs/runbooks/Down.md"]}]},
        ])


class Site(unittest.TestCase):
    def test_the_site_has_every_page_and_a_search_index(self):
        with tempfile.TemporaryDirectory(prefix="photofinish-site-") as folder:
            ran = subprocess.run([ROOT / "docs/site.sh", folder], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                 timeout=BUILD_S)
            if ran.returncode == ALL_SKIPPED:
                self.skipTest(ran.stdout)
            self.assertEqual(ran.returncode, 0, ran.stdout)
            site = pathlib.Path(folder)
            for page in pages.all_pages(ROOT):
                name = page.removesuffix(".md").removesuffix("README")
                self.assertTrue((site / name / "index.html").is_file(), page)
            self.assertIn("From nothing to three replicas".lower(), (site / "search/search_index.json").read_text().lower())


if __name__ == "__main__":
    suite = Site if "--build" in sys.argv[1:] else Pages
    result = unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromTestCase(suite))
    if result.skipped:
        print(f"skip  site: {result.skipped[0][1].strip().splitlines()[-1]}")
        sys.exit(ALL_SKIPPED)
    sys.exit(0 if result.wasSuccessful() else 1)
