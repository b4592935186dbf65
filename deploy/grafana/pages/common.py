"""The parts that the dashboards share: names of recorded series, thresholds, variables, annotations.

Thresholds are the parameters of the rules, so that a colour means the same as an alert.
"""

from make_rules import PARAMETERS, edge_pattern
from pages import panels as p, queries as q

TOK_S = "suffix: tok/s"
TARGET_KEY = ["provider", "model"]
BY_TARGET = "provider, model"
TARGET_LEGEND = "{{provider}}/{{model}}"

SPEED = "provider_model:photofinish_output_tokens_per_second"
SPEED_NOW, SPEED_BASELINE = q.recorded(f"{SPEED}:p50"), q.recorded(f"{SPEED}:p50_baseline")
TTFT = "provider_model:photofinish_attempt_ttft_seconds"
TTFT_NOW, TTFT_BASELINE = q.recorded(f"{TTFT}:p50"), q.recorded(f"{TTFT}:p50_baseline")
BUDGET = q.recorded("photofinish:cost_usd_loser:budget_per_hour", labels="")
LOSERS_USD = q.recorded("photofinish:cost_usd_loser:per_hour", labels="")

LATE_S = float(PARAMETERS["ttft_edge"])
LATE_EDGE = edge_pattern(PARAMETERS["ttft_edge"])
OBJECTIVE = float(PARAMETERS["ttft_objective"])
SLOW, TARDY = float(PARAMETERS["speed_ratio"]), float(PARAMETERS["ttft_ratio"])
SPENT = float(PARAMETERS["budget_share"])
EXPIRES_S = float(PARAMETERS["certificate_left"])
MISSED, MOVED = float(PARAMETERS["miss_share"]), float(PARAMETERS["move_share"])
OVERHEAD_S = float(PARAMETERS["overhead_limit"])

ERROR_COLOURS = p.steps(p.GREEN, (0.01, p.YELLOW), (0.05, p.RED))
FAILURE_COLOURS = p.steps(p.GREEN, (0.05, p.YELLOW), (float(PARAMETERS["failing_share"]), p.RED))
TTFT_COLOURS = p.steps(p.GREEN, (LATE_S / 2, p.YELLOW), (LATE_S, p.RED))
SPEED_COLOURS = p.steps(p.RED, (SLOW, p.YELLOW), ((1 + SLOW) / 2, p.GREEN))
TARDY_COLOURS = p.steps(p.GREEN, ((1 + TARDY) / 2, p.YELLOW), (TARDY, p.RED))
MISS_COLOURS = p.steps(p.GREEN, (MISSED / 2, p.YELLOW), (MISSED, p.RED))
MOVE_COLOURS = p.steps(p.GREEN, (MOVED / 2, p.YELLOW), (MOVED, p.RED))

RESTARTS = p.annotation(
    "restarts",
    'process_start_time_seconds{job="photofinish"} * 1000',
    "{{instance}} started",
    "blue",
    useValueForTime=True,
)
ALERTS = p.annotation(
    "alerts",
    'ALERTS{alertname=~"Photofinish.+", alertstate="firing"}',
    "{{alertname}}",
    "red",
    textFormat="{{severity}} {{route}} {{provider}} {{model}}",
)

PERCENTILES = ((0.5, "p50"), (0.95, "p95"), (0.99, "p99"))


def variables(*wanted):
    known = {
        "route": p.label_variable("route", "route", "label_values(photofinish_requests_total, route)"),
        "provider": p.label_variable("provider", "provider", "label_values(photofinish_attempts_total, provider)"),
        "one_provider": p.label_variable(
            "provider", "provider", "label_values(photofinish_attempts_total, provider)", several=False
        ),
        "model": p.label_variable(
            "model", "model", 'label_values(photofinish_attempts_total{provider=~"$provider"}, model)'
        ),
        "client": p.label_variable("client", "client", "label_values(photofinish_requests_total, client)"),
        "team": p.label_variable("team", "team", "label_values(photofinish_client_tokens_total, team)"),
        "instance": p.label_variable("instance", "gateway", "label_values(photofinish_build_info, instance)"),
        "source": p.choice_variable("source", "tokens counted by", ["tokenizer", "usage"]),
    }
    return [p.datasource_variable(), known["instance"], *(known[name] for name in wanted)]
