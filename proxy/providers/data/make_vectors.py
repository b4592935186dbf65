#!/usr/bin/env python3
"""Writes tests/support/price_vectors.json: the costs of 600 usages by the sources' own calculators. Random, but seeded.

    python3 -m venv FOLDER
    FOLDER/bin/pip install genai-prices==0.2.3 litellm==1.110.2 model-prices==0.0.5
    LITELLM_LOCAL_MODEL_COST_MAP=True FOLDER/bin/python proxy/providers/data/make_vectors.py

A row: the list, the preset, the model, the tier, tokens of input, of these from the cache, into it, for an hour, tokens
of output, of these reasoning, the time, USD. A price is asked of the list that catalogue.json names for it.
"""
import datetime
import json
import pathlib
import random

import genai_prices
import litellm
import model_prices
from genai_prices.data import providers as genai_providers
from litellm.types.utils import CompletionTokensDetailsWrapper, PromptTokensDetailsWrapper, Usage

import catalogue_lists as lists

HERE = pathlib.Path(__file__).resolve().parent
COUNTS = {"genai-prices": 300, "litellm": 220, "model-prices": 80}
TIMES = ("2026-11-28T12:00:00Z", "2026-11-30T23:59:59Z", "2026-12-01T00:00:00Z", "2026-12-01T02:30:00Z",
         "2026-12-05T02:30:00Z", "2026-12-31T07:00:00Z", "2027-01-01T00:00:00Z", "2027-01-04T09:59:59Z")
GENAI_CONTEXT = {"standard": None, "batch": {"processing": "batch"}, "flex": {"service_tier": "flex"},
                 "priority": {"service_tier": "priority"}, "fast": {"speed": "fast"}}
RARE = {"deepseek": 40, "ultrafast": 30, "fast": 30, "flex": 3, "priority": 3}  # how much more often one is drawn


def usage_of(chance, prices):
    """Returns token counts near the sizes at which a price changes, for the classes that have a price in the list."""
    standard = prices["standard"][0] if isinstance(prices["standard"], list) else prices["standard"]
    sizes = [step[0] for rate in standard.values() if isinstance(rate, list) for step in rate[1:]
             if isinstance(step, list)]
    total = chance.choice([chance.randint(1, 5000), chance.randint(5000, 120000), chance.randint(120000, 900000),
                           *(size + chance.choice((-1, 1)) for size in sizes)])
    cached = chance.randint(0, total) if "cached_input" in standard and chance.random() < 0.6 else 0
    written = chance.randint(0, total - cached) if "written_input" in standard and chance.random() < 0.5 else 0
    hour = chance.randint(0, written) if "written_for_hour" in standard and chance.random() < 0.5 else 0
    output = chance.randint(1, 20000)
    reasoning = chance.randint(0, output) if "reasoning" in standard else 0
    return total, cached, written, hour, output, reasoning


def genai_cost(preset, name, tier, usage, time):
    total, cached, written, hour, output, reasoning = usage
    found = next(each for each in genai_providers if each.id == lists.PRESETS[preset]["genai"])
    model = found.find_model(name)
    variants = model.price_variants or [] if model else []
    context = GENAI_CONTEXT.get(tier)
    if model is None or tier not in GENAI_CONTEXT or context and not any(each.when == context for each in variants):
        return None
    if preset == "azure" and model.id != name:
        return None  # its rules for Azure also mean longer names, which we price by OpenAI's own rows
    counts = {"input_tokens": total, "cache_read_tokens": cached, "cache_write_tokens": written, "output_tokens": output}
    if hour:
        counts["cache_write_1h_tokens"] = hour
    if reasoning:
        counts["output_reasoning_tokens"] = reasoning
    return float(genai_prices.calc_price(genai_prices.Usage(**counts), name, provider_id=found.id, price_context=context,
                                         genai_request_timestamp=time).total_price)


def litellm_keys():
    """Returns the keys of LiteLLM's rows by preset and name."""
    keys = {}
    for preset, names in lists.PRESETS.items():
        for key, row in litellm.model_cost.items():
            if row.get("litellm_provider") in names.get("litellm", []) and not lists.LITELLM_PLACES.search(key):
                keys.setdefault((preset, lists.litellm_name(preset, row["litellm_provider"], key)), key)
    return keys


def litellm_cost(key, tier, usage):
    total, cached, written, hour, output, reasoning = usage
    row = litellm.model_cost[key]
    if tier == "batch" or hour or reasoning or row.get("off_peak_pricing") or row.get("tiered_pricing"):
        return None  # its calculator takes them only with an answer of the provider, or by the time of now
    if row["litellm_provider"] == "perplexity" or row["litellm_provider"] == "fireworks_ai" and tier != "standard":
        return None  # there it leaves out sizes or tiers
    asked = Usage(prompt_tokens=total, completion_tokens=output, total_tokens=total + output,
                  prompt_tokens_details=PromptTokensDetailsWrapper(
                      cached_tokens=cached, cache_creation_tokens=written, text_tokens=total - cached - written),
                  completion_tokens_details=CompletionTokensDetailsWrapper(text_tokens=output),
                  cache_read_input_tokens=cached, cache_creation_input_tokens=written)
    if tier == "fast":
        asked.speed = "fast"
    cost = litellm.cost_per_token(model=key, custom_llm_provider=row["litellm_provider"].partition("-")[0],
                                  usage_object=asked, service_tier=None if tier in ("standard", "fast") else tier)
    return sum(cost)


def own_cost(preset, name, tier, usage, time):
    total, cached, written, hour, output, _ = usage
    return model_prices.cost(name, provider=lists.PRESETS[preset]["own"], mode=tier, at=time, output_tokens=output,
                             input_tokens=total - cached - written, cache_read_tokens=cached,
                             cache_write_tokens=written - hour, cache_write_1h_tokens=hour)


def candidates(catalogue, source):
    for preset, rows in catalogue["providers"].items():
        for row in rows:
            for tier in row.get("prices", {}):
                is_of_list = catalogue["sources"][row["sources"][0]]["name"] == source
                if "/" not in preset and (is_of_list or source == "litellm" and tier == "ultrafast"):
                    for name in row.get("names", []):
                        yield preset, name, tier, row["prices"]


def main():
    chance = random.Random(20261128)
    catalogue = json.loads((HERE / "catalogue.json").read_text())
    keys = litellm_keys()
    rows = []
    for source, count in COUNTS.items():
        every = sorted(candidates(catalogue, source), key=lambda each: each[:3])
        weights = [RARE.get(each[0], RARE.get(each[2], 1)) for each in every]
        made = 0
        while made < count:
            preset, name, tier, prices = chance.choices(every, weights)[0]
            usage, text = usage_of(chance, prices), chance.choice(TIMES)
            time = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
            if source == "litellm":
                cost = litellm_cost(keys[preset, name], tier, usage) if (preset, name) in keys else None
            else:
                cost = (genai_cost if source == "genai-prices" else own_cost)(preset, name, tier, usage, time)
            if cost is not None:
                rows.append([source, preset, name, tier, *usage, text, float(f"{cost:.12g}")])
                made += 1
    path = HERE.parents[2] / "tests" / "support" / "price_vectors.json"
    path.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")


if __name__ == "__main__":
    main()
