"""Three gateways that share a Redis, HAProxy before them by our recipe, simulated providers behind."""

import contextlib
import http.client
import itertools
import json
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
import typing
import unittest
import urllib.error
import urllib.request

sys.path.insert(0, __file__.rsplit("/", 2)[0] + "/monitoring")
import proxies
from servers import ALL_SKIPPED, House, free_port, replaced, wait_until

PATIENCE_S = 60  # what must come does so within it, on a machine that does much else
NAMES = ("gateway1", "gateway2", "gateway3")

AROUND = """
global
    maxconn 400
    tune.ssl.default-dh-param 2048
    stats socket unix@haproxy.sock
"""


def write_haproxy(folder, gateways, port, recipe="haproxy-replicas.cfg"):
    """The recipe as haproxy.cfg, with the addresses of these gateways."""
    changes = {"bind :443": f"bind 127.0.0.1:{port}"}
    for number, each in enumerate(gateways, 1):
        changes[f"10.0.0.1{number}:7777 port 7778"] = f"127.0.0.1:{each.port} port {each.admin}"
    text = replaced(proxies.recipe(recipe), changes).replace("/etc/ssl/private/llm.example.com.pem", "host.pem")
    (folder / "haproxy.cfg").write_text(AROUND + text)


class Gateway:
    """One of the three: its addresses stay the same through its restarts."""

    def __init__(self, house, name, rest):
        self._house, self.name = house, name
        self.port, self.admin = free_port(), free_port()
        self._configuration = f"listen: 127.0.0.1:{self.port}\nadmin: 127.0.0.1:{self.admin}\nstate_dir: none\n{rest}"

    def start(self):
        self._house.start_gateway(self._configuration, self.name)

    @property
    def process(self):
        return self._house.processes[self.name]

    def end(self):
        """As a service manager ends it; returns its exit code once it has gone."""
        self.process.send_signal(signal.SIGTERM)
        return self._gone()

    def kill(self):
        self.process.kill()
        self._gone()

    def _gone(self):
        code = self.process.wait(PATIENCE_S)
        del self._house.processes[self.name]
        return code

    def page(self, path):
        """What its admin address says."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.admin}{path}", timeout=10) as page:
            return page.read().decode()

    def metric(self, series):
        """The sum over all series that begin as that regular expression says."""
        lines = self.page("/metrics").splitlines()
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines if re.match(series, line))


class Fleet:
    """All of it. Used as a context: its end is theirs, by process id."""

    def __init__(self, binary, rest, timeout="100ms"):
        """`rest` of each gateway's configuration; {provider} in it is the simulated provider's base URL. `timeout` of the store."""
        self.house = House(binary)
        try:
            self._start(rest, timeout)
        except BaseException:
            self.house.__exit__()
            raise

    def _start(self, rest, timeout):
        self.redis_port, self.port = free_port(), free_port()
        proxies.make_certificate(self.house.folder)
        self.house.run("redis", "redis-server", "--port", self.redis_port, "--bind", "127.0.0.1", "--save", "",
                       "--appendonly", "no")
        self.house.wait_for("redis", lambda: self.redis("PING").strip() == "PONG")
        provider = self.house.start_provider("provider", "--ttft", "20ms", "--ttft-sigma", "0", "--stall-share", "0")
        rest = rest.replace("{provider}", provider)
        store = f"redis: {{url: 'redis://127.0.0.1:{self.redis_port}', timeout: {timeout}}}\n"
        self.gateways = [Gateway(self.house, name, store + rest) for name in NAMES]
        for each in self.gateways:
            each.start()
        self._start_haproxy()
        wait_until("the gateways know of each other", PATIENCE_S,
                   lambda: all(each.metric("photofinish_replicas") == 3 for each in self.gateways))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.house.__exit__()

    def redis(self, *command):
        found = subprocess.run(["redis-cli", "-p", str(self.redis_port), *command], capture_output=True, text=True,
                               timeout=10)
        return found.stdout

    def store_calls(self):
        """Calls of scripts since the store began."""
        lines = re.findall(r"^cmdstat_(evalsha|eval):calls=(\d+)", self.redis("INFO", "commandstats"), re.M)
        return sum(int(calls) for _, calls in lines)

    def _start_haproxy(self):
        write_haproxy(self.house.folder, self.gateways, self.port)
        self.house.run("haproxy", "haproxy", "-db", "-f", "haproxy.cfg")
        self.house.wait_for("haproxy", lambda: all(self.state_of(name).startswith("UP") for name in NAMES))

    def state_of(self, name):
        """What HAProxy's checks say of a gateway: UP, DOWN, or on the way; empty: HAProxy does not answer yet."""
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as asked:
            asked.connect(str(self.house.folder / "haproxy.sock"))
            asked.sendall(b"show stat\n")
            text = b"".join(iter(lambda: asked.recv(1 << 16), b"")).decode()
            header, *rows = [line.split(",") for line in text.lstrip("# ").splitlines() if line]
            for row in rows:
                if row[1] == name:
                    return row[header.index("status")]
        return ""

    def wait_until_up(self, name):
        wait_until(f"HAProxy uses {name}", PATIENCE_S, lambda: self.state_of(name).startswith("UP"))


