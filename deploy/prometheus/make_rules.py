#!/usr/bin/env python3
"""Writes Prometheus' rules from templates/ and the parameters below: deploy/prometheus/make_rules.py

PARAMETERS contains every window, threshold and budget of the rules. To tune some, write your own set of rules:
    make_rules.py --set cost_budget=12.5 --set keep_labels=env,region --out /etc/prometheus/photofinish
To change the project's own rules, edit PARAMETERS and run this without options.
In a template <<name>> is a parameter, <<name_seconds>> a duration in seconds, <<rate:SERIES>> a rate that also
counts series that have just begun, and <<same_hours_low:SERIES>> (high, if higher values are slower) its values at
this hour.
A name that does not exist, or is never used, is an error.
"""

import argparse
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent

PARAMETERS = {
    # The interval at which the rules are evaluated. Prometheus shows a recorded series for five minutes (its
    # look-back), so a longer interval would leave gaps in the series.
    "interval": "30s",
    "fast_interval": "15s",  # for the rules on requests, whose alerts must fire within two minutes
    "baseline_interval": "2m",
    # The window for the current speed and TTFT of a target, and the window of the median to compare with. The offset
    # keeps a new regression out of its own baseline.
    "now_window": "15m",
    "baseline_window": "7d",
    "baseline_offset": "1h",
    # The usual value at this hour is the median over the last days. Each day counts with the slower quarter
    # (baseline_slow) of its values around this time, so a target that is slow in every busy hour is compared with its
    # busy hours. If fewer days than baseline_known are known, the median over baseline_window counts if it is slower.
    "baseline_day": "1d",
    "baseline_days": "7",
    "baseline_around": "1h",  # before and after the same time of day
    "baseline_slow": "0.25",
    "baseline_known": "3",
    "baseline_grace": "1d",  # no alert about a missing baseline before data is this old
    "no_baseline_for": "15m",
    "min_samples": "20",  # answers within now_window; fewer prove nothing
    "regression_for": "10m",
    "regression_keep": "10m",
    "speed_ratio": "0.7",  # slower than this share of the baseline is a regression
    "ttft_ratio": "1.5",  # a TTFT longer than this many baselines is also a regression
    "ttft_floor": "0.1",  # if it is also longer than the baseline by this many seconds
    # A provider fails if this share of its attempts fails.
    "failing_window": "10m",
    "failing_share": "0.5",
    "failing_attempts": "20",
    "failing_for": "5m",
    # The window for the requests per second of each gateway and route, on which error ratios are based. It must contain
    # at least four scrapes.
    "requests_window": "1m",
    # A route is down if this share of its requests fails within requests_window, or, with little traffic, a somewhat
    # smaller share within a longer window.
    "dead_share": "0.95",
    "dead_requests": "20",
    "down_window": "5m",
    "down_share": "0.9",
    "down_requests": "5",
    # A route hangs if none of its requests ends, while at least dead_requests more requests than before are waiting, or
    # their clients have given up. Before that, the route must have answered as many requests per minute, because slow
    # answers alone are not a hang.
    "hang_window": "5m",
    "hang_past": "15m",
    # A gateway fails alone if this share of its requests fails on routes that another gateway answers. The other
    # gateway may fail `gateway_well` of its requests.
    "gateway_share": "0.5",
    "gateway_requests": "5",  # requests of this gateway within requests_window; fewer prove nothing
    "gateway_others": "3",  # requests of the other gateways, for each route
    "gateway_well": "0.1",
    "gateway_for": "15s",
    "gateway_lost": "30s",  # time without access to providers, while another gateway answers
    "gateway_keep": "2m",
    # The objective: this share of streamed requests has its first token within `ttft_edge` seconds. The edge must be
    # one of the bucket edges in docs/metrics/buckets.md, written as there.
    "ttft_objective": "0.99",
    "ttft_edge": "2",
    # Burn rates as in the SRE workbook: the speed at which the error budget is used up, as a multiple of the allowed
    # speed.
    # Each has a long window, and a short window that ends the alert soon after the trouble has ended.
    "burn_page_fast": "14.4",
    "burn_page_fast_long": "1h",
    "burn_page_fast_short": "5m",
    "burn_page_slow": "6",
    "burn_page_slow_long": "6h",
    "burn_page_slow_short": "30m",
    "burn_ticket_fast": "3",
    "burn_ticket_fast_long": "1d",
    "burn_ticket_fast_short": "2h",
    "burn_ticket_slow": "1",
    "burn_ticket_slow_long": "3d",
    "burn_ticket_slow_short": "6h",
    "burn_requests": "20",  # streamed requests within the first long window; fewer prove nothing
    "burn_late": "10",  # late first tokens within each long window: three of 47 are 6 %, but may be chance
    "burn_for": "2m",
    # The second objective: this share of requests is answered completely. Requests with errors of the client, and
    # requests that the client gave up, do not count. The burn rates are as above. A third pair pages within six minutes
    # if half of the requests fail.
    "error_objective": "0.995",
    "burn_page_sharp": "40",
    "burn_page_sharp_long": "10m",
    "burn_page_sharp_short": "1m",
    "burn_errors": "10",  # failed requests within each long window; fewer may be chance
    "error_for": "1m",
    "slow_interval": "2m",  # for the error ratios over the longer windows
    # The highest cost of losing attempts, in USD per hour. Only costs with a known price count.
    "cost_budget": "5",
    "cost_window": "1h",
    "cost_for": "15m",
    # The gateway's own share of the TTFT, 99th percentile, in seconds.
    "overhead_window": "10m",
    "overhead_limit": "0.005",
    "overhead_requests": "100",
    "overhead_for": "10m",
    # Answers that were slower than their route's min_tokens_per_second, as a share of the answers of a target.
    "crawl_window": "30m",
    "crawl_share": "0.05",
    "crawl_answers": "5",  # answers that crawled; fewer may be chance
    "crawl_for": "5m",
    # Predictions are off if fewer adaptive races than this share have their first token before the predicted p90.
    "prediction_window": "1h",
    "prediction_share": "0.75",
    "prediction_races": "100",
    "prediction_for": "30m",
    # The budget of an adaptive route binds if it holds back this share of the hedges that were due.
    "binding_window": "1h",
    "binding_share": "0.5",
    "binding_hedges": "20",
    "binding_for": "1h",
    # Prefixes that were expected in a target's prompt cache but not found there, as a share of those whose provider
    # reports cached tokens.
    "miss_window": "1h",
    "miss_share": "0.25",
    "miss_samples": "50",
    "miss_for": "15m",
    # The share of a route's races that began at another target than the target with most of the prompt in its cache.
    # Moves after a prefix expired lose nothing and do not count.
    "move_window": "1h",
    "move_share": "0.2",
    "moves": "20",
    "move_for": "30m",
    # The max_budget of a key, a team or a route is nearly spent if this share of it is spent.
    "budget_share": "0.9",
    "budget_for": "5m",
    # The store that gateways share does not answer.
    "store_for": "2m",
    # The certificate for clients is renewed late if it has fewer seconds left than this: a week.
    "certificate_left": "604800",
    "certificate_for": "1h",
    "no_data_for": "2m",
    "replica_gone_for": "5m",  # for an alert that one of several gateways is missing
    "restart_window": "15m",
    "restarts": "3",
    "restart_for": "1m",
    "reload_for": "1m",
    "configs_for": "15m",  # longer than a rollout
    # Log lines and spans that were lost, and requests that the gateway itself refused.
    "loss_window": "15m",
    "loss_for": "1m",
    "spans_share": "0.01",
    "spans_for": "10m",
    "state_for": "2m",
    "refusal_window": "10m",
    "refusal_for": "1m",
    "gateway_error_share": "0.01",
    "gateway_errors": "10",
    "gateway_error_for": "2m",
    "store_window": "5m",
    "store_refuses_for": "2m",
    "restored_window": "1h",
    "restored_for": "0s",
    "unpriced_for": "1h",
    "identity_age": "3600",
    "identity_for": "5m",
    # Labels of the scraped series that separate groups of gateways, such as env,region: rules, baselines and alerts
    # never mix their values.
    "keep_labels": "",
    # The place of the runbooks: a URL such as https://docs.example.com/runbooks, or a path in the repository.
    "runbooks": "docs/runbooks",
}

