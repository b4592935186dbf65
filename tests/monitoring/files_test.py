#!/usr/bin/env python3
"""Checks dashboards, rules and runbooks in deploy/ and docs/: they must be up to date and complete, and use only existing
metrics.

Grafana itself does not run. Only the structure of its dashboards is checked.
"""

import json
import re
import sys
import unittest

sys.dont_write_bytecode = True
import names
import promql
from servers import DEPLOY, ROOT

import make_dashboards
import make_rules

RULES = {path.name: path.read_text() for path in sorted((DEPLOY / "prometheus/rules").glob("*.yml"))}
ALL_RULES = "".join(RULES.values())
DASHBOARDS = {
    path.name: json.loads(path.read_text()) for path in sorted((DEPLOY / "grafana/dashboards").glob("*.json"))
}
OURS = {f"${name}" for name in ("datasource", "source", "route", "provider", "model", "client", "team", "instance")}
GRAFANAS = {"$__range", "$__rate_interval"}


def panels(dashboard):
    return [panel for panel in dashboard["panels"] if panel["type"] != "row"]


def dashboard_queries():
    """Yields (place, query) of every panel and annotation."""
    for name, dashboard in DASHBOARDS.items():
        for panel in panels(dashboard):
            for target in panel["targets"]:
                yield f"{name}: {panel['title']}", target["expr"]
        for annotation in dashboard["annotations"]["list"]:
            yield f"{name}: annotation {annotation['name']}", annotation["expr"]


def rule_queries():
    """Yields (name of the rule, query)."""
    found = re.findall(r"- (?:record|alert): (\S+)\n +expr: \|\n((?: {10}.*\n)+)", ALL_RULES)
    assert len(found) == len(re.findall(r"^ *expr:", ALL_RULES, re.M)), "a rule is written as no other"
    return found


def alert_names():
    return re.findall(r"^ *- alert: (\S+)$", ALL_RULES, re.M)


def metric_of(series):
    """Returns the metric that a series of a scrape belongs to, or None."""
    metrics = names.metrics_in_code()
    return next((name for name in (series, re.sub("_(bucket|sum|count)$", "", series)) if name in metrics), None)


def alerts_by_metric():
    """Returns {metric: names of the alerts that use it}, directly or through recorded series."""
    reads = {}  # the series that each rule reads
    for name, text in rule_queries():
        reads.setdefault(name, set()).update(selector.name for selector in promql.Query(text).selectors)

    def metrics_behind(name, seen):
        found = set()
        for series in reads[name] - seen:
            seen.add(series)
            found |= metrics_behind(series, seen) if series in reads else {metric_of(series)} - {None}
        return found

    found = {}
    for alert in alert_names():
        for metric in metrics_behind(alert, set()):
            found.setdefault(metric, set()).add(alert)
    return found


def metric_pages():
    return "".join(path.read_text() for path in sorted((ROOT / "docs/metrics").glob("*.md")))


def documented_alerts():
    """Returns {metric: names in the column `alert`} of docs/metrics. The names are {"–"} if no alert uses the metric."""
    rows = re.findall(r"^\| `(\w+)` \| (?:counter|gauge|histogram) \|.*\| ([^|]*) \|$", metric_pages(), re.M)
    return {metric: set(cell.split(", ")) for metric, cell in rows}


def seconds(duration):
    number, unit = re.fullmatch(r"(\d+)([smhd])", duration).groups()
    return int(number) * {"s": 1, "m": 60, "h": 3600, "d": 86400}[unit]


