#!/usr/bin/env python3
# Writes unicode_classes.txt, the classes of characters that o200k_base's pattern distinguishes. Run it again only
# to change to another Unicode version:
#   python3 -m venv /tmp/v && /tmp/v/bin/pip install unicodedata2==16.0.0
#   /tmp/v/bin/python make_unicode_classes.py > unicode_classes.txt
# The version is that of the regex engine in npm's tiktoken 1.0.22, because our counts are compared with its counts.
import sys

import unicodedata2 as unicodedata

VERSION = "16.0.0"

# Unicode's property White_Space, except the two newlines.
SPACES = [0x09, 0x0B, 0x0C, 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000]

CLASSES = {"Lu": "upper", "Lt": "upper", "Ll": "lower", "Lm": "caseless", "Lo": "caseless"}


def class_of(code):
    if code in (0x0A, 0x0D):
        return "newline"
    if code in SPACES:
        return "space"
    category = unicodedata.category(chr(code))
    return CLASSES.get(category) or {"M": "mark", "N": "number"}.get(category[0], "other")


def main():
    if unicodedata.unidata_version != VERSION:
        sys.exit(f"this is Unicode {unicodedata.unidata_version}, wanted is {VERSION}")
    print(f"# Unicode {VERSION}: first and last code point of each range, and its class; what is not listed is other.")
    print("# Written by make_unicode_classes.py.")
    first, known = 0, class_of(0)
    for code in range(1, 0x110001):
        now = class_of(code) if code < 0x110000 else None
        if now == known:
            continue
        if known != "other":
            print(f"{first:04X} {code - 1:04X} {known}")
        first, known = code, now


main()
