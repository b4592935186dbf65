"""Parses a part of PromQL: as much as the tests need to find the series of a query, their label matchers, and its grouping
labels."""

import re

KEYWORDS = {
    "by",
    "without",
    "on",
    "ignoring",
    "group_left",
    "group_right",
    "and",
    "or",
    "unless",
    "bool",
    "offset",
    "inf",
    "nan",
}
TOKEN = re.compile(
    r"""
    (?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
  | (?P<range>\[[^\]]*\])
  | (?P<duration>\d+(?:ms|[smhdwy])\b)
  | (?P<number>\d+(?:\.\d+)?(?:e-?\d+)?)
  | (?P<name>[A-Za-z_:][A-Za-z0-9_:]*)
  | (?P<sign>=~|!~|!=|==|<=|>=|[-+*/%^<>=(){},])
  | (?P<space>\s+)
""",
    re.X,
)


class Selector:
    def __init__(self, name):
        self.name = name
        self.matchers = []  # (label, operator, value)

    def __str__(self):
        return (
            self.name
            + "{"
            + ", ".join(f'{label}{operator}"{value}"' for label, operator, value in self.matchers)
            + "}"
        )


class Query:
    """`selectors` has the selected series. `groupings` has pairs (labels, selectors that the labels apply to)."""

    def __init__(self, text):
        self.tokens = self.tokenized(text)
        self.selectors = []
        self.groupings = []
        self.positions = []  # index of each selector's name among the tokens
        self.read()

    @staticmethod
    def tokenized(text):
        tokens, at = [], 0
        while at < len(text):
            match = TOKEN.match(text, at)
            if not match:
                raise ValueError(f"not understood: {text[at:at + 30]!r}")
            if match.lastgroup != "space":
                tokens.append((match.lastgroup, match[0]))
            at = match.end()
        return tokens

    def text_at(self, index):
        return self.tokens[index][1] if index < len(self.tokens) else ""

    def closing(self, opening):
        """Returns the index of the parenthesis that closes the parenthesis at this index."""
        depth = 0
        for index in range(opening, len(self.tokens)):
            depth += {"(": 1, ")": -1}.get(self.text_at(index), 0)
            if depth == 0:
                return index
        raise ValueError("a parenthesis is never closed")

    def read(self):
        groups, index = [], 0
        while index < len(self.tokens):
            kind, text = self.tokens[index]
            following = self.text_at(index + 1)
            if kind == "name" and text in ("by", "without", "on", "ignoring"):
                end = self.closing(index + 1)
                labels = {self.text_at(each) for each in range(index + 2, end)} - {","}
                if text == "without":
                    raise ValueError("say by which labels, not without which")
                groups.append((text, labels, end))
                index = end
            elif kind == "name" and text not in KEYWORDS and following not in ("(", "by", "without"):
                self.positions.append(index)
                self.selectors.append(Selector(text))
                if following == "{":
                    index = self.read_matchers(index + 1)
            index += 1
        self.groupings = [self.grouping(*each) for each in groups]

    def read_matchers(self, index):
        while self.text_at(index) != "}" and self.text_at(index + 1) != "}":
            label, operator, value = (self.text_at(index + step) for step in (1, 2, 3))
            self.selectors[-1].matchers.append((label, operator, value[1:-1]))
            index += 4
            if self.text_at(index) not in (",", "}"):
                raise ValueError(f"not understood behind {label}{operator}{value}")
        return index

    def grouping(self, kind, labels, end):
        if kind != "by":  # these labels belong to both sides, so the whole expression is examined
            return labels, self.selectors
        if self.text_at(end + 1) != "(":
            raise ValueError("write by (…) in front of what is aggregated")
        closed = self.closing(end + 1)
        filters = self.filters(end + 1, closed)
        return labels, [
            selector
            for selector, at in zip(self.selectors, self.positions)
            if end < at < closed and at not in filters
        ]

    def filters(self, opening, closing):
        """Returns the indexes, between two parentheses, of parts that only filter. These are the right sides of `and` and
        `unless`."""
        found, depth, filtering_from = set(), 0, None
        for index in range(opening, closing):
            text = self.text_at(index)
            depth += {"(": 1, ")": -1}.get(text, 0)
            if filtering_from is not None and (depth < filtering_from or (text == "or" and depth == filtering_from)):
                filtering_from = None
            if filtering_from is not None:
                found.add(index)
            elif text in ("and", "unless"):
                filtering_from = depth
        return found


def words(value):
    """Returns the words of a matcher's value: one word, or several words between bars. Returns None for any other expression."""
    return value.split("|") if re.fullmatch(r"[a-z_0-9|]+", value) else None
