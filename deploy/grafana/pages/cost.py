"""The cost of losing attempts, and their benefit."""

from pages import common as c, panels as p, queries as q


def page():
    margin = "photofinish_race_margin_seconds"
    saved_s = f"({q.mean(margin, q.ROUTE, '', q.RANGE)} * {q.attempts(q.WON, '', q.RANGE)})"
    loser_usd = q.total("photofinish_cost_usd_total", q.both('kind="loser"', q.TARGET), "", q.RANGE)
    panels = [
        p.numbers(
            "USD an hour",
            "Winners: the cost of answers. Losers: the additional cost of racing. Only targets with a known price "
            "count; a loser's cost is an estimate.",
            "currencyUSD",
            [
                p.now(q.usd_per_hour("winner", "", q.RANGE), "winners"),
                p.now(q.usd_per_hour("loser", "", q.RANGE), "losers"),
                p.now(q.where_priced(c.BUDGET, q.RANGE), "budget for losers"),
            ],
            width=6,
            decimals=2,
        ),
        p.numbers(
            "Racing adds",
            "Losers' cost, as a share of winners' cost.",
            "percentunit",
            [
                p.now(
                    q.ratio(q.usd_per_hour("loser", "", q.RANGE), f"({q.usd_per_hour('winner', '', q.RANGE)})"),
                    "added",
                )
            ],
            width=4,
            no_value=p.NO_VALUE["currencyUSD"],
        ),
        p.numbers(
            "Attempts for a win",
            "Started attempts divided by won races: 1 means no racing at all.",
            "short",
            [p.now(q.ratio(q.attempts(q.STARTED, "", q.RANGE), q.attempts(q.WON, "", q.RANGE)), "attempts")],
            width=4,
            decimals=2,
        ),
        p.numbers(
            "Racing saves",
            "Runner-up's first token minus the winner's, in observed races (observe_losers).",
            "s",
            [
                p.now(q.mean(margin, q.ROUTE, "", q.RANGE), "mean"),
                p.now(q.quantile(0.95, margin, q.ROUTE, "", q.RANGE), "p95"),
            ],
            width=5,
            no_value=p.NO_MARGIN,
        ),
        p.numbers(
            "A saved second costs",
            "Losers' cost divided by the waiting time that races save, if the observed races are like the other races.",
            "currencyUSD",
            [p.now(q.ratio(loser_usd, saved_s), "USD")],
            width=5,
            decimals=4,
            no_value="no known price, or no observed races: see `prices` and `observe_losers`",
        ),
        p.row("Money"),
        p.stacked(
            "Cost",
            "USD per hour, for targets with a known price.",
            "currencyUSD",
            [p.query(q.usd_per_hour("winner"), "winners"), p.query(q.usd_per_hour("loser"), "losers")],
        ),
        p.lines(
            "Losers against their budget",
            "PhotofinishRacingOverBudget compares these values: losers' cost in an hour, and the budget in the rules.",
            "currencyUSD",
            [p.query(c.LOSERS_USD, "losers"), p.query(q.where_priced(c.BUDGET), "budget")],
        ),
        p.stacked(
            "Losers' cost by target",
            "USD per hour; targets without a known price are missing.",
            "currencyUSD",
            [p.query(q.usd_per_hour("loser", c.BY_TARGET), c.TARGET_LEGEND)],
        ),
        p.stacked(
            "Winners' cost by target",
            "USD per hour; targets without a known price are missing.",
            "currencyUSD",
            [p.query(q.usd_per_hour("winner", c.BY_TARGET), c.TARGET_LEGEND)],
        ),
        p.row("Tokens, priced or not"),
        p.stacked(
            "Losers' output tokens",
            "Estimated tokens per second, by whether the provider stops billing when an attempt is cancelled: stops, "
            "full, unknown.",
            "short",
            [p.query(q.total("photofinish_lost_output_tokens_total", q.TARGET, "billing"), "{{billing}}")],
            width=8,
        ),
        p.stacked(
            "Losers' input tokens",
            "Estimated tokens per second, by whether the provider stops billing when an attempt is cancelled. Most "
            "providers bill a prompt as soon as it is sent.",
            "short",
            [p.query(q.total("photofinish_lost_input_tokens_total", q.TARGET, "billing"), "{{billing}}")],
            width=8,
        ),
        p.lines(
            "Lost by delivered",
            "Losers' output tokens that are or may be billed, for each token delivered.",
            "percentunit",
            [
                p.query(
                    q.ratio(
                        q.total("photofinish_lost_output_tokens_total", q.both('billing!="stops"', q.TARGET)),
                        q.total("photofinish_output_tokens_total", q.both(q.SOURCE, q.TARGET)),
                    ),
                    "lost",
                )
            ],
            width=8,
        ),
        p.row("What it buys"),
        p.stacked(
            "How attempts end",
            "Attempts ended per second: lost attempts are the price of racing, failed attempts the reason for it.",
            "reqps",
            [p.query(q.attempts("", "outcome"), "{{outcome}}")],
            width=8,
        ),
        p.lines(
            "Seconds saved",
            "Runner-up's first token minus the winner's, by route, in observed races.",
            "s",
            [
                p.query(q.quantile(0.5, margin, q.ROUTE, "route"), "{{route}} p50"),
                p.query(q.quantile(0.95, margin, q.ROUTE, "route"), "{{route}} p95"),
            ],
            width=8,
            no_value=p.NO_MARGIN,
        ),
        p.table(
            "Races that a target lost",
            "A target that hardly ever wins costs money without a benefit: remove it, or hedge. USD only for targets "
            "with a known price; the column is missing if no price is known.",
            [
                ("lost", q.attempts(q.LOST, c.BY_TARGET, q.RANGE, "increase"), "short", None),
                ("won of its races", q.won_share_of_own_races(c.BY_TARGET, q.RANGE), "percentunit", None),
                ("USD an hour lost", q.usd_per_hour("loser", c.BY_TARGET, q.RANGE), "currencyUSD", None),
            ],
            key=c.TARGET_KEY,
            width=8,
            drill_down="photofinish-provider",
        ),
    ]
    return p.dashboard(
        "photofinish-cost",
        "photofinish / cost of racing",
        "The cost of losing attempts, and their benefit.",
        c.variables("route", "provider", "model", "source"),
        [c.RESTARTS, c.ALERTS],
        panels,
    )