class Generated(unittest.TestCase):
    def test_rules_are_what_their_templates_make(self):
        self.assertEqual(RULES, make_rules.rule_files(), "run deploy/prometheus/make_rules.py")

    def test_no_parameter_of_the_rules_is_idle(self):
        self.assertEqual(make_rules.unused_parameters(), [])

    def test_an_unknown_parameter_is_refused(self):
        with self.assertRaisesRegex(ValueError, "no such parameter: cost_buget"):
            make_rules.rule_files({"cost_buget": "1"})

    def test_an_objective_between_two_edges_is_refused(self):
        with self.assertRaisesRegex(ValueError, "1.2 is not a bucket edge"):
            make_rules.rule_files({"ttft_edge": "1.2"})

    def test_runbooks_are_links_where_a_url_is_given(self):
        for url in ("https://docs.example.com/runbooks", "https://docs.example.com/runbooks/"):
            text = "".join(make_rules.rule_files({"runbooks": url}).values())
            links = re.findall(r"runbook_url: (\S+)", text)
            self.assertEqual(links, [f"https://docs.example.com/runbooks/{name}.md" for name in alert_names()])
        with self.assertRaisesRegex(ValueError, "is not a URL"):
            make_rules.rule_files({"runbooks": "https://a b"})

    def test_labels_that_cannot_be_kept_are_refused(self):
        for labels, complaint in (("env,route", "route is already"), ("env,env", "env is already"), ("a-b", "a-b is not")):
            with self.subTest(labels), self.assertRaisesRegex(ValueError, complaint):
                make_rules.rule_files({"keep_labels": labels})

    def test_every_aggregation_and_match_can_keep_labels(self):
        """An aggregation without `by`, or with `ignoring`, would mix the values of a label that must be kept."""
        for name, text in rule_queries():
            with self.subTest(name):
                self.assertNotRegex(text, r"\b(sum|min|max|avg|count|quantile) ?\((?!\w*_over)|\b(ignoring|without)\b")
        kept = "".join(make_rules.rule_files({"keep_labels": "env"}).values())
        self.assertNotRegex(re.sub(r"(?m)^ *(#|description:|summary:).*$", "", kept), r"\b(by|on) \((?!env\b)")

    def test_dashboards_are_what_the_script_makes(self):
        on_disk = {path.name: path.read_text() for path in (DEPLOY / "grafana/dashboards").iterdir()}
        self.assertEqual(on_disk, make_dashboards.dashboard_files(), "run deploy/grafana/make_dashboards.py")


class Names(unittest.TestCase):
    """Every metric, label and label value in a query must exist in the code."""

    series = {**names.series_in_code(), **names.recorded_series(ALL_RULES), **names.OF_PROMETHEUS}
    words = names.closed_words()

    def check_selector(self, selector):
        self.assertTrue(selector.name in self.series, f"there is no {selector.name}")
        labels = self.series[selector.name] | names.OF_A_TARGET
        for label, _, value in selector.matchers:
            self.assertIn(label, labels, f"{selector.name} has no such label")
            if label in names.CLOSED_LABELS and promql.words(value):
                self.assertLessEqual(set(promql.words(value)), self.words, f"no such {label}")

    def check(self, where, text):
        with self.subTest(where, query=text):
            query = promql.Query(text)
            self.assertTrue(query.selectors or "vector(" in text)
            self.check_query(query)

    def check_query(self, query):
        for selector in query.selectors:
            self.check_selector(selector)
        for labels, selectors in query.groupings:
            for selector in selectors:
                self.assertLessEqual(labels, self.series[selector.name] | names.OF_A_TARGET, selector.name)

    def test_rules_ask_for_what_exists(self):
        for name, text in rule_queries():
            self.check(name, text)

    def test_dashboards_ask_for_what_exists(self):
        for where, text in dashboard_queries():
            used = set(re.findall(r"\$\w+", text))
            self.assertLessEqual(used, OURS | GRAFANAS, where)
            self.check(where, re.sub(r"\[\$\w+\]", "[1m]", text))

    def test_variables_ask_for_what_exists(self):
        for name, dashboard in DASHBOARDS.items():
            for variable in dashboard["templating"]["list"]:
                if variable["type"] != "query":
                    continue
                selector, label = re.fullmatch(r"label_values\((.*), (\w+)\)", variable["definition"]).groups()
                self.check(f"{name}: ${variable['name']}", selector)
                series = promql.Query(selector).selectors[0].name
                self.assertIn(label, self.series[series] | names.OF_A_TARGET)

    def test_every_metric_of_the_table_is_counted(self):
        self.assertEqual(names.uncounted_rows(), [])

    def test_what_does_not_exist_is_noticed(self):
        for text in (
            "photofinish_request_total",
            "photofinish_requests_total{model='x'}",
            'photofinish_requests_total{outcome="good"}',
            "sum by (model) (photofinish_requests_total)",
            "photofinish_request_ttft_seconds",
            "rate(photofinish_inflight_requests_bucket[1m])",
        ):
            with self.subTest(text), self.assertRaises(AssertionError):
                self.check_query(promql.Query(text))


