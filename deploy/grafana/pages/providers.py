"""All providers next to each other."""

from pages import common as c, panels as p, queries as q


def page():
    panels = [
        p.table(
            "Side by side",
            "The time range in one row for each target. Wins are a biased sample, because slow attempts lose: a TTFT "
            "describes only the races that a target won. Click a provider for its own page. USD needs a known price; "
            "without any the column is missing.",
            [
                ("wins", q.win_share(c.BY_TARGET, q.RANGE), "percentunit", None),
                ("won of its races", q.won_share_of_own_races(c.BY_TARGET, q.RANGE), "percentunit", None),
                ("first token p50", q.won_ttft(0.5, c.BY_TARGET, q.RANGE), "s", None),
                ("first token p95", q.won_ttft(0.95, c.BY_TARGET, q.RANGE), "s", None),
                ("of its usual", q.ratio(c.TTFT_NOW, c.TTFT_BASELINE), "percentunit", c.TARDY_COLOURS),
                ("speed p50", q.speed(0.5, c.BY_TARGET, q.RANGE), c.TOK_S, None),
                ("of its usual speed", q.ratio(c.SPEED_NOW, c.SPEED_BASELINE), "percentunit", c.SPEED_COLOURS),
                ("failing", q.failure_share(c.BY_TARGET, q.RANGE), "percentunit", c.FAILURE_COLOURS),
                ("losers' USD an hour", q.usd_per_hour("loser", c.BY_TARGET, q.RANGE), "currencyUSD", None),
            ],
            key=c.TARGET_KEY,
            drill_down="photofinish-provider",
        ),
        p.row("First token"),
        p.lines(
            "First token of winners, p50",
            "Time from the attempt's start to its first token read, in the races that the target won.",
            "s",
            [p.query(q.won_ttft(0.5, c.BY_TARGET), c.TARGET_LEGEND)],
            width=8,
        ),
        p.lines(
            "First token of winners, p95",
            "Time from the attempt's start to its first token read, in the races that the target won.",
            "s",
            [p.query(q.won_ttft(0.95, c.BY_TARGET), c.TARGET_LEGEND)],
            width=8,
        ),
        p.lines(
            "Losers' age, p50",
            "Age of losers when they were cancelled: their first token would have taken at least this long.",
            "s",
            [
                p.query(
                    q.quantile(0.5, "photofinish_attempt_abandoned_seconds", q.TARGET, c.BY_TARGET), c.TARGET_LEGEND
                )
            ],
            width=8,
        ),
        p.lines(
            "First byte, p50",
            "Time from the attempt's start to the first byte of its response, for all attempts with a response.",
            "s",
            [
                p.query(
                    q.quantile(0.5, "photofinish_attempt_first_byte_seconds", q.TARGET, c.BY_TARGET), c.TARGET_LEGEND
                )
            ],
            width=8,
        ),
        p.lines(
            "First token of observed losers, p50",
            "Losers that ran to their first token (observe_losers): the unbiased comparison.",
            "s",
            [
                p.query(
                    q.quantile(
                        0.5, "photofinish_attempt_ttft_seconds", q.both('sample="observed"', q.TARGET), c.BY_TARGET
                    ),
                    c.TARGET_LEGEND,
                )
            ],
            width=8,
        ),
        p.lines(
            "On a warm connection",
            "Share of the attempts that began on an open connection.",
            "percentunit",
            [
                p.query(
                    q.ratio(
                        q.total(
                            "photofinish_upstream_connections_total",
                            'kind="reused", provider=~"$provider"',
                            "provider",
                        ),
                        q.total("photofinish_upstream_connections_total", 'provider=~"$provider"', "provider"),
                    ),
                    "{{provider}}",
                )
            ],
            width=8,
        ),
        p.row("Speed"),
        p.lines(
            "Speed, p50",
            "Median output speed after the first token.",
            c.TOK_S,
            [p.query(q.speed(0.5, c.BY_TARGET), c.TARGET_LEGEND)],
            width=8,
        ),
        p.lines(
            "Speed, p5",
            "The slowest answers: one in twenty is slower than this.",
            c.TOK_S,
            [p.query(q.speed(0.05, c.BY_TARGET), c.TARGET_LEGEND)],
            width=8,
        ),
        p.lines(
            "Speed, weighted by tokens",
            "Tokens divided by seconds, over all answers, without the error of histogram buckets.",
            c.TOK_S,
            [p.query(q.weighted_speed(c.BY_TARGET), c.TARGET_LEGEND)],
            width=8,
        ),
        p.row("Failures"),
        p.lines(
            "Failing attempts",
            "Share of the started attempts that failed or broke.",
            "percentunit",
            [p.query(q.failure_share(c.BY_TARGET), c.TARGET_LEGEND)],
            width=8,
        ),
        p.stacked(
            "Why they fail",
            "Attempts per second that failed or broke.",
            "reqps",
            [p.query(q.attempts(q.FAILED, "provider, reason"), "{{provider}} {{reason}}")],
            width=8,
        ),
        p.stacked(
            "Left out",
            "Targets skipped per second, by reason: cooling down, no key, or an unsupported parameter.",
            "reqps",
            [p.query(q.attempts('outcome="skipped"', "provider, reason"), "{{provider}} {{reason}}")],
            width=8,
        ),
    ]
    return p.dashboard(
        "photofinish-providers",
        "photofinish / providers",
        "All providers next to each other.",
        c.variables("provider", "model", "source"),
        [c.RESTARTS, c.ALERTS],
        panels,
    )
