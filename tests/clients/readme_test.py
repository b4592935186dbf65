#!/usr/bin/env python3
"""Runs README's client table: the code of each row, as it is written, sends a request to the real gateway with a simulated provider.

tests/clients/readme_test.py [--long] BINARY CACHE_DIR, by readme.sh, which installs the packages that the rows need. A row passes
if its client prints an answer and the gateway has counted the request.
"""

import os
import pathlib
import re
import subprocess
import sys
import urllib.request

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "monitoring"))
from servers import ALL_SKIPPED, ROOT, House, wait_until

HEADING = "## Pointing clients at it"
ADDRESS = "http://127.0.0.1:7777"  # the address in the README, which the test replaces by the gateway's address
ROW_S = 60
GATEWAY = """
listen: 127.0.0.1:0
providers:
  sim: {base_url: "%s", api_key: none}
  vectors: {base_url: "%s/plain/v1", api_key: upstream-own, apis: [embeddings]}
routes:
  fast: {targets: [sim/m]}
  embed: {targets: [vectors/m]}
"""

OPENAI_PYTHON = """
from openai import AzureOpenAI, OpenAI
client = CODE
ask = {"model": "fast", "messages": [{"role": "user", "content": "Say hello"}]}
print(client.chat.completions.create(**ask).choices[0].message.content)
for chunk in client.chat.completions.create(**ask, stream=True):
    print("".join(choice.delta.content or "" for choice in chunk.choices), end="")
"""
OPENAI_NODE = """
import OpenAI from 'openai';
const client = CODE;
const ask = { model: 'fast', messages: [{ role: 'user', content: 'Say hello' }] };
console.log((await client.chat.completions.create(ask)).choices[0].message.content);
for await (const chunk of await client.chat.completions.create({ ...ask, stream: true }))
  process.stdout.write(chunk.choices[0]?.delta.content ?? '');
"""
AI_SDK = """
import { generateText, streamText } from 'ai';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
const model = CODE;
console.log((await generateText({ model, prompt: 'Say hello', maxRetries: 0 })).text);
for await (const text of streamText({ model, prompt: 'Say hello', maxRetries: 0 }).textStream) process.stdout.write(text);
"""
LANGCHAIN = """
from langchain_openai import ChatOpenAI
model = CODE
print(model.invoke("Say hello").content)
print("".join(chunk.content for chunk in model.stream("Say hello")))
"""
LLAMA_INDEX = """
from llama_index.llms.openai_like import OpenAILike
model = CODE
print(model.complete("Say hello").text)
print("".join(part.delta for part in model.stream_complete("Say hello")))
"""
ANTHROPIC_PYTHON = """
from anthropic import Anthropic
client = CODE
ask = {"model": "fast", "max_tokens": 100, "messages": [{"role": "user", "content": "Say hello"}]}
print(client.messages.create(**ask).content[0].text)
with client.messages.stream(**ask) as stream:
    print("".join(stream.text_stream))
"""
ANTHROPIC_NODE = """
import Anthropic from '@anthropic-ai/sdk';
const client = CODE;
const ask = { model: 'fast', max_tokens: 100, messages: [{ role: 'user', content: 'Say hello' }] };
console.log((await client.messages.create(ask)).content[0].text);
console.log(await client.messages.stream(ask).finalText());
"""
OPENAI_AGENTS = """
from agents import Agent, OpenAIResponsesModel, Runner, set_tracing_disabled
from openai import AsyncOpenAI
set_tracing_disabled(True)
model = CODE
print(Runner.run_sync(Agent(name="Greeter", model=model), "Say hello").final_output)
"""
PYDANTIC_AI = """
from pydantic_ai import Agent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider
print(Agent(CODE).run_sync("Say hello").output)
"""
LANGCHAIN_EMBEDDINGS = """
from langchain_openai import OpenAIEmbeddings
model = CODE
print(model.embed_documents(["one", "two"]), model.embed_query("three"))
"""
LLAMA_INDEX_EMBEDDINGS = """
from llama_index.embeddings.openai_like import OpenAILikeEmbedding
model = CODE
print(model.get_text_embedding_batch(["one", "two"]), model.get_query_embedding("three"))
"""
AIDER_OPTIONS = (
    " --message 'Say hello' --yes-always --no-git --no-check-update --analytics-disable --no-show-model-warnings"
    " --no-show-release-notes --no-gitignore --no-pretty --map-tokens 0"
)
CODEX_OPTIONS = " exec --skip-git-repo-check 'Say hello'"
CLAUDE_OPTIONS = " -p 'Say hello'"


class Missing(Exception):
    """Raised if a program or package that the row needs is not installed."""


