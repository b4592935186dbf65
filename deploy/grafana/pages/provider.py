"""One provider in depth."""

from pages import common as c, panels as p, queries as q


def page():
    ttft = "photofinish_attempt_ttft_seconds"
    panels = [
        p.numbers(
            "Wins",
            "Share of the provider's races that it won.",
            "percentunit",
            [p.now(q.won_share_of_own_races("model", q.RANGE), "{{model}}")],
            width=5,
        ),
        p.numbers(
            "First token of its wins",
            "Time from the attempt's start to its first token read.",
            "s",
            [p.now(q.won_ttft(0.5, "", q.RANGE), "p50"), p.now(q.won_ttft(0.95, "", q.RANGE), "p95")],
            width=5,
        ),
        p.numbers(
            "Speed",
            "Median output speed in the time range, and the usual speed at this hour, which is always counted by the "
            "gateway's tokenizer.",
            c.TOK_S,
            [p.now(q.speed(0.5, "model", q.RANGE), "{{model}}"), p.now(c.SPEED_BASELINE, "{{model}}, usual")],
            width=5,
        ),
        p.numbers(
            "Failing",
            "Share of the started attempts that failed or broke.",
            "percentunit",
            [p.now(q.failure_share("model", q.RANGE), "{{model}}")],
            width=4,
            thresholds=c.FAILURE_COLOURS,
        ),
        p.numbers(
            "USD an hour",
            "Cost of the provider's wins and losses; empty without a known price.",
            "currencyUSD",
            [
                p.now(q.usd_per_hour("winner", "", q.RANGE), "won"),
                p.now(q.usd_per_hour("loser", "", q.RANGE), "lost"),
            ],
            width=5,
            decimals=2,
        ),
        p.row("First token"),
        p.heatmap(
            "First token",
            "Every attempt whose first token was seen, by the time to the first token.",
            "s",
            q.total(f"{ttft}_bucket", q.TARGET, "le", of="increase"),
        ),
        p.lines(
            "First token, percentiles",
            "Percentiles of won attempts and of observed attempts.",
            "s",
            [
                p.query(q.quantile(share, ttft, q.TARGET, "sample"), f"{{{{sample}}}} {name}")
                for share, name in c.PERCENTILES
            ],
        ),
        p.lines(
            "Now and before",
            "The median over a quarter of an hour, and the usual value at this hour.",
            "s",
            [p.query(c.TTFT_NOW, "{{model}}"), p.query(c.TTFT_BASELINE, "{{model}}, usual")],
            width=8,
        ),
        p.lines(
            "First byte and first token, p50",
            "The time between them is the model's, not the network's.",
            "s",
            [
                p.query(q.quantile(0.5, "photofinish_attempt_first_byte_seconds", q.TARGET), "first byte"),
                p.query(q.won_ttft(0.5, ""), "first token"),
            ],
            width=8,
        ),
        p.lines(
            "Losses",
            "A loser's age when it was cancelled, and the duration of cancelling.",
            "s",
            [
                p.query(q.quantile(0.5, "photofinish_attempt_abandoned_seconds", q.TARGET), "age p50"),
                p.query(q.quantile(0.95, "photofinish_cancel_seconds", 'provider=~"$provider"'), "cancelling p95"),
            ],
            width=8,
        ),
        p.lines(
            "Waiting at the provider",
            "Time that winners waited for their turn, and time for reading their prompts, if the provider reports it.",
            "s",
            [
                p.query(
                    q.quantile(share, "photofinish_attempt_reported_seconds", q.TARGET, "stage"),
                    f"{{{{stage}}}} {name}",
                )
                for share, name in c.PERCENTILES
            ],
            width=8,
        ),
        p.row("Speed"),
        p.heatmap(
            "Speed",
            "Every measured answer, by its output speed.",
            c.TOK_S,
            q.total("photofinish_output_tokens_per_second_bucket", q.both(q.SOURCE, q.TARGET), "le", of="increase"),
        ),
        p.lines(
            "Speed, percentiles",
            "Half of the answers are slower than p50; one in twenty is slower than p5.",
            c.TOK_S,
            [p.query(q.speed(share, ""), name) for share, name in ((0.05, "p5"), (0.5, "p50"), (0.95, "p95"))],
        ),
        p.lines(
            "Now and before",
            "The median over a quarter of an hour, and the usual value at this hour. Below the alert's "
            f"{c.SLOW:g} of it, PhotofinishThroughputRegression fires.",
            c.TOK_S,
            [
                p.query(c.SPEED_NOW, "{{model}}"),
                p.query(c.SPEED_BASELINE, "{{model}}, usual"),
                p.query(f"{c.SLOW:g} * {c.SPEED_BASELINE}", "{{model}}, alert"),
            ],
            width=8,
        ),
        p.lines(
            "Tokens",
            "Output tokens per second, by the source of the count.",
            "short",
            [p.query(q.total("photofinish_output_tokens_total", q.TARGET, "model, source"), "{{model}}, {{source}}")],
            width=8,
        ),
        p.stacked(
            "Not measurable",
            "Answers per second without a speed sample, by reason.",
            "reqps",
            [p.query(q.total("photofinish_unmeasurable_total", q.TARGET, "reason"), "{{reason}}")],
            width=8,
        ),
        p.row("Attempts"),
        p.stacked(
            "How attempts end",
            "Attempts that ended, per second.",
            "reqps",
            [p.query(q.attempts("", "outcome"), "{{outcome}}")],
            width=8,
        ),
        p.stacked(
            "Why they fail",
            "Attempts per second that failed or broke.",
            "reqps",
            [p.query(q.attempts(q.FAILED, "reason"), "{{reason}}")],
            width=8,
        ),
        p.stacked(
            "Connections",
            "Connections on which attempts began: new or warm.",
            "reqps",
            [p.query(q.total("photofinish_upstream_connections_total", 'provider=~"$provider"', "kind"), "{{kind}}")],
            width=8,
        ),
        p.lines(
            "In flight",
            "Attempts running now.",
            "short",
            [p.query(f'sum(photofinish_inflight_attempts{{provider=~"$provider", {q.INSTANCE}}})', "attempts")],
            width=8,
        ),
        p.stacked(
            "Lost tokens",
            "Estimated output tokens of losing attempts per second, by how the provider bills cancelled attempts.",
            "short",
            [p.query(q.total("photofinish_lost_output_tokens_total", q.TARGET, "billing"), "{{billing}}")],
            width=8,
        ),
        p.lines(
            "Length of prompts and answers",
            "Mean tokens of an answer, as the provider counts them.",
            "short",
            [
                p.query(
                    q.mean(
                        "gen_ai_client_token_usage",
                        'gen_ai_provider_name=~"$provider", gen_ai_request_model=~"$model"',
                        "gen_ai_token_type",
                    ),
                    "{{gen_ai_token_type}}",
                )
            ],
            width=8,
        ),
    ]
    return p.dashboard(
        "photofinish-provider",
        "photofinish / one provider",
        "One provider in depth.",
        c.variables("one_provider", "model", "source"),
        [c.RESTARTS, c.ALERTS],
        panels,
    )
