"""The prompt caches of providers in conversations: tokens read from them, the accuracy of the forecast, and moves."""

from pages import common as c, panels as p, queries as q

TOKENS = "photofinish_prompt_cache_tokens_total"
MATCHES = "photofinish_prompt_cache_matches_total"
KNOWN = 'found=~"warm|cold"'  # the provider reports its cached tokens
MISSED = 'expected="warm", found="cold"'


def read_share(by="", over=q.NOW):
    return q.part_of(
        q.total(TOKENS, q.both('result="read"', q.TARGET), by, over), q.total(TOKENS, q.TARGET, by, over)
    )


def missed_share(by="", over=q.NOW):
    """Returns the unexpected misses: a warm prefix was expected, and the provider did not find it."""
    expected = q.total(MATCHES, q.both('expected="warm"', KNOWN, q.TARGET), by, over)
    return q.part_of(q.total(MATCHES, q.both(MISSED, q.TARGET), by, over), expected)


def surprise_share(by="", over=q.NOW):
    """Returns the unexpected hits: no prefix was expected, but the provider found one."""
    expected = q.total(MATCHES, q.both('expected="cold"', KNOWN, q.TARGET), by, over)
    return q.part_of(q.total(MATCHES, q.both('expected="cold", found="warm"', q.TARGET), by, over), expected)


def starts(why, by="", over=q.NOW):
    return q.total("photofinish_starts_total", q.both(f'why=~"{why}"', q.ROUTE), by, over)


def moved_share(by="", over=q.NOW):
    moves = q.total("photofinish_moves_total", q.both('cause!="expired"', q.ROUTE), by, over)
    return q.part_of(moves, starts("first", by, over))


def move_cost_share(by="", over=q.NOW):
    winners = q.both('kind="winner", currency="usd"', q.ROUTE)
    return q.ratio(
        q.total("photofinish_move_cost_usd_total", q.ROUTE, by, over),
        q.total("photofinish_speculation_cost_total", winners, by, over),
    )


def top_row():
    return [
        p.numbers(
            "Input read from caches",
            "Input tokens that providers read from their prompt caches, as a share of all input tokens of winners.",
            "percentunit",
            [p.now(read_share("", q.RANGE), "read")],
            width=4,
            no_value="no provider reports it",
        ),
        p.numbers(
            "Unexpected misses",
            "Share of the winners that were expected to have the prompt in their cache but did not, among winners "
            "whose provider reports it.",
            "percentunit",
            [p.now(missed_share("", q.RANGE), "missed")],
            width=4,
            thresholds=c.MISS_COLOURS,
            no_value=p.NO_CONVERSATIONS,
        ),
        p.numbers(
            "Races that move",
            "Adaptive races that left the target with most of the prompt, unless the prompt had expired there.",
            "percentunit",
            [p.now(moved_share("", q.RANGE), "moved")],
            width=4,
            thresholds=c.MOVE_COLOURS,
            no_value=p.NO_ADAPTIVE,
        ),
        p.numbers(
            "Moves cost",
            "Expected extra cost of moves compared with staying, as a share of winners' cost.",
            "percentunit",
            [p.now(move_cost_share("", q.RANGE), "of winners' cost")],
            width=4,
            no_value="no moves, or no known price",
        ),
        p.numbers(
            "Racing adds",
            "Losers' cost of adaptive races, as a share of winners' cost, without moves.",
            "percentunit",
            [p.now(q.extra_cost("", q.RANGE), "added")],
            width=4,
            no_value=p.NO_ADAPTIVE,
        ),
        p.numbers(
            "Prefixes held",
            "Beginnings of conversations that all gateways together remember.",
            "short",
            [p.now(f"sum (photofinish_prefixes{{{q.INSTANCE}}})", "prefixes")],
            width=4,
            decimals=0,
        ),
    ]


def token_panels():
    return [
        p.row("What is read from caches"),
        p.lines(
            "Share read from caches by target",
            "Share of the input tokens of winners, as their provider reports them.",
            "percentunit",
            [p.query(read_share(c.BY_TARGET), c.TARGET_LEGEND)],
        ),
        p.stacked(
            "Input tokens by result",
            "Input tokens per second. read: from the cache, at the lowest price. written: into the cache. uncached: "
            "neither.",
            "short",
            [p.query(q.total(TOKENS, q.TARGET, "result"), "{{result}}")],
        ),
    ]