class Runners:
    """Each method takes a code span and returns (command, environment)."""

    def __init__(self, cache, folder):
        self._cache = cache
        self._folder = folder

    def python(self, script, venv):
        def prepare(code):
            return [self._installed(f"{venv}/bin/python"), "-c", script.replace("CODE", code)], {}

        return prepare

    def node(self, script):
        def prepare(code):
            self._installed("node.installed")
            module = self._cache / "node/readme_row.mjs"  # Node finds modules from the file's folder
            module.write_text(script.replace("CODE", code))
            return ["node", module], {}

        return prepare

    def shell(self, code):
        return ["bash", "-c", code], {}

    def aider(self, code):
        programs = self._installed("aider/bin/aider").parent
        return ["bash", "-c", code + AIDER_OPTIONS], {"PATH": f"{programs}:{os.environ['PATH']}"}

    def coding_agent(self, program, options):
        def prepare(code):
            [found] = self._installed("agents").glob(program)
            return ["bash", "-c", code + options], {"PATH": f"{found.parent}:{os.environ['PATH']}"}

        return prepare

    def environment(self, code):
        variables = dict(word.split("=", 1) for word in code.split())
        command, _ = self.python(OPENAI_PYTHON, "python")("OpenAI()")
        return command, variables

    def _installed(self, path):
        if not (self._cache / f"{path.split('/')[0].removesuffix('.installed')}.installed").exists():
            raise Missing(f"{path.split('/')[0].removesuffix('.installed')} is not installed")
        return self._cache / path


def rows(page):
    """Returns (client, code spans) of each row of the table under HEADING."""
    section = page.split(HEADING + "\n", 1)[1].split("\n**", 1)[0]
    table = [line.strip("| ").split(" | ", 1) for line in section.splitlines() if line.startswith("| ")]
    return [(client, re.findall(r"`([^`]+)`", setting)) for client, setting in table[1:]]


def answered(gateway):
    with urllib.request.urlopen(f"http://{gateway}/metrics", timeout=5) as response:
        found = re.findall(r'^photofinish_requests_total\{.*outcome="ok".*\} (\S+)$', response.read().decode(), re.M)
    return sum(map(float, found))


def run_row(house, gateway, prepare, code):
    """Returns an error text, or an empty text."""
    if ADDRESS not in code:
        return f"does not name {ADDRESS}"
    command, variables = prepare(code.replace(ADDRESS, f"http://{gateway}"))
    before = answered(gateway)
    # Hides the machine's own settings and keys: the program gets only the settings of the row.
    environment = {"PATH": os.environ["PATH"], "HOME": str(house.folder), **variables}
    try:
        ran = subprocess.run(
            command, cwd=house.folder, env=environment, timeout=ROW_S, capture_output=True, text=True,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired as late:
        return f"not done after {ROW_S} s: {late.stdout} {late.stderr}"
    if ran.returncode != 0 or len(ran.stdout.strip()) < 20:
        return f"exit code {ran.returncode}: {ran.stdout[-600:]} {ran.stderr[-1200:]}"
    wait_until("the gateway counts the request", 10, lambda: answered(gateway) > before)
    return ""


def main():
    arguments = sys.argv[1:]
    is_long = "--long" in arguments
    binary, cache = [each for each in arguments if each != "--long"]
    passed, failed, skipped = 0, 0, 0
    with House(binary) as house:
        provider = house.start_provider("sim", "--ttft", "20ms", "--tokens", "12", "--stall-share", "0")
        house.run("upstreams", sys.executable, HERE / "upstreams.py")
        vectors = house.url_in_log("upstreams", r"(http://\S+)")
        gateway = house.start_gateway(GATEWAY % (provider, vectors))
        run = Runners(pathlib.Path(cache).resolve(), house.folder)
        small = {
            "OpenAI SDK for Python": run.python(OPENAI_PYTHON, "python"),
            "OpenAI SDK for Node": run.node(OPENAI_NODE),
            "OpenAI SDKs, by environment": run.environment,
            "Vercel AI SDK": run.node(AI_SDK),
            "LangChain": run.python(LANGCHAIN, "frameworks"),
            "LlamaIndex": run.python(LLAMA_INDEX, "frameworks"),
            "LangChain, embeddings": run.python(LANGCHAIN_EMBEDDINGS, "frameworks"),
            "LlamaIndex, embeddings": run.python(LLAMA_INDEX_EMBEDDINGS, "frameworks"),
            "Azure's client of the OpenAI SDK": run.python(OPENAI_PYTHON, "python"),
            "Anthropic SDK for Python": run.python(ANTHROPIC_PYTHON, "conversations"),
            "Anthropic SDK for TypeScript": run.node(ANTHROPIC_NODE),
            "OpenAI Agents SDK": run.python(OPENAI_AGENTS, "conversations"),
            "Pydantic AI": run.python(PYDANTIC_AI, "conversations"),
            "curl": run.shell,
        }
        large = {
            "aider": run.aider,
            "Codex CLI": run.coding_agent("node_modules/@openai/codex-*/vendor/*/bin/codex", CODEX_OPTIONS),
            "Claude Code": run.coding_agent("node_modules/@anthropic-ai/claude-code-*/claude", CLAUDE_OPTIONS),
        }
        table = rows((ROOT / "README.md").read_text())
        for unknown in {client for client, _ in table} ^ {*small, *large}:
            print(f"FAIL  readme: {unknown}: stands either in the table or in this test, not in both")
            failed += 1
        for client, codes in table:
            for code in codes or [""]:
                prepare = (large if is_long else small).get(client)
                if not prepare:
                    continue
                try:
                    problem = run_row(house, gateway, prepare, code)
                except Missing as missing:
                    print(f"skip  readme: {client}: {missing}")
                    skipped += 1
                    continue
                print(f"FAIL  readme: {client}: {code}\n{problem}" if problem else f"ok    readme: {client}: {code}")
                failed += bool(problem)
                passed += not problem
    print(f"readme: {passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0 if passed else ALL_SKIPPED


if __name__ == "__main__":
    sys.exit(main())
