#!/usr/bin/env python3
"""Counts the instructions per request with callgrind, optionally for two builds. A busy machine hardly changes this figure.

instructions.py PROVIDER BINARY [OTHER] [--requests N]: PROVIDER is bench_provider (deploy/build.sh --tests release
bench_provider). For each kind of request, prints the instructions of all threads, and with OTHER also the ratio OTHER to
BINARY. The counters are set to zero after a warm-up. Both builds get the same requests, each over one connection. Needs
valgrind.
"""
import argparse
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

PORTS = 3
WARM_UP = 60


def chat(model, prompt_bytes=40, stream=True):
    messages = [{"role": "user", "content": "x" * prompt_bytes}]
    # bench_provider looks for "stream":true without a space, as the official clients write it.
    body = json.dumps({"model": model, "stream": stream, "messages": messages}, separators=(",", ":"))
    return (f"POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\n\r\n{body}").encode()


KINDS = {
    "a short stream": chat("p0/n4-i0-d0"),
    "a race of three": chat("race"),
    "a prompt of 64 kB": chat("p0/n4-i0-d0", 64 << 10),
    "a whole answer": chat("p0/n4-i0-d0", stream=False),
}


def config(ports):
    race = [f"p{index}/n2-d2000-s20000" for index in range(PORTS)]  # the first port answers first
    return json.dumps({
        "listen": "127.0.0.1:0", "workers": 1,
        "providers": {f"p{index}": {"base_url": f"http://127.0.0.1:{port}/v1", "api_key": "none", "models": ["*"]}
                      for index, port in enumerate(ports)},
        "routes": {"race": {"targets": race, "race": {"policy": "all", "max_parallel": PORTS}}},
    })


def exchange(connection, request):
    """Sends one request and reads its answer to the end."""
    connection.sendall(request)
    seen = b""
    while b"\r\n\r\n" not in seen:
        seen += receive(connection)
    head, body = seen.split(b"\r\n\r\n", 1)
    if not head.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(seen.decode(errors="replace"))
    length = re.search(rb"(?i)content-length: (\d+)", head)
    while len(body) < int(length[1]) if length else not body.endswith(b"0\r\n\r\n"):
        body += receive(connection)


def receive(connection):
    more = connection.recv(1 << 16)
    if not more:
        raise RuntimeError("the gateway has closed the connection")
    return more


class Gateway:
    """Runs the binary under callgrind, as a context."""

    def __init__(self, binary, folder, ports):
        self.folder = pathlib.Path(folder)
        file = self.folder / "photofinish.yaml"
        file.write_text(config(ports))
        self.log = self.folder / "log"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                ["valgrind", "--tool=callgrind", f"--callgrind-out-file={self.folder}/out", binary, "serve", "--config",
                 str(file)], stdout=log, stderr=log, cwd=folder, env={**os.environ, "HOME": folder})
        self.port = self.listening_port()

    def listening_port(self):
        for _ in range(1200):
            found = re.search(r"listening on http://127\.0\.0\.1:(\d+)", self.log.read_text(errors="replace"))
            if found:
                return int(found[1])
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        raise RuntimeError("the gateway does not listen: " + self.log.read_text(errors="replace"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def control(self, option):
        subprocess.run(["callgrind_control", option, str(self.process.pid)], check=True, stdout=subprocess.DEVNULL)

    def instructions(self, request, count):
        with socket.create_connection(("127.0.0.1", self.port)) as connection:
            for _ in range(WARM_UP):
                exchange(connection, request)
            self.control("--zero")
            for _ in range(count):
                exchange(connection, request)
            self.control("--dump")
        dumps = sorted(self.folder.glob("out.*"), key=lambda path: int(path.name.split(".")[1]))
        return int(re.search(r"(?m)^(?:summary|totals): (\d+)", dumps[-1].read_text())[1]) / count


def measure(binary, ports, count):
    with tempfile.TemporaryDirectory() as folder, Gateway(binary, folder, ports) as gateway:
        return {kind: gateway.instructions(request, count) for kind, request in KINDS.items()}


def main():
    options = argparse.ArgumentParser()
    options.add_argument("provider")
    options.add_argument("binary")
    options.add_argument("other", nargs="?")
    options.add_argument("--requests", type=int, default=400)
    given = options.parse_args()
    with subprocess.Popen([given.provider, str(PORTS)], stdout=subprocess.PIPE, text=True) as provider:
        try:
            ports = [int(word) for word in provider.stdout.readline().split()]
            first = measure(os.path.abspath(given.binary), ports, given.requests)
            second = measure(os.path.abspath(given.other), ports, given.requests) if given.other else None
        finally:
            provider.kill()
    for kind, figure in first.items():
        print(f"{kind:20} {figure:12,.0f}" + (f" {second[kind]:12,.0f}  {second[kind] / figure:.3f}" if second else ""))


if __name__ == "__main__":
    sys.exit(main())
