#!/usr/bin/env python3
"""Prints the messages that changed between two commits: tests/style/english/changed_messages.py OLD [NEW]

Each line has the old text, an arrow and the new text, below the name of the file. sample.py says what counts as a message.
Operators whose alerts or searches match the text of messages can look for their texts in the list of a release.
NEW is the last commit by default."""
import collections
import difflib
import subprocess
import sys

import sample

LEAST_LIKENESS = 0.35  # two texts that are less alike count as a removed message and a new message


def changed_files(old, new):
    """Yields (old path, new path) of each changed source file of the product."""
    for line in sample.git("diff", "--find-renames", "--diff-filter=MR", "--name-status", old, new, "--", *sample.PRODUCT):
        _, *paths = line.split("\t")
        if paths[-1].endswith((".hpp", ".cpp")) and not paths[-1].startswith(sample.NO_MESSAGES):
            yield paths[0], paths[-1]


def messages_of(commit, path):
    shown = subprocess.run(["git", "-C", sample.ROOT, "show", f"{commit}:{path}"], check=True, capture_output=True, text=True)
    return sample.messages_in(shown.stdout)


def likeness(left, right):
    return difflib.SequenceMatcher(None, left, right).ratio()


def pairs(before, after):
    """Yields each message that is only in `before`, with the most similar message that is only in `after`."""
    gone = list((collections.Counter(before) - collections.Counter(after)).elements())
    come = list((collections.Counter(after) - collections.Counter(before)).elements())
    for text in gone:
        best = max(come, key=lambda each: likeness(text, each), default=None)
        if best is not None and likeness(text, best) >= LEAST_LIKENESS:
            come.remove(best)
            yield text, best


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    old, new = sys.argv[1], sys.argv[2] if len(sys.argv) == 3 else "HEAD"
    count = 0
    for before, after in changed_files(old, new):
        changed = list(pairs(messages_of(old, before), messages_of(new, after)))
        count += len(changed)
        if changed:
            print(after)
        for text, new_text in changed:
            print(f"- {text}\n  -> {new_text}")
    print(f"{count} messages changed")


if __name__ == "__main__":
    main()
