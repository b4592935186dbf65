#!/usr/bin/env python3
"""Runs three gateways behind each of our balancer recipes. One gateway loses its connection to the providers. Tests what the
clients notice.

tests/proxies/black_hole_test.py BINARY. The gateways share nothing, so that only the recipe and ?egress=own help.
"""

import contextlib
import shutil
import sys
import time
import unittest

sys.dont_write_bytecode = True
import fleet
import proxies
from fleet import Gateway, Load, NAMES

from servers import House, free_port, replaced, wait_until

KEY = "fleet-key-of-some-length"
PATIENCE_S = 90
RATE, SECONDS = 20, 30  # requests per second: a quarter of the load that lost 82 % without a recipe
MOST_FAILED = 0.1

CONFIGURATION = """
access_keys: [{name: all, key: %s}]
providers:
  sim: {base_url: "%s", api_key: none, models: ["*"]}
routes:
  quick: {targets: ["sim/sim-model;tokens=8;tps=200"]}
"""


class Replicas:
    """Three gateways with one provider each, and a balancer. Used as a context, which ends their processes by process id."""

    def __init__(self, binary, balancer, more):
        """`more` has further lines for each gateway's configuration."""
        self.house = House(binary)
        try:
            proxies.make_certificate(self.house.folder)
            self.providers = [self._start_provider(number) for number in range(len(NAMES))]
            self.gateways = [Gateway(self.house, name, CONFIGURATION % (KEY, url) + more)
                             for name, url in zip(NAMES, self.providers)]
            for each in self.gateways:
                each.start()
            self.port = free_port()
            balancer(self.house, self.gateways, self.port)
        except BaseException:
            self.house.__exit__()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.house.__exit__()

    def _start_provider(self, number, port=0):
        return self.house.start_provider(f"provider{number}", "--ttft", "20ms", "--ttft-sigma", "0", "--stall-share", "0",
                                         port=port)

    def cut_off(self, number):
        """Stops the provider of this gateway, so that nothing listens at the provider's address."""
        self.house.stop(f"provider{number}")

    def reconnect(self, number):
        self._start_provider(number, port=int(self.providers[number].rsplit(":", 1)[1].split("/")[0]))

    def load(self):
        return Load(self.port, KEY, ["quick"] * RATE, pause_s=1)


def addresses(gateways):
    return {f"10.0.0.1{number}:7777": f"127.0.0.1:{each.port}" for number, each in enumerate(gateways, 1)}


def haproxy(house, gateways, port):
    fleet.write_haproxy(house.folder, gateways, port)
    house.run("haproxy", "haproxy", "-db", "-f", "haproxy.cfg")


def haproxy_before_tls(house, gateways, port):
    fleet.write_haproxy(house.folder, gateways, port, "haproxy-replicas-tls.cfg")
    house.run("haproxy", "haproxy", "-db", "-f", "haproxy.cfg")


def nginx(house, gateways, port):
    changes = addresses(gateways) | {"listen 443": f"listen 127.0.0.1:{port}", "/etc/ssl/llm.example.com.crt": "host.crt",
                                     "/etc/ssl/llm.example.com.key": "host.key"}
    folder = house.folder
    (folder / "site.conf").write_text(replaced(proxies.recipe("nginx-replicas.conf"), changes))
    (folder / "nginx.conf").write_text(proxies.NGINX_AROUND.format(path=folder / "site.conf"))
    house.run("nginx", "nginx", "-p", folder, "-c", folder / "nginx.conf")


def caddy(house, gateways, port):
    site = f"https://llm.example.com:{port} {{\n\tbind 127.0.0.1\n\ttls host.crt host.key"
    changes = addresses(gateways) | {"llm.example.com {": site}
    (house.folder / "Caddyfile").write_text(proxies.CADDY_AROUND + replaced(proxies.recipe("Caddyfile-replicas"), changes))
    house.run("caddy", "env", "HOME=.", "caddy", "run", "--adapter", "caddyfile", "--config", "Caddyfile")


