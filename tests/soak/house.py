"""The processes of a soak test, and a very simple HTTP client. The client sends and receives plain bytes, so it can break the
rules of HTTP."""
import asyncio
import contextvars
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "neighbourhood"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "clients"))
from processes import HOSTILE, HOSTILE_KEY, HOSTILE_SETTINGS, KEY, Tool  # noqa: E402
from scripted_provider import KEY as UPSTREAMS_KEY  # noqa: E402

UPSTREAMS = Path(__file__).resolve().parent.parent / "clients" / "upstreams.py"

OPERATOR_KEY = "operator-key-0123456789"  # a key that may read the live page

SIMULATORS = {
    # The metrics must match this provider's real figures. Its times do not vary, and it never stalls.
    "truth": ["--ttft", "200ms", "--ttft-sigma", "0", "--stall-share", "0", "--tps", "100", "--tokens", "60"],
    "quick": ["--ttft", "10ms", "--tps", "400", "--tokens", "30", "--stall-share", "0"],
    "slow": ["--ttft", "300ms", "--tps", "50", "--tokens", "30"],
    "faulty": ["--ttft", "5ms", "--ttft-sigma", "0", "--stall-share", "0", "--tps", "500", "--tokens", "20"],
}

# Settings for routes whose answers must be complete. Hundreds of hostile threads share the processors with the simulators: a
# simulator without a gateway was once silent for 1.1 s. If a stream is lost, it stays silent, so the test still detects it.
PATIENT = "stall_timeout: 15s, first_token_timeout: 10s"

CONFIG = """
listen: 127.0.0.1:{port}
workers: 2
drain_delay: 100ms
drain_timeout: 20s
access_keys:
  - {{name: resident, key: {key}}}
  - {{name: hostile, key: {hostile_key}}}
  - {{name: operator, key: {operator_key}, admin: true}}
limits: {{header_timeout: 2s, body_timeout: 2s, idle_timeout: 5s, max_body: 4MiB, max_memory: 256MiB}}
providers:
  truth: {{base_url: "{truth}", api_key: none, models: ['*']}}
  quick: {{base_url: "{quick}", api_key: none, models: ['*']}}
  slow: {{base_url: "{slow}", api_key: none, models: ['*']}}
  faulty: {{base_url: "{faulty}", api_key: none, models: ['*']}}
  by-responses: {{base_url: "{quick}", api_key: none, models: ['*'], apis: [responses]}}
  by-messages: {{base_url: "{quick}", api_key: none, models: ['*'], dialect: anthropic}}
  by-gemini: {{base_url: "{quick}", api_key: none, models: ['*'], dialect: gemini}}
  by-bedrock: {{base_url: "{quick}", api_key: "AKIASOAK:secret-0123456789", models: ['*'], dialect: bedrock, auth: aws,
               aws_region: us-east-1}}
  asked: {{base_url: "{upstreams}/asked/v1", api_key: {upstreams_key}, models: ['*'], apis: [completions, embeddings, rerank, moderations, images, audio]}}
  floats: {{base_url: "{upstreams}/plain/v1", api_key: {upstreams_key}, models: ['*'], apis: [embeddings]}}
  dead: {{base_url: "http://127.0.0.1:1/v1", api_key: none, connect_timeout: 200ms}}
{hostile}
race: {{policy: all, client_stall_timeout: 5s, stall_timeout: 2s, race_timeout: 10s}}
routes:
  known: {{targets: [truth/m], race: {{{patient}}}}}
  resident: {{targets: [quick/m], race: {{{patient}}}}}
  all: {{targets: [quick/m, slow/m, truth/m], race: {{{patient}}}}}
  dialects: {{race: {{{patient}}}, targets: [by-responses/m, by-messages/m, by-gemini/m, by-bedrock/m, by-bedrock/anthropic.m]}}
  failing_dialects: {{race: {{policy: fallback, {patient}}}, targets: ["by-responses/m;error_event", "by-bedrock/m;error_event",
      "by-bedrock/anthropic.m;status=429", "by-gemini/m;status=500", "by-messages/m;done_only", by-messages/n]}}
  embed: {{targets: [asked/m, floats/m], race: {{{patient}}}}}
  other: {{targets: [asked/m], race: {{{patient}}}}}
  late: {{targets: ["asked/m;delay=2"]}}
  hedge: {{targets: [slow/m, quick/m], race: {{policy: hedge, hedge_delay: 50ms, {patient}}}}}
  fallback: {{targets: ["faulty/m;status=500", dead/m, quick/m], race: {{policy: fallback, {patient}}}}}
  liars: {{targets: ["faulty/m;error_event", "faulty/m;done_only", "quick/m"], race: {{{patient}}}}}
  resets: {{targets: ["faulty/m;reset_after=5"]}}
  cut: {{targets: ["faulty/m;close_after=5"]}}
  stalls: {{targets: ["faulty/m;stall_after=5"]}}
  hangs: {{targets: ["faulty/m;hang"], race: {{race_timeout: 300ms}}}}
  endless: {{targets: ["quick/m;tokens=100000;tps=2000"]}}
  flood: {{targets: ["faulty/m;tokens=200000;tps=0;chunk=20"]}}
"""


@dataclass
class Answer:
    status: int
    headers: dict
    body: str
    is_whole: bool  # true if the body ended as HTTP requires


