"""Three gateways as docs/operating/several-gateways.md describes them. They run with a redis-server, HAProxy with the shipped
recipe, and a simulator for each provider. Prometheus and Alertmanager have the shipped rules and routes, and send their
messages to the test.

Each gateway has its own folder, and reaches its providers through its own proxy process (way_out.py).
"""

import contextlib
import json
import pathlib
import random
import re
import shutil
import signal
import socket
import ssl
import sys
import time
import unittest
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "proxies"), str(HERE.parent / "monitoring")]

import fleet
import proxies
from receivers import Receivers
from servers import ALL_SKIPPED, DEPLOY, House, get_json, replaced, wait_until
from traffic import Traffic

PATIENCE_S = 60
PROGRAMS = ("haproxy", "redis-server", "redis-cli", "openssl", "prometheus", "prometheus-alertmanager")

ADMIN_KEY, WEB_KEY = "fleet-key-of-the-admin", "fleet-key-of-the-web-team"
# USD per million tokens of prompts and of answers. Every token costs a whole number of micro-dollars.
PRICE = "200/1000"
MICRO_A_TOKEN = (200, 1000)

CONFIGURATION = """\
instance: "${INSTANCE}"
listen: "127.0.0.1:${LISTEN_PORT}"
admin: "127.0.0.1:${ADMIN_PORT}"
state_dir: "${FOLDER}/state"
proxy: "http://127.0.0.1:${WAY_OUT_PORT}"
redis: {url: "redis://127.0.0.1:%(redis)s", timeout: 100ms}
teams:
  web: {max_budget: 100000, budget_duration: 1mo}
access_keys: "file:keys.yaml"
audit_log: {file: "${FOLDER}/logs/audit.jsonl"}
content_log: {file: "${FOLDER}/content/content.jsonl", routes: [%(main)s]}
providers:
%(providers)s
routes:
%(routes)s
"""
KEYS = f"""\
- {{name: admin, key: {ADMIN_KEY}, admin: true}}
- {{name: web, key: {WEB_KEY}, team: web, max_budget: 50000, budget_duration: 1mo}}
""" + "".join(f"- {{name: other{number}, key: fleet-key-of-other-{number}, team: web}}\n" for number in range(1, 8))

USUAL = {"--ttft": "50ms", "--ttft-sigma": "0.1", "--stall-share": "0", "--tokens": "24", "--tps": "100"}


def lasting_port():
    """Returns a free port below the system's range for outgoing connections. No outgoing connection uses it while its server is
    down."""
    while True:
        port = random.randrange(12_000, 32_000)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port


class Replica(fleet.Gateway):
    """One gateway with its ports, its folder and its proxy."""

    def __init__(self, house, name, text):
        self._house, self.name = house, name
        self.port, self.admin, self.way_out_port = lasting_port(), lasting_port(), lasting_port()
        self.folder = house.folder / name
        for part in ("state", "logs", "content"):
            (self.folder / part).mkdir(parents=True)
        self.configuration, self.keys = self.folder / "photofinish.yaml", self.folder / "keys.yaml"
        self.configuration.write_text(text)
        self.keys.write_text(KEYS)

    @property
    def instance(self):
        """Returns the instance label of the gateway's series in Prometheus."""
        return f"127.0.0.1:{self.admin}"

    def start(self):
        ports = {"LISTEN_PORT": self.port, "ADMIN_PORT": self.admin, "WAY_OUT_PORT": self.way_out_port}
        environment = {"PATH": "/usr/bin:/bin", "INSTANCE": self.name, "FOLDER": str(self.folder)}
        environment |= {key: str(port) for key, port in ports.items()}
        self._house.run(self.name, "env", f"--chdir={self.folder}", self._house.binary, "serve", "--config",
                        self.configuration, environment=environment)
        self._house.url_in_log(self.name, r"listening on https?://(\S+)")

    def open_way_out(self):
        name = f"way-out-{self.name}"
        self._house.run(name, sys.executable, HERE / "way_out.py", self.way_out_port)
        self._house.url_in_log(name, "(ready)")

    def close_way_out(self):
        process = self._house.processes.pop(f"way-out-{self.name}")
        process.kill()
        process.wait()

    def reload(self):
        self.process.send_signal(signal.SIGHUP)

    def log(self):
        return self._house.logs[self.name].read_text(errors="replace")


