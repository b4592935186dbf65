"""Grafana's JSON, with as few functions as our dashboards need: panels, variables, layout.

A panel is a dict without a place; dashboard() assigns ids and places. Written for schema 39 (Grafana 10.4 and
later).
"""

import re

COLUMNS = 24
DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}
TAG = "photofinish"

# The text of a panel or cell without data, by unit: it names the setting that is missing.
NO_VALUE = {"currencyUSD": "no known price: see `prices` in docs/configuration/models.md"}
NO_MARGIN = "no observed races: see `observe_losers`"
NO_ADAPTIVE = "no adaptive route"
NO_CONVERSATIONS = "no conversations on adaptive routes: see docs/agents-and-prompt-caches.md"

GREEN, YELLOW, RED = "green", "yellow", "red"


# Histograms with exemplars, which link to traces (docs/monitoring/dashboards.md): the histograms of metrics::traced_value.
TRACED = re.compile(r"photofinish_(request_ttft|request_duration|attempt_ttft)_seconds_bucket")


def query(expr, legend=""):
    """Returns a query for a line over time per series."""
    made = {"expr": expr, "legendFormat": legend, "range": True, "instant": False}
    return {**made, "exemplar": True} if TRACED.search(expr) else made


def now(expr, legend=""):
    """Returns a query for one number per series, at the end of the time range."""
    return {"expr": expr, "legendFormat": legend, "range": False, "instant": True}


def steps(*pairs):
    """Colours by value: steps(GREEN, (1, YELLOW), (2, RED)) is green below 1."""
    first, *rest = pairs
    values = [{"color": first, "value": None}, *({"color": color, "value": value} for value, color in rest)]
    return {"mode": "absolute", "steps": values}


def panel(
    kind,
    title,
    description,
    unit,
    queries,
    width,
    height,
    options,
    custom=None,
    thresholds=None,
    decimals=None,
    no_value=None,
):
    targets = [
        {"refId": chr(ord("A") + index), "datasource": DATASOURCE, "editorMode": "code", **each}
        for index, each in enumerate(queries)
    ]
    defaults = {"unit": unit, "color": {"mode": "thresholds" if thresholds else "palette-classic-by-name"}}
    if custom:
        defaults["custom"] = custom
    if thresholds:
        defaults["thresholds"] = thresholds
    if decimals is not None:
        defaults["decimals"] = decimals
    if no_value or unit in NO_VALUE:
        defaults["noValue"] = no_value or NO_VALUE[unit]
    return {
        "type": kind,
        "title": title,
        "description": description,
        "datasource": DATASOURCE,
        "targets": targets,
        "fieldConfig": {"defaults": defaults, "overrides": []},
        "options": options,
        "gridPos": {"w": width, "h": height},
    }


def lines(title, description, unit, queries, *, width=12, height=8, limit=None, no_value=None):
    """Draws lines over time. A limit is drawn as a separate line."""
    custom = {"drawStyle": "line", "lineWidth": 1, "fillOpacity": 8, "showPoints": "auto", "spanNulls": 120000}
    if limit is not None:
        custom["thresholdsStyle"] = {"mode": "line"}
    made = panel(
        "timeseries", title, description, unit, queries, width, height, legend_options(), custom, no_value=no_value
    )
    made["fieldConfig"]["defaults"]["min"] = 0
    if limit is not None:
        made["fieldConfig"]["defaults"]["thresholds"] = steps("transparent", (limit, RED))
    return made


def stacked(title, description, unit, queries, *, width=12, height=8, no_value=None):
    made = lines(title, description, unit, queries, width=width, height=height, no_value=no_value)
    made["fieldConfig"]["defaults"]["custom"].update(
        fillOpacity=60, lineWidth=0, stacking={"mode": "normal", "group": "A"}
    )
    return made


def legend_options():
    return {
        "legend": {
            "displayMode": "table",
            "placement": "bottom",
            "calcs": ["mean", "lastNotNull"],
            "showLegend": True,
            "sortBy": "Last *",
            "sortDesc": True,
        },
        "tooltip": {"mode": "multi", "sort": "desc"},
    }


def reduced():
    return {"calcs": ["lastNotNull"], "fields": "", "values": False}


def numbers(
    title, description, unit, queries, *, width=6, height=4, thresholds=None, decimals=None, no_value=None
):
    """Shows a few big numbers next to each other."""
    options = {
        "reduceOptions": reduced(),
        "colorMode": "value",
        "graphMode": "none",
        "textMode": "auto",
        "orientation": "auto",
        "justifyMode": "auto",
    }
    return panel(
        "stat", title, description, unit, queries, width, height, options, None, thresholds, decimals, no_value
    )


def bars(title, description, unit, queries, *, width=6, height=4, maximum=None):
    """Draws a bar for each series, labelled with its number."""
    options = {
        "reduceOptions": reduced(),
        "orientation": "horizontal",
        "displayMode": "basic",
        "valueMode": "text",
        "showUnfilled": True,
        "minVizHeight": 10,
    }
    made = panel("bargauge", title, description, unit, queries, width, height, options)
    made["fieldConfig"]["defaults"]["min"] = 0
    if maximum is not None:
        made["fieldConfig"]["defaults"]["max"] = maximum
    return made


