"""The users of the gateway: teams and their keys, their limits and usage, refusals, and data that gateways share."""

from pages import common as c, panels as p, queries as q

NO_BUDGETS = "no max_budget: see `access_keys`, `teams` and `routes`"
NO_KEYS = "no access keys: see `access_keys`"
NO_STORE = "no store: see `redis`"
NO_TLS = "no certificate: see `tls`"
CALLER = q.both(q.CLIENT, q.TEAM)
REJECTED, TOKENS, COST = (
    "photofinish_limit_rejections_total",
    "photofinish_client_tokens_total",
    "photofinish_client_cost_usd_total",
)
SPENT_COLOURS = p.steps(p.GREEN, (c.SPENT * 0.8, p.YELLOW), (c.SPENT, p.RED))
LEFT_COLOURS = p.steps(p.RED, (c.EXPIRES_S, p.YELLOW), (2 * c.EXPIRES_S, p.GREEN))


def budget(metric, scope, names):
    """Returns the highest value of all gateways. If a store is shared, each gateway reports the sum of all gateways."""
    labels = q.both(f'scope="{scope}"', names, q.INSTANCE)
    return f"max by (scope, name) ({metric}{{{labels}}})"


def spent_share(scope, names):
    return q.ratio(
        budget("photofinish_budget_spend_usd", scope, names), f'({budget("photofinish_budget_usd", scope, names)} > 0)'
    )


def usd_an_hour(by="", over=q.NOW, kind=""):
    return f"3600 * {q.total(COST, q.both(kind, CALLER), by, over)}"


KEYS = 'name=~"$client"'
TEAMS = 'name=~"$team"'


def top_panels():
    return [
        p.numbers(
            "Nearest its budget",
            "The largest spent share of a max_budget, over keys and teams.",
            "percentunit",
            [p.now(f'max({spent_share("team", TEAMS)})', "team"), p.now(f'max({spent_share("key", KEYS)})', "key")],
            width=6,
            thresholds=SPENT_COLOURS,
            no_value=NO_BUDGETS,
        ),
        p.numbers(
            "Refused by limits",
            "Requests refused per minute, by the limit of a key, a team or a route that refused them.",
            "short",
            [p.now(f'60 * {q.total(REJECTED, CALLER, "kind", q.RANGE)}', "{{kind}}")],
            width=6,
            decimals=1,
            no_value="none refused, or no limits",
        ),
        p.numbers(
            "USD an hour",
            "Cost of the requests of access keys, winners and losers, for targets with known prices.",
            "currencyUSD",
            [p.now(usd_an_hour("kind", q.RANGE), "{{kind}}")],
            width=4,
            decimals=2,
        ),
        p.numbers(
            "Certificate",
            "Time until a certificate for clients expires, for the gateway whose certificate expires first.",
            "s",
            [p.now(f"min(photofinish_tls_certificate_expiry_timestamp_seconds{{{q.INSTANCE}}} - time())", "left")],
            width=4,
            thresholds=LEFT_COLOURS,
            no_value=NO_TLS,
        ),
        p.numbers(
            "Store and gateways",
            "1 if every gateway reaches the store that they share, and the number of these gateways.",
            "short",
            [
                p.now(f"min(photofinish_store_up{{{q.INSTANCE}}})", "store"),
                p.now(f"max(photofinish_replicas{{{q.INSTANCE}}})", "gateways"),
            ],
            width=4,
            no_value=NO_STORE,
        ),
    ]


def budget_panels():
    return [
        p.row("Budgets"),
        p.lines(
            "Teams' budgets",
            "Share of max_budget that was spent since the window began. At 1 requests are refused.",
            "percentunit",
            [p.query(spent_share("team", TEAMS), "{{name}}")],
            width=8,
            limit=c.SPENT,
            no_value=NO_BUDGETS,
        ),
        p.lines(
            "Keys' budgets",
            "Share of max_budget that was spent since the window began. At 1 requests are refused.",
            "percentunit",
            [p.query(spent_share("key", KEYS), "{{name}}")],
            width=8,
            limit=c.SPENT,
            no_value=NO_BUDGETS,
        ),
        p.table(
            "What is spent of what",
            "Spend of teams in USD since their windows began, next to their max_budget.",
            [
                ("spent", budget("photofinish_budget_spend_usd", "team", TEAMS), "currencyUSD", None),
                ("budget", budget("photofinish_budget_usd", "team", TEAMS), "currencyUSD", None),
                ("share", spent_share("team", TEAMS), "percentunit", SPENT_COLOURS),
            ],
            key=["scope", "name"],
            width=8,
        ),
    ]