class Stage(fleet.Fleet):
    """All processes of the fleet. Used as a context, which ends them by process id.

    `routes` is {route: (race settings as YAML, [provider, ...])}. Each provider is a separate simulator. The first route has
    the content log. `settings` are parameters of make_rules.py. `prepare` is called with the stage before the gateways start.
    `more` makes another scraped gateway, which is an object with an `instance`."""

    def __init__(self, binary, routes, settings=None, with_alerts=True, prepare=None, more=None):
        self._routes, self._settings, self._with_alerts = routes, settings or {}, with_alerts
        self._prepare, self._make_more, self.more = prepare, more, None
        self.receivers, self.api = Receivers(), ""
        self.receivers.__enter__()
        self.house = House(binary)
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        with contextlib.suppress(Exception):
            self.receivers.__exit__()
        self.house.__exit__()

    def _start(self):
        self.redis_port, self.port = lasting_port(), lasting_port()
        proxies.make_certificate(self.house.folder)
        self.start_redis()
        self.provider_ports = {}
        for provider in dict.fromkeys(name for _, names in self._routes.values() for name in names):
            self.start_provider(provider)
        text = self.configuration_text()
        self.gateways = [Replica(self.house, name, text) for name in fleet.NAMES]
        if self._prepare:
            self._prepare(self)
        for each in self.gateways:
            each.open_way_out()
            each.start()
        self._start_haproxy()
        wait_until("the gateways know of each other", PATIENCE_S,
                   lambda: all(each.metric("photofinish_replicas") == 3 for each in self.gateways))
        self.more = self._make_more and self._make_more(self)
        if self._with_alerts:
            self._start_alerts()

    def configuration_text(self):
        providers = [f'  {name}: {{base_url: "http://{name}.example.com:{port}/v1", api_key: none, models: ["*"], '
                     f'prices: {{"*": "{PRICE}"}}}}' for name, port in self.provider_ports.items()]
        routes = [f"  {route}: {{targets: [{', '.join(name + '/sim-model' for name in names)}], race: {{{race}}}}}"
                  for route, (race, names) in self._routes.items()]
        return CONFIGURATION % {"redis": self.redis_port, "providers": "\n".join(providers),
                                "routes": "\n".join(routes), "main": next(iter(self._routes))}

    def start_redis(self):
        self.house.run("redis", "redis-server", "--port", self.redis_port, "--bind", "127.0.0.1", "--save", "",
                       "--appendonly", "no")
        self.house.wait_for("redis", lambda: self.redis("PING").strip() == "PONG")

    def start_provider(self, name, *options):
        """Starts the simulator of a provider. `options` replace the options that every provider has."""
        usual = [each for flag, value in USUAL.items() if flag not in options for each in (flag, value)]
        self.house.start_provider(name, *usual, *options, port=self.provider_ports.setdefault(name, lasting_port()))

    def change_provider(self, name, *options):
        self.stop_provider(name)
        self.start_provider(name, *options)

    def stop_provider(self, name):
        process = self.house.processes.pop(name)
        process.kill()
        process.wait()

    def _start_haproxy(self):
        changes = {"bind :443": f"bind 127.0.0.1:{self.port}", "/etc/ssl/private/llm.example.com.pem": "host.pem"}
        for number, each in enumerate(self.gateways, 1):
            changes[f"10.0.0.1{number}:7777 port 7778"] = f"127.0.0.1:{each.port} port {each.admin}"
        text = fleet.AROUND + replaced(proxies.recipe("haproxy-replicas.cfg"), changes)
        text = re.sub(r"^(backend \S+)$", r"\1\n    http-response set-header x-served-by %s", text, flags=re.M)
        (self.house.folder / "haproxy.cfg").write_text(text)
        self.house.run("haproxy", "haproxy", "-db", "-f", "haproxy.cfg")
        self.house.wait_for("haproxy", lambda: all(self.state_of(name).startswith("UP") for name in fleet.NAMES))

    def _start_alerts(self):
        import make_rules

        folder = self.house.folder
        (folder / "alertmanager.yml").write_text(
            self.receivers.configuration((DEPLOY / "alertmanager/alertmanager.yml").read_text()))
        alertmanager = self.house.start_server("alertmanager", [
            "prometheus-alertmanager", "--config.file=alertmanager.yml", "--storage.path=silences",
            "--cluster.listen-address=", "--log.level=warn"])
        # The gateway's own time depends on the machine. A busy machine must not cause an alert.
        settings = {"interval": "5s", "fast_interval": "5s", "baseline_interval": "10s", "overhead_limit": "1"}
        settings |= self._settings
        scraped = [each.instance for each in [*self.gateways, *([self.more] if self.more else [])]]
        known = {name: value for name, value in settings.items() if name in make_rules.PARAMETERS}
        make_rules.write(folder / "rules", known)
        text = replaced((DEPLOY / "prometheus/prometheus.yml").read_text(), {
            "scrape_interval: 15s": "scrape_interval: 2s", "evaluation_interval: 30s": "evaluation_interval: 5s",
            "gateway:7777": ", ".join(scraped), "alertmanager:9093": alertmanager})
        (folder / "prometheus.yml").write_text(text)
        self.api = "http://" + self.house.start_server("prometheus", [
            "prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=data", "--log.level=warn"]) + "/api/v1"

    def traffic(self, rates, key=WEB_KEY, **body):
        return Traffic(self.port, key, rates, body)

    def query(self, expression):
        """Returns the result of an instant query: [(labels, value)]."""
        found = get_json(f"{self.api}/query", query=expression)["data"]["result"]
        return [(each["metric"], float(each["value"][1])) for each in found]

    def alerts(self, state, name):
        """Returns the labels of Prometheus' own alerts in this state (pending or firing)."""
        return [labels for labels, _ in self.query(f'ALERTS{{alertname="{name}",alertstate="{state}"}}')]

    def has_rule(self, name):
        return any(re.fullmatch(name, rule["name"]) for group in get_json(f"{self.api}/rules")["data"]["groups"]
                   for rule in group["rules"])

    def wait_for_alert(self, name, receiver, seconds, since, **labels):
        """Returns the notice. If it does not arrive, fails and lists all notices that arrived."""
        try:
            notice = wait_until("", seconds, lambda: self.receivers.find("firing", name, since, receiver, **labels))
        except AssertionError:
            came = "\n  ".join(map(str, self.receivers.notices)) or "nothing"
            here = "" if self.has_rule(name) else " (there is no such rule)"
            raise AssertionError(
                f"no {name} {labels} at {receiver} within {seconds:.0f} s{here}; came:\n  {came}") from None
        print(f"{name} {labels} after {notice.at - since:.0f} s", flush=True)
        return notice

    def wait_for_end(self, name, seconds, since, **labels):
        began = time.monotonic()
        wait_until(f"the end of {name} {labels}", seconds,
                   lambda: self.receivers.find("resolved", name, since, **labels))
        print(f"{name} {labels} resolved after {time.monotonic() - began:.0f} s", flush=True)

    def usage(self, gateway=None, query=""):
        """Returns /v1/usage, through HAProxy or directly from one gateway."""
        url = f"http://127.0.0.1:{gateway.port}" if gateway else f"https://127.0.0.1:{self.port}"
        request = urllib.request.Request(f"{url}/v1/usage{query}", headers={"authorization": f"Bearer {ADMIN_KEY}"})
        with urllib.request.urlopen(request, timeout=10, context=ssl._create_unverified_context()) as answer:
            return json.load(answer)


def missing_programs():
    return [program for program in PROGRAMS if not shutil.which(program)]


def bill_of(outcomes):
    """Returns the providers' charge for these answers in micro-dollars, by the providers' own counts of tokens."""
    return sum(sum(count * price for count, price in zip(each.usage, MICRO_A_TOKEN)) for each in outcomes)


class Result(unittest.TextTestResult):
    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        print(f"skip  fleet: {test}: {reason}")


def run_tests():
    """The main function of a script. The arguments are BINARY [--long], and arguments for unittest."""
    if missing := missing_programs():
        print(f"skip  fleet: no {' and no '.join(missing)} here (deploy/install.sh --tests)")
        sys.exit(ALL_SKIPPED)
    arguments = [each for each in sys.argv[2:] if each != "--long"]
    runner = unittest.TextTestRunner(resultclass=Result, verbosity=2)
    ran = unittest.main(argv=sys.argv[:1] + arguments, exit=False, testRunner=runner).result
    sys.exit(0 if ran.wasSuccessful() else 1)


IS_LONG = "--long" in sys.argv