# Labels that the rules group by themselves.
OUR_LABELS = set("client day hash instance issuer job le model name provider route scope team".split())

# The bucket edges of a TTFT. An objective between two edges cannot be measured.
TTFT_EDGES = (
    "0.001 0.0025 0.005 0.01 0.02 0.04 0.06 0.08 0.1 0.15 0.2 0.25 0.3 0.4 0.5 0.75 1 1.5 2 2.5 3 4 5 7.5 10 15 20 30 "
    "60 120"
).split()

NOTICE = "# Generated by make_rules.py from {}: edit the template or the parameters, not this file.\n"


def edge_pattern(edge):
    """Returns a bucket's edge as a regular expression: Prometheus 3 stores le="2" as le="2.0", Prometheus 2
    unchanged."""
    pattern = edge.replace(".", "[.]")
    return pattern if "." in edge else pattern + "([.]0)?"


def seconds(duration):
    """Converts a duration of Prometheus, such as 1h30m, to seconds. Raises ValueError for another text."""
    parts = re.findall(r"(\d+)([smhdw])", duration)
    if not parts or "".join(number + unit for number, unit in parts) != duration:
        raise ValueError(f"{duration} is not a duration such as 30s, 5m or 7d")
    return sum(int(number) * {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}[unit] for number, unit in parts)


