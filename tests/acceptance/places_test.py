#!/usr/bin/env python3
"""Tests the limit of concurrent requests with three gateways behind HAProxy: a thousand streams are cut, and a gateway that
holds permits is killed.

tests/acceptance/places_test.py BINARY
"""

import concurrent.futures
import contextlib
import json
import random
import socket
import ssl
import struct
import sys
import threading
import time
import unittest

sys.dont_write_bytecode = True
from acceptance import PATIENCE_S, Canary, bill_of, key_of, spent_in_store, start_fleet
from fleet import Load, PlainCaller, run_tests
from servers import wait_until

PLACES = 10
SEED = 20261127


class Stream:
    """A stream that stays open until it is cut. `status` is 0 if no answer has begun."""

    def __init__(self, port, key, model, is_tls=True):
        body = json.dumps({"model": model, "stream": True, "messages": [{"role": "user", "content": "hello"}]}).encode()
        self._plain = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
        self._socket = ssl._create_unverified_context().wrap_socket(self._plain) if is_tls else self._plain
        self._read = b""
        self._socket.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nhost: llm.example.com\r\ncontent-type: application/json\r\n"
                             b"authorization: Bearer " + key.encode() + b"\r\ncontent-length: " + str(len(body)).encode() + b"\r\n\r\n"
                             + body)

    @property
    def status(self):
        return int(self._read[9:12]) if len(self._read) >= 12 else 0

    def read_until_token(self):
        """Reads until a token arrives or the request is refused."""
        self._socket.settimeout(PATIENCE_S)
        while b'"content":"' not in self._read and self.status in (0, 200):
            if not self._take():
                break
        return self

    def read_for(self, seconds):
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self._socket.settimeout(left)
            with contextlib.suppress(TimeoutError):
                if not self._take():
                    return

    def _take(self):
        came = self._socket.recv(1 << 14)
        self._read += came
        return came

    def cut(self, is_reset):
        """Closes the connection in the same way as a process that exits, or by a reset."""
        if is_reset:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._socket.close()


def fit_at_once(port, count, is_tls=True):
    """Starts this number of streams together. Returns the admitted streams. The refused streams are closed."""
    begin = threading.Barrier(count)

    def one(_):
        begin.wait()
        return Stream(port, key_of("places"), "long", is_tls).read_until_token()

    with concurrent.futures.ThreadPoolExecutor(count) as threads:
        streams = list(threads.map(one, range(count)))
    for each in streams:
        if each.status != 200:
            each.cut(is_reset=False)
    return [each for each in streams if each.status == 200]


def all_fit(port, is_tls=True):
    """Returns streams that use all permits, or closes all of them and returns None if one stream is refused."""
    streams = fit_at_once(port, PLACES, is_tls)
    if len(streams) == PLACES:
        return streams
    for each in streams:
        each.cut(is_reset=True)
    return None


def last_lease_ends(fleet):
    """Returns the end of the last lease of permits in the store, in seconds. The store's clock is this machine's clock."""
    kept = fleet.redis("HVALS", "pf:permits:key:places").split()
    return max(int(each.split(":")[1]) for each in kept) / 1e3