class Answer(typing.NamedTuple):
    """What a caller got, and when: by the machine's steady clock, which all its processes share."""

    began: float
    ended: float
    key: str
    status: int
    text: str

    @property
    def took(self):
        return self.ended - self.began

    @property
    def usage(self):
        """Tokens of prompt and answer as its provider counted them; none where it said nothing of them."""
        found = re.findall(r'"usage":{[^}]*"prompt_tokens":(\d+),"completion_tokens":(\d+)', self.text)
        return (int(found[-1][0]), int(found[-1][1])) if found else (0, 0)


class Caller:
    """One connection after another through HAProxy, kept between requests as SDKs do."""

    def __init__(self, port, key, is_tls=True):
        self._port, self._key, self._is_tls = port, key, is_tls
        self._kept = None

    def ask(self, model, is_stream=True, key=None, **more):
        """An Answer; connecting is not in its time. Raises what a client would see: a connection that breaks, a body that is cut."""
        key = key or self._key
        body = json.dumps({"model": model, "stream": is_stream, "messages": [{"role": "user", "content": "hello"}], **more})
        try:
            if self._kept is None:
                self._kept = self._connection()
                self._kept.connect()
            began = time.monotonic()
            self._kept.request("POST", "/v1/chat/completions", body, {
                "host": proxies.HOST, "content-type": "application/json", "authorization": f"Bearer {key}"})
            answer = self._kept.getresponse()
            text = answer.read().decode()
            if answer.will_close:
                self.close()
            return Answer(began, time.monotonic(), key, answer.status, text)
        except BaseException:
            self.close()
            raise

    def _connection(self):
        if not self._is_tls:
            return http.client.HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE_S)
        made = http.client.HTTPSConnection(proxies.HOST, self._port, timeout=PATIENCE_S,
                                           context=ssl._create_unverified_context())
        # The name goes into TLS, as balancers that choose a certificate by it require; the address is ours.
        made._create_connection = lambda _, *more: socket.create_connection(("127.0.0.1", self._port), *more)
        return made

    def close(self):
        if self._kept:
            self._kept.close()
        self._kept = None


class Crowd:
    """Threads that run until the end of the context, which each sees by `_over`."""

    def __init__(self, runs):
        self._over = threading.Event()
        self._threads = [threading.Thread(target=run, args=arguments, daemon=True) for run, *arguments in runs]

    def __enter__(self):
        for each in self._threads:
            each.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        for each in self._threads:
            each.join(PATIENCE_S)


class Load(Crowd):
    """Callers, each in a thread of its own, that ask one after another until the end of the context.

    Of several keys each caller takes one after the other. `more` is put into each request."""

    def __init__(self, port, keys, models, pause_s=0, is_tls=True, **more):
        self.answers, self.failures = [], []  # as they came; what went wrong
        self._keys, self._more = [keys] if isinstance(keys, str) else keys, more
        super().__init__([(self._run, Caller(port, "", is_tls), model, pause_s, number / len(models))
                          for number, model in enumerate(models)])

    def count(self, status):
        return sum(each.status == status for each in self.answers)

    def _run(self, caller, model, pause_s, phase):
        due = time.monotonic() + phase * pause_s
        keys = itertools.cycle(self._keys)
        self._over.wait(phase * pause_s)
        while not self._over.is_set():
            try:
                answer = caller.ask(model, key=next(keys), **self._more)
                self.answers.append(answer)
                if answer.status == 200 and not answer.text.endswith("data: [DONE]\n\n"):
                    self.failures.append(f"an answer without its end: {answer.text[-200:]!r}")
                if answer.status not in (200, 429):
                    self.failures.append(f"{answer.status}: {answer.text[:300]}")
            except (OSError, http.client.HTTPException) as broken:
                self.failures.append(f"{type(broken).__name__}: {broken}")
            due = max(due + pause_s, time.monotonic() - pause_s)
            self._over.wait(max(0, due - time.monotonic()))
        caller.close()


class PlainCaller:
    """Past HAProxy, to one gateway: a connection for each request, which says its status alone; 0: none came."""

    def __init__(self, port, key):
        self._port, self._key = port, key

    def ask(self, model):
        body = json.dumps({"model": model, "messages": [{"role": "user", "content": "hello"}]}).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self._port}/v1/chat/completions", body, {
            "content-type": "application/json", "authorization": f"Bearer {self._key}"})
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                answer.read()
                return answer.status
        except urllib.error.HTTPError as refused:
            refused.read()
            return refused.code
        except OSError:
            return 0


def is_limited_at(gateway, provider):
    """Whether it knows that a target of that provider is limited."""
    return any(each["target"].startswith(provider + "/") and each.get("cooldown", {}).get("limited")
               for each in json.loads(gateway.page("/v1/feed"))["targets"])


FLEET_PROGRAMS = ("haproxy", "redis-server", "redis-cli", "openssl")


def missing_programs(needed):
    return [program for program in needed if not shutil.which(program)]


class Result(unittest.TextTestResult):
    """Says what was skipped as tests/run.sh reads it."""

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        print(f"skip  fleet: {test}: {reason}")


def run_tests(needed=FLEET_PROGRAMS):
    """A script's main, after its first argument, the binary; the others are unittest's."""
    if missing := missing_programs(needed):
        print(f"skip  fleet: no {' and no '.join(missing)} here (deploy/install.sh --tests)")
        sys.exit(ALL_SKIPPED)
    runner = unittest.TextTestRunner(resultclass=Result, verbosity=2)
    ran = unittest.main(argv=sys.argv[:1] + sys.argv[2:], exit=False, testRunner=runner).result
    sys.exit(0 if ran.wasSuccessful() else 1)