def duration_of(number):
    """Converts seconds to a duration of Prometheus: 82800 is 23h."""
    length, unit = next((length, unit) for length, unit in ((3600, "h"), (60, "m"), (1, "s")) if number % length == 0)
    return f"{number // length}{unit}"


def same_hours(series, share, parameters):
    """Returns a quantile of a recorded series around this time of each of the last days, as one series per day with
    the label `day`."""
    day, around = seconds(parameters["baseline_day"]), seconds(parameters["baseline_around"])
    if around >= day:
        raise ValueError("baseline_around must be shorter than baseline_day")
    return "\n          or ".join(
        f"label_replace(quantile_over_time({share}, {series}[{duration_of(2 * around)}]"
        f' offset {duration_of(number * day - around)}), "day", "{number}", "", "")'
        for number in range(1, int(parameters["baseline_days"]) + 1)
    )


def rate_of(series, parameters):
    """A rate that counts the first value of a series that began within the window.

    A client's first failure begins its series, and rate() sees no increase from nothing to one. A series is new if its
    gateway was scraped a window ago and did not show it: otherwise Prometheus itself may be new, or had a gap.
    """
    window = parameters["requests_window"]
    return (
        f"((({series} unless {series} offset {window})\n"
        f'              and on (instance) (up{{job="photofinish"}} offset {window} == 1)) / {seconds(window)})\n'
        f"            or rate({series}[{window}])"
    )


def kept_labels(parameters):
    """Returns the labels of keep_labels. Raises ValueError for labels that cannot be kept."""
    labels = [label.strip() for label in parameters["keep_labels"].split(",") if label.strip()]
    for label in labels:
        if not re.fullmatch("[a-zA-Z_][a-zA-Z0-9_]*", label) or label.startswith("__"):
            raise ValueError(f"keep_labels: {label} is not a label's name")
        if label in OUR_LABELS or labels.count(label) > 1:
            raise ValueError(f"keep_labels: {label} is already a label of the rules")
    return labels


