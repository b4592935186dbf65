#!/usr/bin/env python3
"""Computes the costs of the race policies for the long conversations of a coding agent. Measures nothing.

tests/bench/policy_costs.py prints the assumptions and the table of docs/configuration/race.md.
tests/bench/policy_costs.py --check fails if that page has different assumptions or figures.
"""
import pathlib
import sys

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/configuration/race.md"

# US dollars per million tokens: the price table's entry for claude-sonnet-4-5.
INPUT, CACHED, WRITTEN, OUTPUT = 3.00, 0.30, 3.75, 15.00
TURNS = 80
FIRST, LAST = 10_000, 150_000  # tokens of the prompt in the first turn and in the last turn
ANSWER = 500  # output tokens of a turn


def turns():
    """Yields (tokens of the previous turn, tokens that this turn adds)."""
    step = (LAST - FIRST) / (TURNS - 1)
    for turn in range(TURNS):
        prompt = FIRST + turn * step
        yield (prompt - step, step) if turn else (0, prompt)


def winner():
    """Returns the cost in US dollars of the attempt that answers. Its provider has the conversation in its cache."""
    return sum(old * CACHED + new * WRITTEN + ANSWER * OUTPUT for old, new in turns()) / 1e6


def cold_loser():
    """Returns the cost in US dollars of a loser that reads the whole prompt in every turn and caches none of it."""
    return sum((old + new) * INPUT for old, new in turns()) / 1e6


def warm_loser():
    """Returns the cost in US dollars of a loser whose provider caches the prompt although the attempt was cancelled."""
    return sum(old * CACHED + new * WRITTEN for old, new in turns()) / 1e6


def assumptions():
    return (f"The figures assume {TURNS} turns, whose prompts grow from {FIRST // 1000},000 to {LAST // 1000},000 tokens, and "
            f"{ANSWER} output tokens a turn. A million input tokens cost ${INPUT:.2f}, ${CACHED:.2f} if they are cached, and "
            f"${WRITTEN:.2f} if they are written to the cache. A million output tokens cost ${OUTPUT:.2f}.")


def row(name, losers):
    sums = [winner() + losers * loser() for loser in (cold_loser, warm_loser)]
    figures = [f"{total / TURNS * 100:.1f} cents, {total / winner():.1f}x" for total in sums]
    return f"| {name} | {' | '.join(figures)} |"


def table():
    return [
        "| policy | losers read the whole prompt | losers find it in their cache |",
        "|---|---|---|",
        row("fallback", 0),
        row("hedge with a second target in every turn, all with two targets", 1),
        row("hedge with a third target in every turn, all with three targets", 2),
    ]


def main():
    lines = [assumptions(), *table()]
    if sys.argv[1:] != ["--check"]:
        print("\n".join(lines))
        return 0
    page = " ".join(PAGE.read_text().split())
    missing = [line for line in lines if line not in page]
    for line in missing:
        print(f"{PAGE.name} does not contain: {line}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