def calibration_panels():
    return [
        p.row("How right it is"),
        p.stacked(
            "Expected and found",
            "Winners per second: what the forecast expected in their cache, and what the provider found. unknown: the "
            "provider does not report it.",
            "reqps",
            [p.query(q.total(MATCHES, q.TARGET, "expected, found"), "expected {{expected}}, found {{found}}")],
            width=8,
        ),
        p.lines(
            "Unexpected misses",
            "Share of the expected prefixes that were not found. PhotofinishPromptCacheMisses compares this share.",
            "percentunit",
            [p.query(missed_share(c.BY_TARGET), c.TARGET_LEGEND)],
            width=8,
            limit=c.MISSED,
            no_value=p.NO_CONVERSATIONS,
        ),
        p.table(
            "Calibration by target",
            "expected: winners that were expected to have the prompt. missed: the share of these without the prompt. "
            "surprises: the share of the other winners that had the prompt.",
            [
                ("expected", q.total(MATCHES, q.both('expected="warm"', q.TARGET), c.BY_TARGET, q.RANGE, "increase"), "short", None),
                ("missed", missed_share(c.BY_TARGET, q.RANGE), "percentunit", c.MISS_COLOURS),
                ("surprises", surprise_share(c.BY_TARGET, q.RANGE), "percentunit", None),
                ("input read", read_share(c.BY_TARGET, q.RANGE), "percentunit", None),
            ],
            key=c.TARGET_KEY,
            width=8,
            drill_down="photofinish-provider",
        ),
    ]


def move_panels():
    moves = "photofinish_moves_total"
    return [
        p.row("What staying and moving cost"),
        p.stacked(
            "Moves by cause",
            "Moves per second. slower, failing, limited: the state of the target that has the prompt. expired: this "
            "target has probably dropped the prompt. trial: another target is measured.",
            "reqps",
            [p.query(q.total(moves, q.ROUTE, "cause"), "{{cause}}")],
            width=8,
            no_value="no moves",
        ),
        p.lines(
            "Races that move",
            "Share of the adaptive races, without expired prompts. PhotofinishPromptCacheMoves compares this share.",
            "percentunit",
            [p.query(moved_share("route"), "{{route}}")],
            width=8,
            limit=c.MOVED,
            no_value=p.NO_ADAPTIVE,
        ),
        p.stacked(
            "Cost of moves",
            "Expected extra cost of moves compared with staying, in USD an hour. Winners' cost includes it, but extra "
            "cost does not.",
            "currencyUSD",
            [p.query("3600 * " + q.total("photofinish_move_cost_usd_total", q.ROUTE, "route"), "{{route}}")],
            width=8,
            no_value="no moves, or no known price: see `prices` in docs/configuration/models.md",
        ),
        p.lines(
            "Extra cost against the ceiling",
            "Losers' cost as a share of winners', as the budget counts it, next to max_extra_cost.",
            "percentunit",
            [
                p.query(q.extra_cost("route"), "{{route}}"),
                p.query(f"max by (route) (photofinish_max_extra_cost{{{q.both(q.ROUTE, q.INSTANCE)}}})", "{{route}} ceiling"),
            ],
            width=8,
            no_value=p.NO_ADAPTIVE,
        ),
        p.stacked(
            "Hedges and twins",
            "Further attempts per second. twin: a second request to the same target, at the price of a warm prompt.",
            "reqps",
            [p.query(starts("hedge|twin|rescue", "why"), "{{why}}")],
            width=8,
            no_value="no hedges",
        ),
        p.stacked(
            "Finished prefills",
            "Losers per second that ran to their first token, so that their target has the prompt for the next turn.",
            "reqps",
            [p.query(q.total("photofinish_prefill_finished_total", q.TARGET, c.BY_TARGET), c.TARGET_LEGEND)],
            width=8,
            no_value="none, or `finish_prefill: false`",
        ),
    ]


def prefix_panels():
    return [
        p.row("What gateways remember"),
        p.lines(
            "Prefixes held",
            "Prefixes by gateway, at most max_prefixes.",
            "short",
            [p.query(f"max by (instance) (photofinish_prefixes{{{q.INSTANCE}}})", "{{instance}}")],
        ),
        p.lines(
            "Prefixes dropped",
            "Prefixes per second that were not remembered because their caller had used its share of max_prefixes. "
            "Its conversations then look cold.",
            "short",
            [p.query(q.total("photofinish_prefixes_dropped_total", "", "instance"), "{{instance}}")],
        ),
    ]


def page():
    return p.dashboard(
        "photofinish-prompt-caches",
        "photofinish / prompt caches",
        "Conversations in the prompt caches of providers, the accuracy of the forecast, and the cost of moves.",
        c.variables("route", "provider", "model"),
        [c.RESTARTS, c.ALERTS],
        [*top_row(), *token_panels(), *calibration_panels(), *move_panels(), *prefix_panels()],
    )
