"""The PromQL of the dashboards: each function returns a query. `by` are labels to keep, `over` is a time range."""

WON = 'outcome=~"won|broken"'  # a broken attempt has won first
LOST = 'outcome="lost"'
RACED = 'outcome=~"won|broken|lost"'
FAILED = 'outcome=~"failed|broken"'
STARTED = 'outcome!="skipped"'
TARGET = 'provider=~"$provider", model=~"$model"'
ROUTE = 'route=~"$route"'
CLIENT = 'client=~"$client"'
TEAM = 'team=~"$team"'
INSTANCE = 'instance=~"$instance"'
SOURCE = 'source="$source"'

NOW = "$__rate_interval"
RANGE = "$__range"  # the dashboard's whole time range


def both(*labels):
    return ", ".join(label for label in labels if label)


def total(name, labels="", by="", over=NOW, of="rate"):
    """Returns the sum of the rate, or increase, of a counter."""
    grouping = f" by ({by})" if by else ""
    return f"sum{grouping} ({of}({name}{{{both(labels, INSTANCE)}}}[{over}]))"


def ratio(part, everything):
    return f"{part} / {everything}"


def part_of(part, everything):
    """Returns a share. It is 0 while `part` has no series, because a series begins with the first counted event."""
    return f"({part} or 0 * {everything}) / {everything}"


def quantile(share, name, labels="", by="", over=NOW):
    return f"histogram_quantile({share}, {total(name + '_bucket', labels, both(by, 'le'), over)})"


def mean(name, labels="", by="", over=NOW):
    return ratio(total(name + "_sum", labels, by, over), total(name + "_count", labels, by, over))


def attempts(labels, by="", over=NOW, of="rate"):
    return total("photofinish_attempts_total", both(labels, TARGET), by, over, of)


def requests(labels, by="", over=NOW, of="rate"):
    return total("photofinish_requests_total", both(labels, ROUTE, CLIENT), by, over, of)


def win_share(by, over=NOW):
    return ratio(attempts(WON, by, over), f"scalar({attempts(WON, '', over)})")


def won_share_of_own_races(by, over=NOW):
    return ratio(attempts(WON, by, over), attempts(RACED, by, over))


def failure_share(by, over=NOW):
    return ratio(attempts(FAILED, by, over), attempts(STARTED, by, over))


def error_share(by="", over=NOW):
    """Returns the recorded error ratio of the selected gateways and routes, for all clients together."""
    grouping = f" by ({by})" if by else ""
    failed, judged = (
        f"sum{grouping} (sum_over_time(instance_route:photofinish_requests_{kind}:per_second{{{both(ROUTE, INSTANCE)}}}[{over}]))"
        for kind in ("failed", "judged")
    )
    return ratio(failed, judged)


def in_time(edge_pattern, by="", over=RANGE):
    """Returns the share of the streamed requests whose first token came within a bucket's edge."""
    name = "photofinish_request_ttft_seconds"
    return ratio(
        total(f"{name}_bucket", both(ROUTE, f'le=~"{edge_pattern}"'), by, over),
        total(f"{name}_count", ROUTE, by, over),
    )


def speed(share, by, over=NOW):
    return quantile(share, "photofinish_output_tokens_per_second", both(SOURCE, TARGET), by, over)


def weighted_speed(by, over=NOW):
    return ratio(
        total("photofinish_decode_tokens_total", both(SOURCE, TARGET), by, over),
        total("photofinish_decode_seconds_total", both(SOURCE, TARGET), by, over),
    )


def won_ttft(share, by, over=NOW):
    return quantile(share, "photofinish_attempt_ttft_seconds", both('sample="won"', TARGET), by, over)


def usd_per_hour(kind, by="", over=NOW):
    return "3600 * " + total("photofinish_cost_usd_total", both(f'kind="{kind}"', TARGET), by, over)


def extra_cost(by="", over=NOW):
    """Returns the cost of losers as a share of the cost of winners, as the budget of adaptive races counts it."""
    cost = "photofinish_speculation_cost_total"
    return ratio(
        total(cost, both('kind!="winner"', ROUTE), by, over), total(cost, both('kind="winner"', ROUTE), by, over)
    )


def where_priced(expr, over=NOW):
    """Returns `expr` if any cost is known. Otherwise a panel of costs has no data, and its text gives the reason."""
    return f"{expr} and on () {total('photofinish_cost_usd_total', TARGET, '', over)}"


def recorded(name, labels=TARGET):
    """Returns a recorded series without its name, so that a table can merge it with others."""
    by = {"provider_model": " by (provider, model)", "photofinish": ""}[name.split(":")[0]]
    return f"max{by} ({name}{{{labels}}})" if labels else f"max{by} ({name})"
