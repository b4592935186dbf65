#!/usr/bin/env python3
"""Measures the cost of a token for each pair of client's API and provider's API. The streams have one token per event, as a
model sends them, and run through one gateway with one worker.

Called by run.sh --apis. The simulator is the provider. Each round measures every pair of APIs, and begins with a different
pair. A ratio compares a pair with chat on chat in the same round. Only the gateway's CPU time counts."""
import argparse
import glob
import json
import os
import selectors
import socket
import statistics
import sys
import tempfile
import time

from servers import Servers, free_port
from versions import interval

STREAMS, TOKENS, TPS = 100, 200, 50  # 5,000 tokens per second, which use at most half of a core
PASSED, TRANSLATED = 1.5, 2.0  # limits for a token's cost, as multiples of the cost of chat on chat

SIGNED = {"dialect": "bedrock", "auth": "aws", "aws_region": "us-east-1"}
PROVIDERS = {  # settings, path at the simulator, and model of the target
    "chat": ({}, "/v1", "m"),
    "responses": ({"apis": ["responses"]}, "/v1", "m"),
    "anthropic": ({"dialect": "anthropic"}, "/v1", "m"),
    "gemini": ({"dialect": "gemini"}, "/v1beta", "m"),
    "converse": (SIGNED, "", "m"),
    "invoke": (SIGNED, "", "anthropic.m"),
}
CLIENTS = {
    "chat": ("/v1/chat/completions", {"messages": [{"role": "user", "content": "hi"}]}),
    "messages": ("/v1/messages", {"max_tokens": 1000, "messages": [{"role": "user", "content": "hi"}]}),
    "responses": ("/v1/responses", {"input": "hi"}),
}
BASE = ("chat", "chat")
LIMITS = {
    BASE: 1.0,
    ("messages", "anthropic"): PASSED,
    ("messages", "invoke"): PASSED,
    ("responses", "responses"): PASSED,
    ("chat", "anthropic"): TRANSLATED,
    ("chat", "gemini"): TRANSLATED,
    ("chat", "converse"): TRANSLATED,
    ("chat", "responses"): TRANSLATED,
    ("messages", "chat"): TRANSLATED,
    ("messages", "gemini"): TRANSLATED,
    ("responses", "chat"): TRANSLATED,
    ("responses", "anthropic"): TRANSLATED,
}


class OneGateway(Servers):
    def start_all(self):
        self.pids, self.port, provider = {}, free_port(), free_port()
        exact = ["--ttft", "50ms", "--ttft-sigma", "0", "--stall-share", "0"]
        self.start("sim", provider, [self.photofinish_binary, "sim", "--listen", f"127.0.0.1:{provider}", *exact,
                                     "--tps", str(TPS), "--tokens", str(TOKENS)])
        file = f"{self.folder}/apis.yaml"
        with open(file, "w", encoding="utf-8") as out:
            json.dump({
                "listen": f"127.0.0.1:{self.port}", "workers": 1, "log_level": "warn", "state_dir": "none",
                "providers": {
                    name: {"base_url": f"http://127.0.0.1:{provider}{path}", "api_key": "AKIAEXAMPLE:secret", "models": ["*"],
                           **settings}
                    for name, (settings, path, _) in PROVIDERS.items()}}, out)  # the configuration is JSON, which is valid YAML
        self.start("gateway", self.port, [self.photofinish_binary, "serve", "--config", file])

    def cpu_seconds(self):
        pid = self.pids["gateway"][0]
        spent = 0
        for path in glob.glob(f"/proc/{pid}/task/*/schedstat"):
            with open(path, encoding="ascii") as file:
                spent += int(file.read().split()[0])
        return spent / 1e9


def head_and_body(client, provider):
    path, body = CLIENTS[client]
    text = json.dumps({"model": f"{provider}/{PROVIDERS[provider][2]}", "stream": True, **body})
    return (f"POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n"
            f"content-length: {len(text)}\r\n\r\n{text}").encode()


def read_streams(port, request):
    """Reads all streams to their ends, concurrently."""
    answers = {}
    with selectors.DefaultSelector() as waiting:
        for _ in range(STREAMS):
            connection = socket.create_connection(("127.0.0.1", port), 10)
            connection.sendall(request)
            connection.setblocking(False)
            waiting.register(connection, selectors.EVENT_READ)
            answers[connection] = bytearray()
        while waiting.get_map():
            for key, _ in waiting.select(30):
                data = key.fileobj.recv(1 << 16)
                answers[key.fileobj] += data
                if not data:
                    waiting.unregister(key.fileobj)
                    key.fileobj.close()
    for answer in answers.values():
        if not answer.startswith(b"HTTP/1.1 200") or answer.count(b"\n\n") < TOKENS:
            sys.exit(f"not a whole stream: {bytes(answer[:400])!r}")


def cpu_a_token(servers, pair):
    before = servers.cpu_seconds()
    read_streams(servers.port, head_and_body(*pair))
    return (servers.cpu_seconds() - before) / (STREAMS * TOKENS)


def measure(servers, rounds):
    samples = {pair: [] for pair in LIMITS}
    pairs = list(LIMITS)
    for pair in pairs:  # warms up connections, memory pages and caches
        cpu_a_token(servers, pair)
    for turn in range(rounds):
        print(f"round {turn + 1} of {rounds}", file=sys.stderr)
        for pair in pairs[turn % len(pairs):] + pairs[:turn % len(pairs)]:
            samples[pair].append(cpu_a_token(servers, pair))
    return samples


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--photofinish", required=True)
    parser.add_argument("--out", required=True, help="the folder for apis.json and apis.md")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="photofinish-bench.") as folder, \
            OneGateway(folder, options.photofinish, None) as servers:
        samples = measure(servers, options.rounds)
    load = " ".join(f"{each:.1f}" for each in os.getloadavg())
    lines = [f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} processors, load average {load}, {options.rounds} rounds.", "",
             "| client | provider | CPU a token, us | by chat on chat | 90 % interval | limit | held |",
             "|---|---|---|---|---|---|---|"]
    is_good = True
    for (client, provider), limit in LIMITS.items():
        taken = samples[client, provider]
        ratios = [each / base for each, base in zip(taken, samples[BASE])]
        low, high = interval(ratios)
        is_held = low <= limit
        is_good = is_good and is_held
        lines.append(f"| {client} | {provider} | {statistics.median(taken) * 1e6:.1f} | {statistics.median(ratios):.2f} | "
                     f"{low:.2f} to {high:.2f} | {limit} | {'yes' if is_held else '**no**'} |")
    text = "\n".join(lines) + "\n"
    print(text)
    os.makedirs(options.out, exist_ok=True)
    with open(f"{options.out}/apis.md", "w", encoding="utf-8") as out:
        out.write(text)
    with open(f"{options.out}/apis.json", "w", encoding="utf-8") as out:
        json.dump({" on ".join(pair): taken for pair, taken in samples.items()}, out, indent=1)
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
