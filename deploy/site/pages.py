#!/usr/bin/env python3
"""Checks the documents' index, links and anchors, and prepares the sources of the site that docs/site.sh builds.

deploy/site/pages.py check [CLONE]          prints the errors; exit code 0 if there are none
deploy/site/pages.py stage FOLDER [CLONE]   copies the pages and their linked files, with docs/README.md as navigation
"""

import json
import os
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
INDEX = "docs/README.md"
PARTS = ["Start", "How-to guides", "Reference", "Explanation"]
# Folders whose pages the index does not name, with the page that names each of them.
OWN_INDEXES = {"docs/decisions": "docs/decisions/README.md", "docs/runbooks": "docs/monitoring/alerts.md"}


def own_indexes(root):
    """Returns the index of each folder of pages. A folder next to a page of the same name has this page as its index."""
    same_name = {page.with_suffix("") for page in root.glob("docs/*.md") if page.with_suffix("").is_dir()}
    folders = sorted(folder.relative_to(root).as_posix() for folder in same_name)
    return OWN_INDEXES | {folder: f"{folder}.md" for folder in folders}


def all_pages(root):
    """Returns the paths of all pages: those of docs/ and those next to README.md."""
    return sorted(path.relative_to(root).as_posix() for path in [*root.glob("*.md"), *root.glob("docs/**/*.md")])


def without_code(text):
    """Returns the text without fenced blocks and code spans, which contain no links or headings."""
    text = re.sub(r"^( *)(```+)[^\n]*\n.*?^ *\2`*$", "", text, flags=re.S | re.M)
    return re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", lambda span: "x" * len(span[0]), text)


def links(text):
    """Returns (text, target) of each link and image, without links to other sites."""
    found = re.findall(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)", without_code(text))
    return [(name, target) for name, target in found if not re.match(r"[a-z]+:", target)]


def anchors(text):
    """Returns the anchors of the headings, as GitHub names them."""
    text = re.sub(r"^( *)(```+)[^\n]*\n.*?^ *\2`*$", "", text, flags=re.S | re.M)
    found = []
    for heading in re.findall(r"^#+ +(.*?) *#*$", text, re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        count = sum(1 for each in found if each == name or re.fullmatch(re.escape(name) + r"-\d+", each))
        found.append(f"{name}-{count}" if count else name)
    return set(found)


def resolved(page, target):
    """Returns the path of a link's target in the clone, and its anchor."""
    path, _, anchor = target.partition("#")
    if not path:
        return page, anchor
    return os.path.normpath(os.path.join(os.path.dirname(page), path)).replace(os.sep, "/"), anchor


def index_of(text):
    """Returns the pages of each part of the index: {part: [(title, path)]}"""
    parts = {}
    for heading, body in re.findall(r"^## (.*)\n((?:(?!## ).*\n?)*)", text, re.M):
        if heading in PARTS:
            entries = re.findall(r"^- \[([^\]]*)\]\(([^)#\s]+)\): \S", body, re.M)
            parts[heading] = [(title, resolved(INDEX, path)[0]) for title, path in entries]
    return parts


def pages_of_own_index(root, folder):
    """Returns the pages of a folder in the order in which its own index links to them."""
    index = own_indexes(root)[folder]
    paths = [resolved(index, target)[0] for _, target in links((root / index).read_text())]
    return list(dict.fromkeys(path for path in paths if path.startswith(folder + "/") and path != index))


def problems(root):
    """Returns the errors of the index, the links and the anchors, one line each."""
    pages = all_pages(root)
    texts = {page: (root / page).read_text() for page in pages}
    parts = index_of(texts[INDEX])
    found = [f"{INDEX}: the part '{part}' is missing or empty" for part in PARTS if not parts.get(part)]
    named = [path for entries in parts.values() for _, path in entries]
    for folder in own_indexes(root):
        named += pages_of_own_index(root, folder)
    for page in pages:
        if page != INDEX and named.count(page) != 1:
            found.append(f"{page}: the navigation names it {named.count(page)} times, not once")
    found += [f"{INDEX}: '{path}' is not a page" for path in named if path not in pages]
    anchors_by_page = {page: anchors(text) for page, text in texts.items()}
    for page, text in texts.items():
        for _, target in links(text):
            path, anchor = resolved(page, target)
            if not (root / path).exists():
                found.append(f"{page}: the link '{target}' leads nowhere")
            elif anchor and anchor not in anchors_by_page.get(path, set()):
                found.append(f"{page}: no heading has the anchor of '{target}'")
    return found


def folders_of(root, title, path):
    """Returns the folders whose index is this page, with their pages and folders, in the form of mkdocs.yml."""
    found = []
    for folder in [folder for folder, index in own_indexes(root).items() if index == path]:
        below = []
        for page in pages_of_own_index(root, folder):
            below += [page, *folders_of(root, "", page)]
        name = title if path == f"{folder}.md" else folder.rpartition("/")[2].capitalize()
        found.append({f"{name}, page by page": below})
    return found


def navigation(root):
    """Returns the navigation of the site, in the form of mkdocs.yml."""
    nav = [{"Documentation": INDEX}]
    for part, entries in index_of((root / INDEX).read_text()).items():
        below = []
        for title, path in entries:
            below += [{title: path}, *folders_of(root, title, path)]
        nav.append({part: below})
    return nav


def stage(root, folder):
    """Copies all pages and the files that they link to, and writes mkdocs.json next to them."""
    sources = folder / "pages"
    shutil.rmtree(sources, ignore_errors=True)
    for page in all_pages(root):
        text = (root / page).read_text()
        for _, target in links(text):
            path, _ = resolved(page, target)
            copy = sources / path
            copy.parent.mkdir(parents=True, exist_ok=True)
            if (root / path).is_dir():
                names = sorted(each.name for each in (root / path).iterdir() if each.is_file())
                copy.mkdir(exist_ok=True)
                (copy / "index.md").write_text(f"# {path}\n" + "".join(f"- [{name}]({name})\n" for name in names))
                for name in names:
                    shutil.copyfile(root / path / name, copy / name)
                text = text.replace(f"]({target})", f"]({target}/index.md)")
            elif not path.endswith(".md"):
                shutil.copyfile(root / path, copy)
        (sources / page).parent.mkdir(parents=True, exist_ok=True)
        # The highlighter accepts only one word after the fence: "```sh install" becomes "```sh".
        (sources / page).write_text(re.sub(r"^( *```+\w+) [^\n]*$", r"\1", text, flags=re.M))
    (folder / "navigation.json").write_text(json.dumps(navigation(root), indent=1))


if __name__ == "__main__":
    action, *rest = sys.argv[1:] or [""]
    if action == "check" and len(rest) <= 1:
        lines = problems(pathlib.Path(rest[0]) if rest else ROOT)
        print("\n".join(lines) or "the index, the links and the anchors are right")
        sys.exit(1 if lines else 0)
    if action == "stage" and 1 <= len(rest) <= 2:
        stage(pathlib.Path(rest[1]) if len(rest) == 2 else ROOT, pathlib.Path(rest[0]))
        sys.exit(0)
    sys.exit(__doc__)
