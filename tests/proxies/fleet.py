"""Three gateways that share a Redis, behind HAProxy with our recipe, and in front of simulated providers."""

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

PATIENCE_S = 60  # the time limit for every wait, which is long enough for a busy machine
NAMES = ("gateway1", "gateway2", "gateway3")

AROUND = """
global
    maxconn 400
    tune.ssl.default-dh-param 2048
    stats socket unix@haproxy.sock
"""


def write_haproxy(folder, gateways, port, recipe="haproxy-replicas.cfg"):
    """Writes the recipe as haproxy.cfg, with the addresses of these gateways."""
    changes = {"bind :443": f"bind 127.0.0.1:{port}"}
    for number, each in enumerate(gateways, 1):
        changes[f"10.0.0.1{number}:7777 port 7778"] = f"127.0.0.1:{each.port} port {each.admin}"
    text = replaced(proxies.recipe(recipe), changes).replace("/etc/ssl/private/llm.example.com.pem", "host.pem")
    (folder / "haproxy.cfg").write_text(AROUND + text)


class Gateway:
    """One of the three gateways. Its addresses stay the same when it restarts."""

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
        """Ends the process as a service manager does. Returns the exit code after the process has ended."""
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
        """Returns a page of the gateway's admin address."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.admin}{path}", timeout=10) as page:
            return page.read().decode()

    def metric(self, series):
        """Returns the sum over all series whose beginning matches this regular expression."""
        lines = self.page("/metrics").splitlines()
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines if re.match(series, line))


class Fleet:
    """The gateways, HAProxy, Redis and the providers. Used as a context, which ends the processes by process id."""

    def __init__(self, binary, rest, timeout="100ms"):
        """`rest` is the rest of each gateway's configuration, in which {provider} stands for the simulated provider's base URL.
        `timeout` is the timeout of the store."""
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
        """Returns the number of script calls since the store was started."""
        lines = re.findall(r"^cmdstat_(evalsha|eval):calls=(\d+)", self.redis("INFO", "commandstats"), re.M)
        return sum(int(calls) for _, calls in lines)

    def _start_haproxy(self):
        write_haproxy(self.house.folder, self.gateways, self.port)
        self.house.run("haproxy", "haproxy", "-db", "-f", "haproxy.cfg")
        self.house.wait_for("haproxy", lambda: all(self.state_of(name).startswith("UP") for name in NAMES))

    def state_of(self, name):
        """Returns the state of a gateway in HAProxy's checks: UP, DOWN, or a state between them. Returns an empty text if
        HAProxy does not answer yet."""
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
    """The answer that a caller got, with its times. The times are from the steady clock, which all processes of the machine
    share."""

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
        """Returns the tokens of prompt and answer as the provider counted them, or zeros if the provider reported no counts."""
        found = re.findall(r'"usage":{[^}]*"prompt_tokens":(\d+),"completion_tokens":(\d+)', self.text)
        return (int(found[-1][0]), int(found[-1][1])) if found else (0, 0)


class Caller:
    """Sends requests through HAProxy on one connection at a time. The connection stays open between requests, as with SDKs."""

    def __init__(self, port, key, is_tls=True):
        self._port, self._key, self._is_tls = port, key, is_tls
        self._kept = None

    def ask(self, model, is_stream=True, key=None, **more):
        """Returns an Answer, whose time excludes connecting. If the connection breaks or the body is cut, raises the exception
        that a client would get."""
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
        # TLS sends the host's name, because balancers may choose a certificate by this name. The connection uses the address of
        # this machine.
        made._create_connection = lambda _, *more: socket.create_connection(("127.0.0.1", self._port), *more)
        return made

    def close(self):
        if self._kept:
            self._kept.close()
        self._kept = None


class Crowd:
    """Threads that run until the end of the context. Each thread checks `_over` to see the end."""

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
    """Callers, each in its own thread, that send one request after another until the end of the context.

    If there are several keys, each caller uses them in turn. `more` is added to each request."""

    def __init__(self, port, keys, models, pause_s=0, is_tls=True, **more):
        self.answers, self.failures = [], []  # the answers in the order of their arrival; the texts of all errors
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
    """Sends requests directly to one gateway, with a new connection for each request. Returns only the status, or 0 if no
    answer arrived."""

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
    """True if the gateway knows that a target of this provider is limited."""
    return any(each["target"].startswith(provider + "/") and each.get("cooldown", {}).get("limited")
               for each in json.loads(gateway.page("/v1/feed"))["targets"])


FLEET_PROGRAMS = ("haproxy", "redis-server", "redis-cli", "openssl")


def missing_programs(needed):
    return [program for program in needed if not shutil.which(program)]


class Result(unittest.TextTestResult):
    """Prints skipped tests in the form that tests/run.sh reads."""

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        print(f"skip  fleet: {test}: {reason}")


def run_tests(needed=FLEET_PROGRAMS):
    """The main function of a script. The first argument is the binary; the other arguments are for unittest."""
    if missing := missing_programs(needed):
        print(f"skip  fleet: no {' and no '.join(missing)} here (deploy/install.sh --tests)")
        sys.exit(ALL_SKIPPED)
    runner = unittest.TextTestRunner(resultclass=Result, verbosity=2)
    ran = unittest.main(argv=sys.argv[:1] + sys.argv[2:], exit=False, testRunner=runner).result
    sys.exit(0 if ran.wasSuccessful() else 1)