def use_panels():
    return [
        p.row("Use"),
        p.stacked(
            "Tokens by team",
            "Tokens per second of the requests of the team's keys: those of winners, and an estimate for attempts "
            "that did not win.",
            "short",
            [p.query(q.total(TOKENS, CALLER, "team, direction"), "{{team}} {{direction}}")],
            width=8,
        ),
        p.stacked(
            "Tokens by client",
            "Tokens per second by access key; a name that begins with _ stands for many keys.",
            "short",
            [p.query(q.total(TOKENS, CALLER, "client"), "{{client}}")],
            width=8,
        ),
        p.stacked(
            "Cost by team",
            "USD an hour, for targets with known prices: winners by their usage, losers estimated.",
            "currencyUSD",
            [p.query(usd_an_hour("team"), "{{team}}")],
            width=8,
        ),
        p.stacked(
            "Refused, by client and limit",
            "Requests per second that a limit refused: rpm, tpm, parallel, budget, and keys that are blocked or "
            "expired.",
            "reqps",
            [p.query(q.total(REJECTED, CALLER, "client, kind"), "{{client}} {{kind}}")],
            width=8,
        ),
        p.stacked(
            "Requests by client",
            "Answered requests in a second, by access key.",
            "reqps",
            [p.query(q.total("photofinish_requests_total", q.CLIENT, "client"), "{{client}}")],
            width=8,
        ),
        p.table(
            "Clients",
            "Each access key over the time range. USD needs a known price.",
            [
                ("tokens", q.total(TOKENS, CALLER, "client, team", q.RANGE, "increase"), "short", None),
                ("refused", q.total(REJECTED, CALLER, "client, team", q.RANGE, "increase"), "short", None),
                ("USD", q.total(COST, CALLER, "client, team", q.RANGE, "increase"), "currencyUSD", None),
            ],
            key=["client", "team"],
            width=8,
        ),
        p.stacked(
            "Cost by project",
            "USD an hour of requests that name a project (`projects`), for targets with known prices: winners by "
            "usage, losers estimated.",
            "currencyUSD",
            [p.query(f"3600 * {q.total('photofinish_project_cost_usd_total', '', 'project')}", "{{project}}")],
            width=12,
        ),
        p.stacked(
            "Tokens by project",
            "Tokens per second of requests that name a project.",
            "short",
            [p.query(q.total("photofinish_project_tokens_total", "", "project, direction"), "{{project}} {{direction}}")],
            width=12,
        ),
    ]


def store_panels():
    call, waits = "photofinish_store_call_seconds", "photofinish_limit_waits_total"
    return [
        p.row("What gateways share"),
        p.lines(
            "Store reached",
            "1 while a gateway reaches the store. `limits degraded` is 1 while limits and budgets are not shared.",
            "short",
            [
                p.query(f"min by (instance) (photofinish_store_up{{{q.INSTANCE}}})", "{{instance}} up"),
                p.query(f"max by (instance) (photofinish_limits_degraded{{{q.INSTANCE}}})", "{{instance}} degraded"),
            ],
            width=8,
            no_value=NO_STORE,
        ),
        p.lines(
            "Exchanges with the store",
            "Duration of exchanges, including connections and failed exchanges.",
            "s",
            [p.query(q.quantile(share, call), name) for share, name in c.PERCENTILES],
            width=8,
            no_value=NO_STORE,
        ),
        p.lines(
            "Requests that waited for a lease",
            "Requests per second that waited because a limit's lease was used up, by whether the store answered in "
            "time.",
            "reqps",
            [p.query(q.total(waits, "", "result"), "{{result}}")],
            width=8,
            no_value=NO_STORE,
        ),
    ]


def page():
    return p.dashboard(
        "photofinish-team",
        "photofinish / team",
        "Teams and their keys: their limits and usage, refusals, and the data that gateways share.",
        c.variables("client", "team"),
        [c.RESTARTS, c.ALERTS],
        [*top_panels(), *budget_panels(), *use_panels(), *store_panels()],
    )
