"""The base URLs that the lists contain for each preset, for the test that compares presets.yaml with them."""
import json

import catalogue_lists as lists

LITELLM_FILE = "litellm/llms/openai_like/providers.json"


def dev_urls(registry):
    providers = json.loads(registry["package/dist/provider-registry.json"])["providers"]
    return {preset: {(providers.get(names.get("dev")) or {}).get("url")} for preset, names in lists.PRESETS.items()}


def pi_urls(files):
    found = {}
    for preset, names in lists.PRESETS.items():
        text = files.get(f"package/dist/providers/data/{names.get('pi')}.json")
        rows = [row for api in (json.loads(text) if text else {}).values() for row in api.values()]
        found[preset] = {row.get("baseUrl") for row in rows if row["type"] == "chat"}
    return found


def litellm_urls(files):
    providers = json.loads(files[LITELLM_FILE])
    return {preset: {(providers.get(name) or {}).get("base_url") for name in names.get("litellm", [])}
            for preset, names in lists.PRESETS.items()}


def addresses_of(files):
    """Returns the URLs of each package for each preset, in alphabetical order."""
    found = {"litellm": litellm_urls(files["litellm"]), "@earendil-works/pi-ai": pi_urls(files["@earendil-works/pi-ai"]),
             "@mastra/core": dev_urls(files["@mastra/core"])}
    addresses = {}
    for preset in lists.PRESETS:
        urls = {package: sorted(url.rstrip("/") for url in by_preset[preset] - {None, ""})
                for package, by_preset in found.items()}
        addresses[preset] = {package: each for package, each in urls.items() if each}
    return {preset: by_package for preset, by_package in addresses.items() if by_package}