def keep_apart(text, labels):
    """Adds labels to every `by` and `on` of the rules, and to the end of every summary."""
    if not labels:
        return text
    lines, kept = text.split("\n"), ", ".join(labels)
    shown = " ".join(f"{{{{ $labels.{label} }}}}" for label in labels)
    for number, line in enumerate(lines):
        if re.match(r" *summary: ", line):
            lines[number] = f"{line[:-1]} ({shown}){line[-1]}"
        elif not re.match(" *(#|description: )", line):
            lines[number] = re.sub(
                r"\b(by|on) \((\w*)", lambda found: f"{found[1]} ({kept}{', ' if found[2] else ''}{found[2]}", line
            )
    return "\n".join(lines)


def render(template, parameters):
    """Returns the text of a rule file."""
    values = dict(parameters, ttft_edge_pattern=edge_pattern(parameters["ttft_edge"]))
    slow = float(parameters["baseline_slow"])
    for name, share in (("same_hours_low", slow), ("same_hours_high", 1 - slow)):
        template = re.sub(f"<<{name}:(.*?)>>", lambda match: same_hours(match[1], f"{share:g}", parameters), template)
    template = re.sub(r"<<rate:(.*?)>>", lambda match: rate_of(match[1], parameters), template)
    template = re.sub(r"<<(\w+)_seconds>>", lambda match: str(seconds(values[match[1]])), template)
    text = re.sub(r"<<(\w+)>>", lambda match: values[match[1]], template)
    return keep_apart(text, kept_labels(parameters))


def templates():
    return sorted((HERE / "templates").glob("*.yml"))


def with_settings(settings):
    """Returns PARAMETERS with some values replaced. Raises ValueError for an invalid value."""
    unknown = sorted(set(settings) - set(PARAMETERS))
    if unknown:
        raise ValueError(f"no such parameter: {', '.join(unknown)}; there are: {', '.join(PARAMETERS)}")
    empty = sorted(name for name, value in settings.items() if not value)
    if empty:
        raise ValueError(f"no value for {', '.join(empty)}")
    edge = settings.get("ttft_edge", PARAMETERS["ttft_edge"])
    if edge not in TTFT_EDGES:
        raise ValueError(f"ttft_edge: {edge} is not a bucket edge; the edges are: {' '.join(TTFT_EDGES)}")
    if "runbooks" in settings:
        if re.search(r"[\s'\"#]", settings["runbooks"]):
            raise ValueError(f"runbooks: {settings['runbooks']} is not a URL or a path")
        settings = {**settings, "runbooks": settings["runbooks"].rstrip("/")}
    return {**PARAMETERS, **settings}


def rule_files(settings=None):
    """Returns {file name: text} of all rule files."""
    parameters = with_settings(settings or {})
    return {
        path.name: NOTICE.format(f"templates/{path.name}") + render(path.read_text(), parameters)
        for path in templates()
    }


def unused_parameters():
    text = "".join(path.read_text() for path in templates())
    used = set(re.findall(r"<<(\w+?)(?:_seconds)?>>", text))
    if "ttft_edge_pattern" in used:
        used.add("ttft_edge")
    used.add("keep_labels")  # in every `by` and `on`
    if "<<rate:" in text:
        used.add("requests_window")
    if "<<same_hours_low:" in text:
        used |= {"baseline_day", "baseline_days", "baseline_around", "baseline_slow"}
    return sorted(set(PARAMETERS) - used)


def write(folder, settings=None):
    files = rule_files(settings)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)


def main():
    parser = argparse.ArgumentParser(description="Writes Prometheus' rules from their templates.")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="instead of the default")
    parser.add_argument("--out", type=pathlib.Path, default=HERE / "rules", metavar="FOLDER")
    options = parser.parse_args()
    try:
        write(options.out, dict(setting.partition("=")[::2] for setting in options.set))
    except ValueError as problem:
        sys.exit(f"make_rules.py: {problem}")


if __name__ == "__main__":
    main()
