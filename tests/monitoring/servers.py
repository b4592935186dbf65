"""Starts a gateway, simulated providers, Prometheus and Alertmanager on free loopback ports.

All files are in a temporary folder. The end of the House ends all processes, by process id.
"""

import contextlib
import json
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
sys.path[:0] = [str(DEPLOY / "prometheus"), str(DEPLOY / "grafana")]

ALL_SKIPPED = 77  # ctest's SKIP_RETURN_CODE
START_S = 20

def skip_without(suite, *programs):
    """If a program is missing, ends the script as skipped, with a message for tests/run.sh."""
    missing = [program for program in programs if not shutil.which(program)]
    if missing:
        print(f"skip  monitoring: {suite}: no {' and no '.join(missing)} here (deploy/install.sh --tests)")
        sys.exit(ALL_SKIPPED)


def replaced(text, changes):
    """Returns the text with each of the changes, all of which must apply."""
    for old, new in changes.items():
        if old not in text:
            raise ValueError(f"nothing to replace: {old!r}")
        text = text.replace(old, new)
    return text


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def get_json(url, **parameters):
    query = "?" + urllib.parse.urlencode(parameters) if parameters else ""
    with urllib.request.urlopen(url + query, timeout=10) as response:
        return json.load(response)


def wait_until(said, seconds, is_so, every=0.1):
    """Polls until is_so() is true, and returns its value. At the time limit, fails with a description of the condition."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := is_so():
            return found
        time.sleep(every)
    raise AssertionError(f"waited {seconds} s in vain: {said}")


class House:
    """The processes of one test, by name, in a separate folder. Used as a context, which ends the processes."""

    def __init__(self, binary):
        self.binary = str(pathlib.Path(binary).resolve())
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="photofinish-monitoring-"))
        self.processes = {}
        self.logs = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for name in list(self.processes):
            self.stop(name)
        shutil.rmtree(self.folder)

    def run(self, name, *command, environment=None):
        log = self.folder / f"{name}.log"
        self.logs[name] = log
        command = ["setpriv", "--pdeathsig", "KILL", *map(str, command)]  # the child processes end with this process, however it ends
        with log.open("w") as out:
            self.processes[name] = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                cwd=self.folder,
                env=environment,
            )

    def stop(self, name):
        process = self.processes.pop(name)
        process.send_signal(signal.SIGINT)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def wait_for(self, name, is_up):
        """Polls until is_up() returns a true value. If the process has ended, fails and shows the end of its log."""
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            if found := is_up():
                return found
            if self.processes[name].poll() is not None:
                break
            time.sleep(0.05)
        raise AssertionError(f"{name} did not start:\n{self.logs[name].read_text()[-2000:]}")

    def url_in_log(self, name, pattern):
        def found():
            match = re.search(pattern, self.logs[name].read_text(), re.M)
            return match and match[1]

        return self.wait_for(name, found)

    def start_server(self, name, command):
        """Starts a server of the Prometheus project and returns host:port. Tries again if another process uses the free port
        first."""
        for attempt in range(3):
            address = f"127.0.0.1:{free_port()}"
            self.run(name, *command, f"--web.listen-address={address}")

            def answers():
                with contextlib.suppress(OSError), urllib.request.urlopen(
                    f"http://{address}/-/ready", timeout=2
                ) as it:
                    return it.status == 200

            try:
                self.wait_for(name, answers)
                return address
            except AssertionError:
                if attempt == 2 or "address already in use" not in self.logs[name].read_text():
                    raise
                self.stop(name)

    def start_provider(self, name, *options, port=0):
        """Starts a simulated provider and returns its base URL."""
        self.run(name, self.binary, "sim", "--listen", f"127.0.0.1:{port}", *options)
        return self.url_in_log(name, r"(http://\S+)")

    def start_gateway(self, configuration, name="gateway"):
        """Starts a gateway and returns host:port. Removes the environment's keys, because a test must not find a real key."""
        path = self.folder / f"{name}.yaml"
        path.write_text(configuration)
        self.run(name, self.binary, "serve", "--config", path, environment={"PATH": "/usr/bin:/bin"})
        return self.url_in_log(name, r"listening on https?://(\S+)").rstrip("/")

    def admin_of(self, name):
        return self.url_in_log(name, r"metrics and probes on https?://(\S+)").rstrip("/")

    def start_store(self):
        """Starts a redis-server that stores no file, and returns host:port."""
        address = f"127.0.0.1:{free_port()}"
        self.run("store", "redis-server", "--bind", "127.0.0.1", "--port", address.split(":")[1], "--save", "", "--appendonly", "no")

        def answers():
            with contextlib.suppress(OSError), socket.create_connection(address.split(":"), timeout=2) as it:
                it.sendall(b"PING\r\n")
                return it.recv(16).startswith(b"+PONG")

        self.wait_for("store", answers)
        return address

    def make_certificate(self):
        """Returns the paths of a certificate for 127.0.0.1, and of its key."""
        files = self.folder / "tls.crt", self.folder / "tls.key"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30"]
            + ["-subj", "/CN=127.0.0.1", "-out", files[0], "-keyout", files[1]],
            check=True,
            capture_output=True,
        )
        return files

    def start_prometheus(self, gateway, alertmanager, settings, *options):
        """Starts Prometheus with the checked-in configuration and rules, but with other addresses and shorter times. Returns
        the URL of its API."""
        import make_rules

        make_rules.write(self.folder / "rules", settings)
        text = replaced(
            (DEPLOY / "prometheus/prometheus.yml").read_text(),
            {
                "scrape_interval: 15s": "scrape_interval: 1s",
                "evaluation_interval: 30s": "evaluation_interval: 1s",
                "gateway:7777": gateway,
                "alertmanager:9093": alertmanager,
            },
        )
        (self.folder / "prometheus.yml").write_text(text)
        command = ["prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=data", "--log.level=warn", *options]
        return f"http://{self.start_server('prometheus', command)}/api/v1"

    def start_alertmanager(self, webhook):
        """Starts Alertmanager with the checked-in configuration, but with a receiver and shorter pauses. Returns host:port."""
        text = replaced(
            (DEPLOY / "alertmanager/alertmanager.yml").read_text(),
            {
                "group_wait: 30s": "group_wait: 1s",
                "group_interval: 5m": "group_interval: 1s",
                "- name: tickets": f"- name: tickets\n    webhook_configs: [{{url: '{webhook}', send_resolved: true}}]",
            },
        )
        (self.folder / "alertmanager.yml").write_text(text)
        command = ["prometheus-alertmanager", "--config.file=alertmanager.yml", "--storage.path=silences"]
        return self.start_server("alertmanager", [*command, "--cluster.listen-address=", "--log.level=warn"])
