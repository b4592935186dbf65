"""The decisions of races by speed: their cost and its limit, their accuracy, and the treatment of late winners."""

from pages import common as c, panels as p, queries as q


def by_word(name, word, by="route"):
    """Returns a query with a line for each word of each route."""
    return p.query(q.total(name, q.ROUTE, q.both(by, word)), f"{{{{{by}}}}} {{{{{word}}}}}")


def within(quantile, by="", over=q.NOW):
    return q.ratio(
        q.total("photofinish_predictions_within_total", q.both(f'quantile="{quantile}"', q.ROUTE), by, over),
        q.total("photofinish_prediction_ratio_count", q.ROUTE, by, over),
    )


def budget_panels():
    held, starts = "photofinish_hedges_held_back_total", "photofinish_starts_total"
    return [
        p.row("What deciding costs"),
        p.lines(
            "Extra cost against the ceiling",
            "Losers' cost as a share of winners' cost, as the budget counts it, rescues included, next to "
            "max_extra_cost.",
            "percentunit",
            [
                p.query(q.extra_cost("route"), "{{route}}"),
                p.query(f"max by (route) (photofinish_max_extra_cost{{{q.both(q.ROUTE, q.INSTANCE)}}})", "{{route}} ceiling"),
            ],
            width=8,
            no_value=p.NO_ADAPTIVE,
        ),
        p.lines(
            "How full the budget is",
            "At 0 a hedge waits, or does not start.",
            "percentunit",
            [p.query(f"min by (route) (photofinish_budget_fill{{{q.both(q.ROUTE, q.INSTANCE)}}})", "{{route}}")],
            width=8,
            no_value=p.NO_ADAPTIVE,
        ),
        p.stacked(
            "Hedges held back",
            "Hedges per second, next to the hedges that started, including twins. empty: the budget is empty; "
            "others_first: the last quarter of the budget is for other callers.",
            "reqps",
            [
                p.query(q.total(held, q.ROUTE, "reason"), "held back: {{reason}}"),
                p.query(q.total(starts, q.both('why=~"hedge|twin"', q.ROUTE)), "started"),
            ],
            width=8,
        ),
    ]


def prediction_panels():
    ratio = "photofinish_prediction_ratio"
    return [
        p.row("How right it is"),
        p.lines(
            "Actual by predicted",
            "Time to the first token divided by its predicted median: half of the values should be below 1.",
            "short",
            [
                p.query(q.quantile(0.5, ratio, q.ROUTE, "route"), "{{route}} p50"),
                p.query(q.quantile(0.95, ratio, q.ROUTE, "route"), "{{route}} p95"),
            ],
            width=8,
            no_value=p.NO_ADAPTIVE,
        ),
        p.lines(
            "Within the prediction",
            "Share of the races within their predicted quantile: the share of each line should equal the line's name.",
            "percentunit",
            [p.query(within(share), share) for share in ("0.5", "0.9", "0.99")],
            width=8,
            no_value=p.NO_ADAPTIVE,
        ),
        p.stacked(
            "Choice changes",
            "Races per second that began with another target than the previous race.",
            "reqps",
            [p.query(q.total("photofinish_choice_changes_total", q.ROUTE, "route"), "{{route}}")],
            width=8,
        ),
        p.stacked(
            "Why attempts start",
            "Attempts per second: first attempts, hedges, twins (a second request to the same target), trials, "
            "attempts after failures, rescues.",
            "reqps",
            [p.query(q.total("photofinish_starts_total", q.ROUTE, "why"), "{{why}}")],
        ),
        p.stacked(
            "Deadlines",
            "Races per second. unlikely: hardly any target could meet the deadline.",
            "reqps",
            [by_word("photofinish_deadlines_total", "end")],
        ),
    ]


def winner_panels():
    hold = "photofinish_hold_seconds"
    return [
        p.row("The right winner"),
        p.stacked(
            "Holds",
            "First tokens per second that were held for a target that finishes sooner, by the reason for the end of "
            "the hold (win_on: finish).",
            "reqps",
            [p.query(q.total("photofinish_holds_total", q.ROUTE, "why"), "{{why}}")],
            width=6,
        ),
        p.lines(
            "Held for",
            "How long a first token was held: the client receives it that much later.",
            "s",
            [
                p.query(q.quantile(0.5, hold, q.ROUTE, "route"), "{{route}} p50"),
                p.query(q.quantile(0.95, hold, q.ROUTE, "route"), "{{route}} p95"),
            ],
            width=6,
        ),
        p.stacked(
            "Crawls",
            "Winners per second that were slower than min_tokens_per_second, by what happened to their answers.",
            "reqps",
            [
                p.query(
                    q.total("photofinish_crawls_total", q.TARGET, q.both(c.BY_TARGET, "end")), c.TARGET_LEGEND + " {{end}}"
                )
            ],
            width=6,
        ),
        p.stacked(
            "Runners-up",
            "Losers per second that ran on to answer if the winner fails (keep_runner_up), by result.",
            "reqps",
            [by_word("photofinish_runners_up_total", "end")],
            width=6,
        ),
        p.stacked(
            "Continued answers",
            "Texts per second that their winners broke off, by the target that continued them (on_break: continue).",
            "reqps",
            [
                p.query(
                    q.total("photofinish_attempts_total", q.both('outcome="continued"', q.TARGET), c.BY_TARGET),
                    c.TARGET_LEGEND,
                )
            ],
            no_value="none, or no `on_break: continue`",
        ),
    ]


def page():
    panels = [
        p.numbers(
            "Racing adds",
            "Losers' cost of adaptive races, as a share of winners'.",
            "percentunit",
            [p.now(q.extra_cost("", q.RANGE), "added")],
            width=6,
            no_value=p.NO_ADAPTIVE,
        ),
        p.numbers(
            "Within the predicted 90 %",
            "Share of the first tokens that arrived within their predicted 90th percentile. PhotofinishPredictionsOff "
            "compares this share.",
            "percentunit",
            [p.now(within("0.9", "", q.RANGE), "of the races")],
            width=6,
            no_value=p.NO_ADAPTIVE,
        ),
        p.numbers(
            "Deadlines met",
            "The share of the races with a deadline that met it.",
            "percentunit",
            [
                p.now(
                    q.ratio(
                        q.total("photofinish_deadlines_total", q.both('end="met"', q.ROUTE), "", q.RANGE),
                        q.total("photofinish_deadlines_total", q.ROUTE, "", q.RANGE),
                    ),
                    "met",
                )
            ],
            width=6,
            no_value="no deadlines: see `deadline`",
        ),
        p.numbers(
            "Crawls",
            "Answers that were slower than min_tokens_per_second.",
            "short",
            [p.now(q.total("photofinish_crawls_total", q.TARGET, "", q.RANGE, "increase"), "answers")],
            width=6,
            decimals=0,
            no_value="none, or no `min_tokens_per_second`",
        ),
        *budget_panels(),
        *prediction_panels(),
        *winner_panels(),
    ]
    return p.dashboard(
        "photofinish-decisions",
        "photofinish / decisions",
        "The decisions of races by speed, their cost and their accuracy.",
        c.variables("route", "provider", "model"),
        [c.RESTARTS, c.ALERTS],
        panels,
    )
