#!/usr/bin/env python3
"""Tests the gateway behind nginx, Caddy and HAProxy: first with their default settings, then with our recipes (TLS, HTTP/1.1
and HTTP/2).

tests/proxies/proxies_test.py BINARY. The provider follows the test's script: it sends its second event only after the client
has received the first event. It also detects when a client has left, because then the gateway closes its connection to the
provider.
"""

import json
import os
import pathlib
import re
import select
import shutil
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
import proxies
from scripted_provider import PATIENCE_S, ScriptedProvider

from servers import ALL_SKIPPED, House, wait_until

KEY = "caller-key"
BIG = 20 << 20  # bytes of a prompt: more than any buffer between client and provider, less than max_body
TEXT, EVENTS = "word " * 13000, 30  # the text of one event, and the number of events: together an answer of 2 MB


class Client:
    """Runs curl as a client of the gateway through a proxy. Used as a context, which ends curl by its process id."""

    def __init__(self, proxy, *options, prompt="hello", is_stream=True):
        body = {"model": "p/m", "stream": is_stream, "messages": [{"role": "user", "content": prompt}]}
        self._process = subprocess.Popen(
            ["curl", "-ksSN", "--max-time", "60", *proxy.resolve(), "-H", f"authorization: Bearer {KEY}",
             "-H", "content-type: application/json", "--data-binary", "@-", *options,
             proxy.url("/v1/chat/completions")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )
        self._process.stdin.write(json.dumps(body).encode())
        self._process.stdin.close()
        self._text = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.leave()
        self._process.stdout.close()

    def has_ended(self):
        return self._process.poll() is not None

    def leave(self):
        self._process.kill()
        self._process.wait()

    def read_until(self, wanted):
        """Returns everything that was received as soon as it contains `wanted`."""
        deadline = time.monotonic() + PATIENCE_S
        while wanted.encode() not in self._text:
            ready, _, _ = select.select([self._process.stdout], [], [], max(0, deadline - time.monotonic()))
            part = os.read(self._process.stdout.fileno(), 1 << 16) if ready else b""
            if not part:
                raise AssertionError(f"{wanted!r} did not come, but {self._text[-500:]!r}")
            self._text += part
        return self._text.decode()

    def read_all(self):
        self._text += self._process.stdout.read()
        self._process.wait(PATIENCE_S)
        return self._text.decode()


def peers_of(port):
    """Returns the clients' ports of all connections to a loopback port, including connections that were closed in the last
    minute."""
    rows = [line.split() for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return {remote for _, local, remote, *_ in rows if local == f"0100007F:{port:04X}"} | {
        local for _, local, remote, *_ in rows if remote == f"0100007F:{port:04X}"
    }


class BehindAProxy:
    """The tests that each proxy must pass. A subclass names the proxy, and whether our recipe is used."""

    proxy = None
    is_recipe = None
    versions = ("--http1.1",)

    @classmethod
    def setUpClass(cls):
        if not shutil.which(cls.proxy.program):
            raise unittest.SkipTest(f"no {cls.proxy.program} here (deploy/install.sh --tests)")
        cls.house = House(sys.argv[1])
        cls.addClassCleanup(cls.house.__exit__)
        cls.provider = cls.enterClassContext(ScriptedProvider())
        proxies.make_certificate(cls.house.folder)
        cls.gateway = cls.house.start_gateway(
            f"listen: 127.0.0.1:0\n{cls.rule}\nproviders:\n  p: {{base_url: '{cls.provider.url}', api_key: none, "
            "models: ['*']}\n"
        )
        cls.front = cls.proxy(cls.house, cls.gateway, cls.is_recipe)

    def ask(self, *options, **more):
        return Client(self.front, *options, **more)

    def call_of(self, client):
        """Returns the provider's side of a client's request. The provider gets no request if the proxy refused the client.

        Waits until the proxy is idle. Otherwise Caddy 2.6 sometimes ends an HTTP/1.1 stream after its first bytes. This happens
        if these bytes arrive before Caddy has checked whether more bytes follow the request's body. Caddy's server has then
        already closed the body, so the check fails, and Caddy closes its connection to the gateway.
        """
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            if call := self.provider.next_call(0.2):
                self.front.wait_until_at_rest(PATIENCE_S)
                return call
            if client.has_ended():
                break
        client.leave()
        self.fail(f"no request came to the provider; its client got {client.read_all()!r}")

    def test_an_event_arrives_before_the_provider_sends_the_next(self):
        for version in self.versions:
            with self.subTest(version), self.ask("-i", version) as client:
                call = self.call_of(client)
                call.begin("first")
                head = client.read_until("first").split("\r\n", 1)[0]
                self.assertIn("HTTP/2 200" if version == "--http2" else "HTTP/1.1 200", head)
                call.say("second")
                client.read_until("second")
                call.finish()
                self.assertTrue(client.read_all().endswith("data: [DONE]\n\n"))

    def test_a_client_that_leaves_a_stream_cancels_the_provider(self):
        for version in self.versions:
            with self.subTest(version), self.ask(version) as client:
                call = self.call_of(client)
                call.begin("first")
                client.read_until("first")
                client.leave()
                call.expect_cancelled()

    def test_a_client_that_leaves_before_the_first_token_cancels_the_provider(self):
        for version in self.versions:
            with self.subTest(version), self.ask(version) as client:
                call = self.call_of(client)
                client.leave()
                call.expect_cancelled()

    def test_a_big_prompt_arrives_and_a_big_answer_comes_back(self):
        for version in self.versions:
            with self.subTest(version), self.ask(version, prompt="a" * BIG, is_stream=False) as client:
                call = self.call_of(client)
                self.assertGreater(len(call.body), BIG)
                call.begin(TEXT)
                for _ in range(EVENTS - 1):
                    call.say(TEXT)
                call.finish()
                answer = json.loads(client.read_all())
                self.assertEqual(len(answer["choices"][0]["message"]["content"]), len(TEXT) * EVENTS)

    def test_connections_are_used_again_on_both_sides(self):
        before = peers_of(int(self.gateway.rsplit(":", 1)[1]))
        url = self.front.url("/livez")
        found = subprocess.run(
            ["curl", "-ksS", "-w", "\n%{num_connects} new\n", *self.front.resolve(), url, url, url],
            capture_output=True, text=True, timeout=PATIENCE_S,
        )
        counts = [line for line in found.stdout.splitlines() if line.endswith(" new")]
        self.assertEqual(counts, ["1 new", "0 new", "0 new"])
        self.assertLessEqual(len(peers_of(int(self.gateway.rsplit(":", 1)[1])) - before), self.new_connections)


class Defaults(BehindAProxy):
    is_recipe = False
    rule = f"access_keys: [{{name: all, key: {KEY}}}]"
    new_connections = 1


class Recipe(BehindAProxy):
    is_recipe = True
    rule = f"allowed_hosts: [{proxies.HOST}]"
    versions = ("--http1.1", "--http2")
    new_connections = 1

    def test_the_log_names_who_called_the_proxy_whatever_the_caller_says(self):
        marker = "said-to-be-from-192.0.2.1"
        with self.ask("-H", "x-forwarded-for: 192.0.2.1", "-H", f"x-request-id: {marker}") as client:
            call = self.call_of(client)
            call.begin("first")
            call.finish()
            client.read_all()
        lines = wait_until("a line of it", PATIENCE_S, lambda: re.findall(
            rf".*{marker}.*", self.house.logs["gateway"].read_text()))
        self.assertIn("forwarded_for=127.0.0.1", lines[0])


class CaddyDefaults(Defaults, unittest.TestCase):
    proxy = proxies.Caddy


class CaddyRecipe(Recipe, unittest.TestCase):
    proxy = proxies.Caddy


class NginxDefaults(Defaults, unittest.TestCase):
    proxy = proxies.Nginx
    new_connections = 3

    def test_a_big_prompt_arrives_and_a_big_answer_comes_back(self):
        """The prompt is refused, because nginx accepts only 1 MiB by default. The documentation states this limit."""
        with self.ask("-i", prompt="a" * BIG) as client:
            self.assertIn("413 Request Entity Too Large", client.read_all())


class NginxRecipe(Recipe, unittest.TestCase):
    proxy = proxies.Nginx


class HaproxyDefaults(Defaults, unittest.TestCase):
    proxy = proxies.Haproxy

    def test_a_client_that_leaves_a_stream_cancels_the_provider(self):
        """By default HAProxy notices that a client left only when it has something to write to the client. The documentation
        states this."""
        with self.ask() as client:
            call = self.call_of(client)
            call.begin("first")
            client.read_until("first")
            client.leave()
            call.say_until_cancelled("more")

    def test_a_client_that_leaves_before_the_first_token_cancels_the_provider(self):
        """HAProxy does not notice this either before it has something to write."""
        with self.ask() as client:
            call = self.call_of(client)
            client.leave()
            call.begin("first")
            call.say_until_cancelled("more")


class HaproxyRecipe(Recipe, unittest.TestCase):
    proxy = proxies.Haproxy


class HaproxyTcp(Defaults, unittest.TestCase):
    """HAProxy as a TCP balancer that sends PROXY headers, which the gateway requires."""

    proxy = proxies.HaproxyTcp
    rule = f"{Defaults.rule}\nproxy_protocol: true\ntrusted_proxies: [127.0.0.1]"

    def test_who_connects_past_it_gets_nothing(self):
        found = subprocess.run(["curl", "-sS", f"http://{self.gateway}/livez"], capture_output=True, text=True, timeout=PATIENCE_S)
        self.assertNotEqual(found.returncode, 0)
        self.assertEqual(found.stdout, "")


class Result(unittest.TextTestResult):
    """Prints skipped tests in the form that tests/run.sh reads."""

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        print(f"skip  proxies: {test}: {reason}")


if __name__ == "__main__":
    runner = unittest.TextTestRunner(resultclass=Result, verbosity=2)
    ran = unittest.main(argv=sys.argv[:1] + sys.argv[2:], exit=False, testRunner=runner).result
    if not ran.wasSuccessful():
        sys.exit(1)
    sys.exit(ALL_SKIPPED if ran.testsRun == 0 else 0)
