"""The names that queries may contain: metrics of names.hpp, series that Prometheus adds, and names of recording rules."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]

OF_A_TARGET = {"job", "instance"}  # labels that a scrape adds to every series
OF_PROMETHEUS = {"up": set(), "ALERTS": {"alertname", "alertstate", "severity", "route", "provider", "model"}}
CLOSED_LABELS = {
    *("outcome", "reason", "sample", "source", "billing", "kind", "endpoint"),
    *("why", "cause", "expected", "found"),
}


def metrics_in_code():
    """Returns {name: (kind, labels)} of names.hpp."""
    text = (ROOT / "metrics/names.hpp").read_text()
    arrays = {"none": []}
    for name, body in re.findall(r"inline constexpr std::array (\w+)\{(name\{.*?|gen_ai\[.*?)\};", text, re.S):
        arrays[name] = [
            word or arrays[other][int(index)]
            for word, other, index in re.findall(r'name\{"(\w+)"\}|(\w+)\[(\d)\]', body)
        ]
    row = r"inline constexpr (?:metric|\w*row<[^>]*>) \w+"
    declared = re.findall(row + r'\{\s*"(\w+)", (\w+), "[^"]*", labels::(\w+),', text)
    return {name: (kind, set(arrays[labels])) for name, kind, labels in declared}


def uncounted_rows():
    """Returns the metrics in names.hpp that no line of the product counts or shows."""
    rows = re.findall(r"inline constexpr (?:metric|\w*row<[^>]*>) (\w+)\{", (ROOT / "metrics/names.hpp").read_text())
    files = [path for room in ("metrics", "gateway") for path in (ROOT / room).rglob("*.[ch]pp")]
    used = set(re.findall(r"names::(\w+)", "".join(path.read_text() for path in files)))
    return sorted(set(rows) - used)


def series_in_code():
    """Returns {series: labels} of a scrape of a gateway."""
    found = {}
    for name, (kind, labels) in metrics_in_code().items():
        if kind == "histogram":
            found[f"{name}_bucket"] = labels | {"le"}
            found[f"{name}_sum"] = found[f"{name}_count"] = labels
        else:
            found[name] = labels
    return found


def recorded_series(rules_text):
    """Returns {series: labels} of the recording rules. The first part of a rule's name lists the labels that the rule keeps."""
    names = re.findall(r"^ *- record: (\S+)$", rules_text, re.M)
    levels = {
        "provider_model": {"provider", "model"},
        "provider_model_day": {"provider", "model", "day"},
        "route": {"route"},
        "instance": {"instance"},
        "instance_route": {"instance", "route"},
        "photofinish": set(),
    }
    return {name: levels[name.split(":")[0]] for name in names}




def closed_words():
    """Returns all values of the labels that have a closed set of values."""
    text = "".join((ROOT / f"metrics/{name}.hpp").read_text() for name in ("outcomes", "names"))
    lists = re.findall(r"words_of<\w+>\{(.*?)\};", text, re.S)
    lists += re.findall(r"store_error_words\{(.*?)\};", (ROOT / "metrics/store_facts.hpp").read_text(), re.S)
    return set().union(*(re.findall(r'"(\w+)"', words) for words in lists))


def bucket_edges(array):
    """Returns the edges of one histogram's buckets, by the name of the array in buckets.hpp."""
    text = (ROOT / "metrics/buckets.hpp").read_text()
    return [float(number) for number in re.search(array + r"\{(.*?)\};", text, re.S)[1].split(",")]
