"""The inference engines. Each is a real server with a random model that the test makes, and reports its own work."""

import json
import os
import pathlib
import re
import time
import urllib.error
import urllib.request

from servers import wait_until

HERE = pathlib.Path(__file__).resolve().parent
START_S = 150  # importing PyTorch on a busy machine takes most of a minute
REST_S = 30  # the time limit for an engine to become idle
IDLE_SHARE = 0.05  # the share of one CPU that an idle server may use


def fetch(url, body=None):
    """(status, text)"""
    request = urllib.request.Request(
        url, None if body is None else json.dumps(body).encode(), {"content-type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read().decode()


class Engine:
    """`preset` is the name of our preset for the engine, and of the provider. `model` is the model's name in requests.
    `first_word` is the id of WORDS[0] in the engine's vocabulary. `untold` lists parameters whose effect cannot be shown
    with a random model."""

    preset = model = first_word = None
    untold = ()
    settings = ""  # further settings of the provider

    def __init__(self, house, cache, port):
        self._house = house
        self._programs = cache / self.preset / "bin"  # the programs of the engine's virtual environment
        self._start(port)

    def _run(self, name, program, *command):
        # Without a network, the engine uses only the files here. Each engine has one thread, because several engines run on a
        # small machine.
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(self._house.folder), "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1",
        }
        self._house.run(name, self._programs / program, *command, environment=environment)

    def make_model(self, maker, path):
        self._run(f"{self.preset}-model", "python", HERE / maker, path)
        self._house.processes.pop(f"{self.preset}-model").wait(60)
        return path

    def ask(self, **parameters):
        """Sends a request directly to the engine, without a gateway. Returns (status, answer)."""
        status, text = fetch(f"{self.url}/chat/completions", {"model": self.model, **parameters})
        return status, json.loads(text)

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self._house.processes[self.preset].pid}/stat").read_text().rsplit(")", 1)[1]
        return sum(map(int, fields.split()[11:13])) / os.sysconf("SC_CLK_TCK")

    def is_idle(self):
        """True if the engine's own figures show no work, or if the engine has no such figures."""
        return True

    def expect_rest(self):
        """Waits until the engine has done no work for a second. Fails if the engine continues to work."""
        deadline = time.monotonic() + REST_S
        while time.monotonic() < deadline:
            used, began = self.cpu_seconds(), time.monotonic()
            time.sleep(1)
            if self.is_idle() and self.cpu_seconds() - used < IDLE_SHARE * (time.monotonic() - began):
                return
        raise AssertionError(f"{self.preset} still works {REST_S} s after its request was cancelled")


class LlamaCpp(Engine):
    preset, model = "llama-cpp", "tiny"
    first_word = 259
    untold = ("tool_choice",)  # tool_choice forces a call only if the model's template has tools

    def _start(self, _):
        path = self.make_model("make_gguf.py", self._house.folder / "tiny.gguf")
        self._run(self.preset, "python", HERE / "llama_server.py", path)
        self._base = self._house.url_in_log(self.preset, r"(http://127\.0\.0\.1:\d+)\n")  # log lines may precede the URL
        self.url = f"{self._base}/v1"

    def is_idle(self):
        return not any(slot["is_processing"] for slot in json.loads(fetch(f"{self._base}/slots")[1]))

    def tokens_written(self):
        return int(re.search(r"^llamacpp:tokens_predicted_total (\d+)", fetch(f"{self._base}/metrics")[1], re.M)[1])


class Mlx(Engine):
    preset, model = "mlx", "default_model"
    first_word = 3

    def _start(self, port):
        folder = self.make_model("make_safetensors.py", self._house.folder / f"{self.preset}-tiny")
        self._run(self.preset, *self._command(folder), "--host", "127.0.0.1", "--port", port)
        self.url, self._port = f"http://127.0.0.1:{port}/v1", port
        wait_until(f"{self.preset} answers", START_S, self._answers)

    def _command(self, folder):
        return ["mlx_lm.server", "--model", folder]

    def _answers(self):
        try:
            return fetch(f"http://127.0.0.1:{self._port}/health")[0] == 200
        except OSError:
            if self._house.processes[self.preset].poll() is not None:
                raise AssertionError(self._house.logs[self.preset].read_text()[-2000:]) from None
            return False


class TransformersServe(Mlx):
    """We have no preset for this engine, so `settings` contains all settings of the provider."""

    preset = "transformers"
    settings = ", api_key: none"
    untold = None  # there is no preset to compare with

    def _command(self, folder):
        self.model = str(folder)
        return ["transformers", "serve", folder, "--device", "cpu"]