class WithoutPrices(unittest.TestCase):
    """A cost without a known price has no series. Panels and cells must show this, and must not be empty."""

    def test_every_panel_in_usd_says_what_is_missing(self):
        for name, dashboard in DASHBOARDS.items():
            for panel in panels(dashboard):
                defaults = panel["fieldConfig"]["defaults"]
                if defaults["unit"] == "currencyUSD":
                    with self.subTest(f"{name}: {panel['title']}"):
                        self.assertIn("prices", defaults["noValue"])

    def test_every_column_in_usd_does(self):
        found = 0
        for name, dashboard in DASHBOARDS.items():
            for panel in panels(dashboard):
                for override in panel["fieldConfig"]["overrides"]:
                    properties = {each["id"]: each["value"] for each in override["properties"]}
                    if properties.get("unit") == "currencyUSD":
                        found += 1
                        with self.subTest(f"{name}: {panel['title']}: {override['matcher']['options']}"):
                            self.assertEqual(properties["noValue"], "no price")
        self.assertGreater(found, 1)

    def test_no_budget_stands_alone_where_nothing_is_priced(self):
        for where, expr in dashboard_queries():
            if "budget_per_hour" in expr:
                with self.subTest(where):
                    self.assertIn("and on () sum", expr)


class Rules(unittest.TestCase):
    def test_objective_and_limit_are_edges_of_their_buckets(self):
        self.assertEqual([float(edge) for edge in make_rules.TTFT_EDGES], names.bucket_edges("ttft_edges"))
        self.assertIn(make_rules.PARAMETERS["ttft_edge"], make_rules.TTFT_EDGES)
        self.assertIn(float(make_rules.PARAMETERS["overhead_limit"]), names.bucket_edges("own_time_edges"))

    def test_no_rule_is_evaluated_more_seldom_than_prometheus_looks_back(self):
        for interval in re.findall(r"^ *interval: (\S+)$", ALL_RULES, re.M):
            self.assertLess(seconds(interval), 300)

    def test_every_alert_has_a_severity_texts_and_a_runbook(self):
        for name, body in re.findall(
            r"- alert: (\S+)\n(.*?)(?=\n *- alert:|\n  - name:|\Z)", ALL_RULES, re.S
        ):
            with self.subTest(name):
                self.assertRegex(body, r"labels: \{severity: (page|ticket)\}")
                self.assertIn("summary: ", body)
                self.assertIn("description: ", body)
                self.assertIn(f"runbook_url: docs/runbooks/{name}.md", body)

    def test_every_alert_has_its_runbook_and_every_runbook_its_alert(self):
        pages = {path.stem: path.read_text() for path in (ROOT / "docs/runbooks").glob("*.md")}
        self.assertEqual(set(pages), set(alert_names()))
        for name, page in pages.items():
            with self.subTest(name):
                self.assertTrue(page.startswith(f"# {name}\n"))
                for heading in ("## What it means", "## What to look at", "## What to do"):
                    self.assertIn(heading, page)

    def test_every_alert_is_tested(self):
        tests = "".join(path.read_text() for path in (ROOT / "tests/monitoring").glob("*.test.yml"))
        for name in alert_names():
            self.assertRegex(
                tests, rf"alertname: {name}\n +eval_time: \S+\n +exp_alerts:\n", f"{name} never fires in a test"
            )

    def test_every_alert_and_dashboard_is_explained(self):
        alerts, dashboards = ((ROOT / f"docs/monitoring/{page}.md").read_text() for page in ("alerts", "dashboards"))
        for name in alert_names():
            self.assertIn(f"| [{name}](../runbooks/{name}.md) |", alerts)
        for dashboard in DASHBOARDS.values():
            self.assertIn(dashboard["title"], dashboards)


class ColumnAlert(unittest.TestCase):
    """The pages of docs/metrics must name the alerts that read each metric."""

    def test_every_metric_names_its_alerts(self):
        documented, used = documented_alerts(), alerts_by_metric()
        self.assertEqual(set(documented), set(names.metrics_in_code()))
        for metric, alerts in documented.items():
            with self.subTest(metric):
                self.assertEqual(alerts, used.get(metric, {"–"}))

    def test_every_alert_stands_with_a_metric(self):
        documented = set().union(*documented_alerts().values()) - {"–"}
        of_others = {"PhotofinishNoData", "PhotofinishReplicaGone"}  # these use Prometheus' own `up`
        self.assertEqual(documented, set(alert_names()) - of_others)