async def connect(url):
    host, port = url.removeprefix("http://").split("/")[0].split(":")
    return await asyncio.open_connection(host, int(port))


def request_bytes(method, path, body=b"", headers=(), kind="application/json"):
    lines = [f"{method} {path} HTTP/1.1", "host: 127.0.0.1", f"authorization: Bearer {KEY}", *headers]
    if body:
        lines += [f"content-type: {kind}", f"content-length: {len(body)}"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


# If a task has set a list, the ids of the requests whose heads were read are added to it.
ids_read = contextvars.ContextVar("ids_read", default=None)


async def read_head(reader):
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    first, *lines = head.split("\r\n")
    fields = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines if ": " in line)}
    if ids_read.get() is not None:
        ids_read.get().append(fields.get("x-request-id"))
    return int(first.split(" ")[1]), fields


async def read_answer(reader):
    """Reads one whole answer. is_whole is false if its body was cut short."""
    status, headers = await read_head(reader)
    body = b""
    try:
        if headers.get("transfer-encoding") == "chunked":
            while size := int((await reader.readuntil(b"\r\n")).strip(), 16):
                body += (await reader.readexactly(size + 2))[:-2]
            await reader.readexactly(2)
        else:
            body = await reader.readexactly(int(headers.get("content-length", 0)))
    except (asyncio.IncompleteReadError, ConnectionError):
        return Answer(status, headers, body.decode(errors="replace"), False)
    charset = "latin-1" if headers.get("content-type", "").startswith("audio/") else "utf-8"
    return Answer(status, headers, body.decode(charset), True)


async def fetch(url, method="GET", body=b"", headers=(), kind="application/json"):
    reader, writer = await connect(url)
    try:
        path = "/" + url.removeprefix("http://").split("/", 1)[1]
        writer.write(request_bytes(method, path, body, (*headers, "connection: close"), kind))
        return await read_answer(reader)
    finally:
        writer.close()


def chat(model, stream=True, content="Say hello", **more):
    return json.dumps({"model": model, "stream": stream, "messages": [{"role": "user", "content": content}],
                       **({"stream_options": {"include_usage": True}} if stream else {}), **more}).encode()


class House:
    def __init__(self, binary, hostile, folder):
        self.binary, self.folder = binary, folder
        self.hostile = Tool(hostile, has_input=True, nice=5)
        self.processes = []
        self.urls = {}
        self.port = 0
        self.gateway = None

    async def start(self):
        for name, flags in SIMULATORS.items():
            process, line = await self._spawn([self.binary, "sim", "--listen", "127.0.0.1:0", *flags], "http://", name)
            self.urls[name] = line.strip()
        _, line = await self._spawn([sys.executable, str(UPSTREAMS)], "http://", "upstreams")
        self.urls["upstreams"] = line.strip()
        await asyncio.to_thread(self.hostile.line_with, "ready")
        self.write_config(self.config())
        command = [self.binary, "serve", "--config", str(self.folder / "photofinish.yaml")]
        self.gateway, line = await self._spawn(command, "listening on ", "gateway")
        self.port = int(line.split("listening on http://")[1].split("/")[0].split()[0].rsplit(":", 1)[1])
        self.write_config(self.config())

    async def _spawn(self, command, wanted, name):
        out, err = open(self.folder / f"{name}.out", "wb"), open(self.folder / f"{name}.err", "wb")
        environment = {key: value for key, value in os.environ.items() if not key.endswith("_KEY")}
        process = subprocess.Popen(command, stdout=out, stderr=err, stdin=subprocess.DEVNULL, env=environment)
        self.processes.append(process)
        for _ in range(400):
            for line in (self.folder / f"{name}.out").read_text().splitlines():
                if wanted in line:
                    return process, line
            if process.poll() is not None:
                break
            await asyncio.sleep(0.05)
        raise RuntimeError(f"{name} did not start: {(self.folder / f'{name}.err').read_text()[-2000:]}")

    def config(self):
        hostile = [HOSTILE.format(name=name, port=port,
                                  more=HOSTILE_SETTINGS.get(name, "") + (", http2: on" if version == "http2" else ""))
                   for name, port, version in self.hostile.words_behind("provider ")]
        return CONFIG.format(port=self.port, key=KEY, hostile_key=HOSTILE_KEY, operator_key=OPERATOR_KEY, patient=PATIENT,
                             upstreams_key=UPSTREAMS_KEY, hostile="\n".join(hostile), **self.urls)

    def write_config(self, text, is_good=True):
        path = self.folder / ("photofinish.yaml")
        path.with_suffix(".new").write_text(text)
        path.with_suffix(".new").rename(path)

    def url(self, path):
        return f"http://127.0.0.1:{self.port}{path}"

    def rss(self):
        for line in open(f"/proc/{self.gateway.pid}/status"):
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        return 0

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.gateway.pid}/fd"))

    def log_lines(self):
        return (self.folder / "gateway.err").read_text(errors="replace").splitlines() + \
               (self.folder / "gateway.out").read_text(errors="replace").splitlines()

    async def terminate(self):
        self.gateway.terminate()
        for _ in range(600):
            if self.gateway.poll() is not None:
                return self.gateway.returncode
            await asyncio.sleep(0.05)
        return None

    def stop(self):
        self.hostile.stop()
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.wait()