class Recipe:
    """The tests that every recipe must pass. `balancer` starts the recipe's balancer."""

    balancer = None
    program = None
    more = ""  # further lines for each gateway's configuration
    seconds = SECONDS
    passes_connections = False

    def setUp(self):
        if not shutil.which(self.program):
            self.skipTest(f"no {self.program} here (deploy/install.sh --tests)")
        self.replicas = self.enterContext(Replicas(sys.argv[1], self.balancer, self.more))
        self.wait_until_it_serves()

    def wait_until_it_serves(self):
        def is_up():
            with contextlib.suppress(OSError, ValueError, fleet.http.client.HTTPException):
                caller = fleet.Caller(self.replicas.port, KEY)
                return [caller.ask("quick").status for _ in range(12)] == [200] * 12
        wait_until("the balancer passes requests on", PATIENCE_S, is_up)

    def requests_of(self, number, outcome):
        return self.replicas.gateways[number].metric('photofinish_requests_total{.*outcome="%s"' % outcome)

    def has_its_part(self, before):
        """True if the gateway has answered its share of the requests since `before`. A balancer that passes connections on
        sends only new connections to the gateway."""
        if self.passes_connections:
            fleet.Caller(self.replicas.port, KEY).ask("quick")
        return self.requests_of(0, "ok") > before + (3 if self.passes_connections else RATE)

    def test_one_that_reaches_no_provider_costs_few_requests_and_comes_back(self):
        with self.replicas.load() as load:
            wait_until("answers come", PATIENCE_S, lambda: load.count(200) > 2 * RATE)
            self.replicas.cut_off(0)
            began = time.monotonic()
            wait_until("as many requests as that takes", 4 * self.seconds,
                       lambda: sum(each.began >= began for each in load.answers) >= RATE * self.seconds)
            seen = [each for each in load.answers if each.began >= began]
            failed = [each for each in seen if each.status != 200]
            self.assertGreater(self.requests_of(0, "upstream_error"), 0, "it is not cut off")
            print(f"{self.balancer.__name__}: {len(failed)} of {len(seen)} failed "
                  f"({100 * len(failed) / len(seen):.1f} %) in {time.monotonic() - began:.0f} s")
            self.assertLess(len(failed) / len(seen), MOST_FAILED)
            before = self.requests_of(0, "ok")
            self.replicas.reconnect(0)
            wait_until("it has its part of the answers again", PATIENCE_S, lambda: self.has_its_part(before))

    def test_when_the_providers_fail_for_all_the_gateways_say_so(self):
        """If a balancer took all gateways out of service, it would answer with its own page, even to requests that need no
        provider."""
        caller = fleet.Caller(self.replicas.port, KEY)
        for number in range(len(NAMES)):
            self.replicas.cut_off(number)
        with self.replicas.load() as load:
            time.sleep(SECONDS / 2)  # after this time, all gateways have lost their providers
            wait_until("answers come", PATIENCE_S, lambda: len(load.answers) > 5 * RATE)
        texts = {each.text for each in load.answers if '"error"' not in each.text or "cannot connect" not in each.text}
        self.assertEqual(texts, set(), "not a gateway's answers")
        for number in range(len(NAMES)):
            self.replicas.reconnect(number)
        wait_until("answers come again", PATIENCE_S, lambda: caller.ask("quick").status == 200)


class Haproxy(Recipe, unittest.TestCase):
    balancer, program = staticmethod(haproxy), "haproxy"


class HaproxyBeforeTls(Recipe, unittest.TestCase):
    """The gateways terminate TLS. The balancer takes a gateway out of service only by checks, so a longer test would have the
    same number of failures."""

    balancer, program = staticmethod(haproxy_before_tls), "haproxy"
    more = """
tls: {cert_file: host.crt, key_file: host.key}
proxy_protocol: true
trusted_proxies: [127.0.0.1/32]
"""
    seconds = 2 * SECONDS
    passes_connections = True


class Nginx(Recipe, unittest.TestCase):
    balancer, program = staticmethod(nginx), "nginx"


class Caddy(Recipe, unittest.TestCase):
    balancer, program = staticmethod(caddy), "caddy"


if __name__ == "__main__":
    fleet.run_tests({"openssl"})