class ErrorRatio(unittest.TestCase):
    """Only the recording rules may define a failed request."""

    def test_the_outcomes_that_fail_stand_in_one_rule(self):
        texts = [text for _, text in rule_queries()]
        self.assertEqual(sum('outcome=~"upstream_error' in text for text in texts), 1)
        for where, text in dashboard_queries():
            self.assertNotIn("upstream_error", text, where)

    def test_alerts_and_documents_use_what_is_recorded(self):
        recorded = names.recorded_series(ALL_RULES)
        documents = metric_pages() + "".join(path.read_text() for path in (ROOT / "docs/runbooks").glob("*.md"))
        series = set(re.findall(r"\b\w+:photofinish_\w+:\w+", documents))
        self.assertIn("route:photofinish_requests:error_share", series)
        self.assertLessEqual(series, set(recorded))
        for name, text in rule_queries():
            if name in ("PhotofinishErrorBurn", "PhotofinishErrorBurnSlow"):
                self.assertIn("route:photofinish_requests_failed:", text)
                self.assertNotIn("photofinish_requests_total", text)


class Dashboards(unittest.TestCase):
    def test_are_the_linked_seven(self):
        names_of_pages = ("overview", "providers", "provider", "cost", "decisions", "prompt-caches", "team")
        self.assertEqual(set(DASHBOARDS), {f"photofinish-{name}.json" for name in names_of_pages})
        for name, dashboard in DASHBOARDS.items():
            self.assertEqual(name, dashboard["uid"] + ".json")
            [link] = dashboard["links"]
            self.assertTrue(link["keepTime"] and link["includeVars"])
            self.assertEqual((link["type"], link["tags"]), ("dashboards", dashboard["tags"]))

    def test_can_be_provisioned_anywhere(self):
        for dashboard in DASHBOARDS.values():
            self.assertNotIn("id", dashboard)
            self.assertEqual(dashboard["schemaVersion"], 39)
            self.assertEqual(dashboard["templating"]["list"][0]["type"], "datasource")
            for user in (*panels(dashboard), *dashboard["annotations"]["list"]):
                self.assertEqual(user["datasource"], {"type": "prometheus", "uid": "${datasource}"})

    def test_every_panel_says_what_it_shows_and_in_which_unit(self):
        for dashboard in DASHBOARDS.values():
            for panel in panels(dashboard):
                with self.subTest(panel["title"]):
                    self.assertGreater(len(panel["description"]), 15)
                    self.assertTrue(panel["fieldConfig"]["defaults"]["unit"])
                    self.assertTrue(panel["targets"])

    def test_every_one_can_look_at_one_gateway(self):
        for name, dashboard in DASHBOARDS.items():
            raw = re.findall(r'(photofinish_\w+|gen_ai_\w+)\{([^}]*)\}', json.dumps(dashboard["panels"]).replace('\\"', '"'))
            self.assertTrue(raw, name)
            for series, labels in raw:
                if ":" not in series and not series.endswith(("p50", "p50_baseline", "samples")):
                    with self.subTest(name, series=series):
                        self.assertIn('instance=~"$instance"', labels)

    def test_variables_that_are_used_are_there(self):
        for name, dashboard in DASHBOARDS.items():
            there = {f"${variable['name']}" for variable in dashboard["templating"]["list"]}
            text = json.dumps(dashboard["panels"])
            self.assertLessEqual({word for word in re.findall(r"\$[a-z]\w+", text)} - {"$provider"}, there)
            self.assertTrue("$provider" in there or "$provider" not in text)

    def test_panels_neither_overlap_nor_leave_the_page(self):
        for dashboard in DASHBOARDS.values():
            taken = set()
            ids = [panel["id"] for panel in dashboard["panels"]]
            self.assertEqual(len(ids), len(set(ids)))
            for panel in dashboard["panels"]:
                place = panel["gridPos"]
                cells = {
                    (x, y)
                    for x in range(place["x"], place["x"] + place["w"])
                    for y in range(place["y"], place["y"] + place["h"])
                }
                self.assertFalse(cells & taken, panel["title"])
                self.assertLessEqual(place["x"] + place["w"], 24)
                taken |= cells

    def test_links_between_them_lead_somewhere(self):
        uids = {dashboard["uid"] for dashboard in DASHBOARDS.values()}
        linked = set(re.findall(r"/d/([\w-]+)\?", json.dumps(DASHBOARDS)))
        self.assertTrue(linked)
        self.assertLessEqual(linked, uids)

    def test_the_top_row_of_the_overview_answers_in_ten_seconds(self):
        top = [panel for panel in DASHBOARDS["photofinish-overview.json"]["panels"] if panel["gridPos"]["y"] == 0]
        asked = ["".join(target["expr"] for target in panel["targets"]) for panel in top]
        for number, name in enumerate(
            (
                "photofinish_attempts_total",
                "photofinish_request_ttft_seconds",
                "p50_baseline",
                "photofinish_cost_usd_total",
                "photofinish_requests_failed:per_second",
            )
        ):
            self.assertIn(name, asked[number])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