class Places(unittest.TestCase):
    def test_after_a_thousand_cut_streams_as_many_fit_as_before_and_not_one_more(self):
        fleet = start_fleet(self, {"places": f"max_parallel_requests: {PLACES}"})
        wanted, seen, guard = 1000, {0: 0, 200: 0, 429: 0}, threading.Lock()

        def cut_some(number):
            chance = random.Random(SEED + number)
            while True:
                with guard:
                    if seen[0] + seen[200] >= wanted:
                        return
                stream = Stream(fleet.port, key_of("places"), "long")
                stream.read_for(chance.uniform(0, 0.3))
                stream.cut(is_reset=chance.random() < 0.5)
                with guard:
                    seen[stream.status] += 1

        with Canary() as canary:
            with concurrent.futures.ThreadPoolExecutor(PLACES) as threads:
                list(threads.map(cut_some, range(PLACES)))
            ended = time.monotonic()
            held = wait_until("all places are free", PATIENCE_S, lambda: all_fit(fleet.port), every=0.2)
            took, late = time.monotonic() - ended, canary.worst(ended, time.monotonic())
        at = [each.metric("photofinish_inflight_requests") for each in fleet.gateways]
        more = [PlainCaller(port, key_of("places")).ask("brief")
                for _ in range(5) for port in [each.port for each in fleet.gateways]]
        over = fit_at_once(fleet.port, 3)
        print(f"cut: {seen[200]} in their answer, {seen[0]} before it; {seen[429]} were refused meanwhile; {PLACES} fit at once "
              f"{took:.2f} s later (canary {late * 1e3:.0f} ms), at the gateways {at}; then {sorted(set(more))} and {len(over)} of 3")
        self.assertGreater(seen[0], 20)
        self.assertEqual(set(more), {429})
        self.assertEqual(over, [])
        self.assertLess(took, 3 + 20 * late)
        held.pop().cut(is_reset=True)
        wait_until("the one that left has left its place", PATIENCE_S, lambda: len(one := fit_at_once(fleet.port, 1)) == 1
                   and held.append(one[0]) is None)
        self.assertEqual(fit_at_once(fleet.port, 2), [])
        for each in held:
            each.cut(is_reset=True)


class Killed(unittest.TestCase):
    def test_the_places_of_a_killed_one_are_back_within_twelve_seconds(self):
        fleet = start_fleet(self, {"places": f"max_parallel_requests: {PLACES}"})
        victim, other, _ = fleet.gateways
        held = wait_until("all places are held by one", PATIENCE_S, lambda: all_fit(victim.port, is_tls=False))
        wait_until("the others know it", PATIENCE_S, lambda: PlainCaller(other.port, key_of("places")).ask("brief") == 429)
        with Canary() as canary:
            victim.kill()
            killed = time.monotonic()
            early = PlainCaller(other.port, key_of("places")).ask("brief")
            for each in held:
                each.cut(is_reset=True)
            # No request is sent before this time, because a gateway remembers a refusal for a second, and each request takes a
            # permit.
            lease_s = last_lease_ends(fleet) - time.time()
            time.sleep(max(0, lease_s) + 0.1)
            back = wait_until("its places are free", PATIENCE_S, lambda: all_fit(fleet.port), every=1.2)
            took, late = time.monotonic() - killed, canary.worst(killed, time.monotonic())
        print(f"all {len(back)} places back after {took:.2f} s (canary {late * 1e3:.0f} ms), their lease ended {lease_s:.2f} s behind")
        self.assertGreater(lease_s, 1)
        self.assertLess(lease_s, 10)
        self.assertEqual(early, 429, "a place was free at once: nothing was held")
        self.assertLess(took, 12 + 20 * late)

    def test_its_spend_is_short_by_one_seconds_at_most(self):
        fleet = start_fleet(self, {"spender": "max_budget: 100000"})
        victim = fleet.gateways[0]
        with Canary() as canary:
            with Load(victim.port, key_of("spender"), ["quick"] * 6, pause_s=0.1, is_tls=False,
                      stream_options={"include_usage": True}) as load:
                wait_until("it posts", PATIENCE_S, lambda: spent_in_store(fleet, "spender") > 0)
                wait_until("there is much to count", PATIENCE_S, lambda: len(load.answers) > 300)
                killed = time.monotonic()
                victim.kill()
            late = canary.worst(killed - 2, killed)
        time.sleep(0.5)  # waits for updates that are still being sent to the store
        spent, whole = spent_in_store(fleet, "spender"), bill_of(load.answers)
        short = whole - spent
        last = bill_of(each for each in load.answers if each.ended > killed - 1 - 20 * late)
        print(f"{len(load.answers)} answers, ${whole / 1e9:.4f}; the store has ${spent / 1e9:.4f}: short by {short / 1e9:.4f}, "
              f"the last second's are {last / 1e9:.4f}")
        self.assertGreaterEqual(short, 0)
        self.assertLessEqual(short, last)


if __name__ == "__main__":
    run_tests()