def heatmap(title, description, unit, expr, *, width=12, height=8):
    """Draws a classic histogram over time: expr gives the increase of each `le`."""
    options = {
        "calculate": False,
        "yAxis": {"unit": unit},
        "cellGap": 1,
        "filterValues": {"le": 1e-9},
        "color": {"mode": "scheme", "scheme": "Oranges", "steps": 64, "exponent": 0.5},
        "tooltip": {"mode": "single", "yHistogram": True},
        "legend": {"show": True},
    }
    made = panel("heatmap", title, description, unit, [query(expr, "{{le}}")], width, height, options)
    made["targets"][0]["format"] = "heatmap"
    return made


def table(title, description, columns, *, key, width=24, height=8, drill_down=None):
    """A row for each value of the labels in `key`. columns: (heading, expr, unit, thresholds or None).

    drill_down: the uid of a dashboard that a click on a provider opens.
    """
    queries = [{**now(expr), "format": "table"} for _, expr, _, _ in columns]
    made = panel(
        "table",
        title,
        description,
        "short",
        queries,
        width,
        height,
        {"showHeader": True, "cellHeight": "sm", "sortBy": [{"displayName": columns[0][0], "desc": True}]},
    )
    names = {f"Value #{chr(ord('A') + index)}": heading for index, (heading, *_) in enumerate(columns)}
    made["transformations"] = [
        {"id": "merge", "options": {}},
        {
            "id": "organize",
            "options": {
                "excludeByName": {"Time": True},
                "renameByName": names,
                "indexByName": {label: index for index, label in enumerate(key)},
            },
        },
    ]
    made["fieldConfig"]["overrides"] = [column_style(*column) for column in columns]
    if drill_down:
        made["fieldConfig"]["overrides"].append(provider_link(drill_down))
    return made


def column_style(heading, _, unit, thresholds):
    properties = [{"id": "unit", "value": unit}]
    if unit in NO_VALUE:
        properties.append({"id": "noValue", "value": "no price"})  # short, because a cell is narrow
    if thresholds:
        properties += [
            {"id": "thresholds", "value": thresholds},
            {"id": "color", "value": {"mode": "thresholds"}},
            {"id": "custom.cellOptions", "value": {"type": "color-text"}},
        ]
    return {"matcher": {"id": "byName", "options": heading}, "properties": properties}


def provider_link(uid):
    link = {
        "title": "this provider in depth",
        "url": f"/d/{uid}?${{__url_time_range}}&var-datasource=${{datasource}}&var-provider=${{__value.raw}}",
    }
    return {"matcher": {"id": "byName", "options": "provider"}, "properties": [{"id": "links", "value": [link]}]}


def row(title):
    return {"type": "row", "title": title, "collapsed": False, "panels": [], "gridPos": {"w": COLUMNS, "h": 1}}


def datasource_variable():
    return {
        "name": "datasource",
        "label": "Prometheus",
        "type": "datasource",
        "query": "prometheus",
        "hide": 0,
        "current": {},
        "options": [],
        "refresh": 1,
        "regex": "",
        "includeAll": False,
        "multi": False,
    }


def label_variable(name, label, expr, *, several=True):
    """A variable with the values of a label: expr is label_values(…)."""
    return {
        "name": name,
        "label": label,
        "type": "query",
        "datasource": DATASOURCE,
        "definition": expr,
        "query": {"query": expr, "refId": name},
        "refresh": 2,
        "sort": 1,
        "hide": 0,
        "regex": "",
        "options": [],
        "includeAll": several,
        "multi": several,
        "allValue": ".*" if several else None,
        "current": {"text": ["All"], "value": ["$__all"]} if several else {},
    }


def choice_variable(name, label, words):
    """A variable with a few words; the first word is the default."""
    options = [{"text": word, "value": word, "selected": word == words[0]} for word in words]
    return {
        "name": name,
        "label": label,
        "type": "custom",
        "query": ",".join(words),
        "hide": 0,
        "options": options,
        "current": options[0],
        "includeAll": False,
        "multi": False,
    }


def annotation(name, expr, title, color, **more):
    return {
        "name": name,
        "enable": True,
        "hide": False,
        "iconColor": color,
        "datasource": DATASOURCE,
        "expr": expr,
        "titleFormat": title,
        "step": "30s",
        **more,
    }


def placed(panels):
    """Returns the panels, from left to right and top to bottom, each with its id and place."""
    x = y = tallest = 0
    for index, each in enumerate(panels, start=1):
        width, height = each["gridPos"]["w"], each["gridPos"]["h"]
        if x + width > COLUMNS:
            x, y, tallest = 0, y + tallest, 0
        each["id"] = index
        each["gridPos"] = {"x": x, "y": y, "w": width, "h": height}
        x, tallest = x + width, max(tallest, height)
    return panels


def dashboard(uid, title, description, variables, annotations, panels):
    links = [
        {
            "type": "dashboards",
            "title": "photofinish",
            "tags": [TAG],
            "asDropdown": False,
            "keepTime": True,
            "includeVars": True,
            "targetBlank": False,
            "icon": "external link",
            "tooltip": "",
            "url": "",
        }
    ]
    return {
        "uid": uid,
        "title": title,
        "description": description,
        "tags": [TAG],
        "schemaVersion": 39,
        "version": 1,
        "editable": True,
        "graphTooltip": 1,
        "timezone": "browser",
        "refresh": "30s",
        "time": {"from": "now-1h", "to": "now"},
        "links": links,
        "annotations": {"list": annotations},
        "templating": {"list": variables},
        "panels": placed(panels),
    }
