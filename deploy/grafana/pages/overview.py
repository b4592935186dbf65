"""The overview: which targets win, which are slow, what racing costs, and what fails."""

from pages import common as c, panels as p, queries as q

ALERT_KEY = ["severity", "alertname", "route", "provider", "model", "instance"]
FIRING = f"sum by ({', '.join(ALERT_KEY)}) (ALERTS" + '{alertname=~"Photofinish.+", alertstate="firing"})'


def page():
    ttft = "photofinish_request_ttft_seconds"
    panels = [
        # Answers within ten seconds: who wins, how fast is it for clients, who is slow, what does racing cost, does
        # anything fail.
        p.bars(
            "Who wins",
            "Each provider's share of all won races in the time range.",
            "percentunit",
            [p.now(q.win_share("provider", q.RANGE), "{{provider}}")],
            width=5,
            height=7,
            maximum=1,
        ),
        p.numbers(
            "First token, as clients see it",
            "Time from the request to its first token written, for all streamed requests of the time range. Red from "
            f"the objective's {c.LATE_S:g} s on.",
            "s",
            [p.now(q.quantile(share, ttft, q.ROUTE, "", q.RANGE), name) for share, name in c.PERCENTILES],
            width=4,
            height=7,
            thresholds=c.TTFT_COLOURS,
        ),
        p.table(
            "Speed against its own past",
            "Median output speed now, the usual speed at this hour, and their ratio. Red: "
            "PhotofinishThroughputRegression fires. Tokens are counted by the gateway's tokenizer.",
            [
                ("now", c.SPEED_NOW, c.TOK_S, None),
                ("usual", c.SPEED_BASELINE, c.TOK_S, None),
                ("ratio", q.ratio(c.SPEED_NOW, c.SPEED_BASELINE), "percentunit", c.SPEED_COLOURS),
            ],
            key=c.TARGET_KEY,
            width=7,
            height=7,
            drill_down="photofinish-provider",
        ),
        p.numbers(
            "USD an hour",
            "The cost of winners and losers in the time range, without targets whose price is unknown. A loser's cost "
            "is an estimate; the budget for losers is a constant of the rules.",
            "currencyUSD",
            [
                p.now(q.usd_per_hour("winner", "", q.RANGE), "winners"),
                p.now(q.usd_per_hour("loser", "", q.RANGE), "losers"),
                p.now(q.where_priced(c.BUDGET, q.RANGE), "budget for losers"),
            ],
            width=4,
            height=7,
            decimals=2,
        ),
        p.numbers(
            "Errors",
            "Share of the requests of all clients in the time range that got no answer or a broken answer, as the "
            "alerts count it. Wrong requests, and requests that clients cancelled, do not count.",
            "percentunit",
            [p.now(q.error_share("", q.RANGE), "all"), p.now(q.error_share("route", q.RANGE), "{{route}}")],
            width=4,
            height=7,
            thresholds=c.ERROR_COLOURS,
            decimals=2,
        ),
        p.row("Over time"),
        p.stacked(
            "Wins",
            "Races won in a second, by provider.",
            "reqps",
            [p.query(q.attempts(q.WON, "provider"), "{{provider}}")],
            width=8,
        ),
        p.lines(
            "First token, as clients see it",
            "Percentiles over all selected routes.",
            "s",
            [p.query(q.quantile(share, ttft, q.ROUTE), name) for share, name in c.PERCENTILES],
            width=8,
            limit=c.LATE_S,
        ),
        p.lines(
            "Speed by provider",
            "Median output speed of the answers.",
            c.TOK_S,
            [p.query(q.speed(0.5, "provider"), "{{provider}}")],
            width=8,
        ),
        p.stacked(
            "Requests",
            "Requests ended per second, by outcome.",
            "reqps",
            [p.query(q.requests("", "outcome"), "{{outcome}}")],
            width=8,
        ),
        p.stacked(
            "Failing attempts",
            "Attempts that failed or broke in a second, by provider and reason.",
            "reqps",
            [p.query(q.attempts(q.FAILED, "provider, reason"), "{{provider}} {{reason}}")],
            width=8,
        ),
        p.stacked(
            "Cost",
            "USD per hour, for targets with a known price.",
            "currencyUSD",
            [p.query(q.usd_per_hour("winner"), "winners"), p.query(q.usd_per_hour("loser"), "losers")],
            width=8,
        ),
        p.row("The gateway"),
        p.lines(
            "Requests within the objective",
            f"Share whose first token came within {c.LATE_S:g} s; the objective is " f"{c.OBJECTIVE:g}.",
            "percentunit",
            [p.query(q.in_time(c.LATE_EDGE, "route", "$__rate_interval"), "{{route}}")],
            width=8,
        ),
        p.lines(
            "Overhead",
            "The gateway's own time before the first token: from the request to the first attempt, and from reading "
            "the first token to writing its first byte.",
            "s",
            [
                p.query(q.quantile(0.5, "photofinish_overhead_seconds", q.ROUTE), "p50"),
                p.query(q.quantile(0.99, "photofinish_overhead_seconds", q.ROUTE), "p99"),
            ],
            width=8,
            limit=c.OVERHEAD_S,
        ),
        p.lines(
            "In flight",
            "Requests and attempts running now.",
            "short",
            [
                p.query(f"sum(photofinish_inflight_requests{{{q.both(q.ROUTE, q.INSTANCE)}}})", "requests"),
                p.query(f"sum(photofinish_inflight_attempts{{{q.INSTANCE}}})", "attempts"),
            ],
            width=8,
        ),
        p.lines(
            "Processor",
            "CPU seconds used in a second, by gateway.",
            "short",
            [p.query('rate(process_cpu_seconds_total{job="photofinish"}[$__rate_interval])', "{{instance}}")],
            width=8,
        ),
        p.lines(
            "Memory",
            "Resident memory, by gateway.",
            "bytes",
            [p.query('process_resident_memory_bytes{job="photofinish"}', "{{instance}}")],
            width=8,
        ),
        p.table(
            "Gateways",
            "Running gateways: whether Prometheus can scrape them, whether their newest configuration was accepted, "
            "and the share of their file descriptors in use.",
            [
                ("up", 'sum by (instance) (up{job="photofinish"})', "short", p.steps(p.RED, (1, p.GREEN))),
                (
                    "configuration accepted",
                    "sum by (instance) (photofinish_config_last_reload_successful)",
                    "short",
                    p.steps(p.RED, (1, p.GREEN)),
                ),
                (
                    "files in use",
                    'sum by (instance) (process_open_fds{job="photofinish"})'
                    ' / sum by (instance) (process_max_fds{job="photofinish"})',
                    "percentunit",
                    None,
                ),
                ("build", "sum by (instance, version, commit) (photofinish_build_info)", "short", None),
            ],
            key=["instance", "version", "commit"],
            width=8,
        ),
        p.table(
            "Alerts that fire",
            "Each alert has its page in docs/runbooks.",
            [("firing", FIRING, "short", None)],
            key=ALERT_KEY,
            height=6,
        ),
    ]
    return p.dashboard(
        "photofinish-overview",
        "photofinish / overview",
        "Who is winning, who is slow, what racing costs.",
        c.variables("route", "provider", "model", "client", "source"),
        [c.RESTARTS, c.ALERTS],
        panels,
    )
