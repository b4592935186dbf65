"""Bounded load on several routes: requests start at a fixed rate, whether earlier ones have ended or not."""

import http.client
import json
import re
import ssl
import threading
import time
import typing

PATIENCE_S = 60


class Outcome(typing.NamedTuple):
    """The end of one request. Times are from the steady clock."""

    began: float
    ended: float
    route: str
    key: str
    status: int  # 0 if the connection broke
    is_whole: bool
    served_by: str  # the server that HAProxy chose
    usage: tuple  # tokens of prompt and answer, as the provider counted them
    text: str  # the beginning of an incomplete answer


class Traffic:
    """Used as a context. `rates` maps each route to its requests per second. `keys` maps each route to its key, or is one key
    for all routes."""

    MAX_OPEN = 200

    def __init__(self, port, key, rates, body=None):
        self.outcomes, self._port, self._key, self._body = [], port, key, body or {}
        self._context = ssl._create_unverified_context()
        self._idle, self._lock = [], threading.Lock()
        self._over, self._open = threading.Event(), threading.Semaphore(self.MAX_OPEN)
        self.rates = dict(rates)
        self._threads = [threading.Thread(target=self._run, args=(route, phase / len(rates)), daemon=True)
                         for phase, route in enumerate(rates)]
        self._requests = []

    def __enter__(self):
        for each in self._threads:
            each.start()
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        """Starts no further requests, and waits for the running requests."""
        self._over.set()
        for each in self._threads + self._requests:
            each.join(PATIENCE_S)
        for each in self._idle:
            each.close()
        self._idle = []

    def of(self, route=None, since=0.0, until=float("inf")):
        return [each for each in list(self.outcomes) if route in (None, each.route) and since <= each.began < until]

    def failed(self, *arguments, **more):
        return [each for each in self.of(*arguments, **more) if each.status != 200 or not each.is_whole]

    def _run(self, route, phase):
        due = time.monotonic() + phase / max(self.rates[route], 0.01)
        while not self._over.wait(max(0, due - time.monotonic())):
            due = max(due + 1 / self.rates[route], time.monotonic() - 1)
            if self._open.acquire(blocking=False):
                request = threading.Thread(target=self._request, args=(route,), daemon=True)
                self._requests = [each for each in self._requests if each.is_alive()] + [request]
                request.start()

    def _request(self, route):
        began = time.monotonic()
        try:
            outcome = self._ask(route, began)
        except (OSError, http.client.HTTPException) as broken:
            text = f"{type(broken).__name__}: {broken}"
            outcome = Outcome(began, time.monotonic(), route, self._key, 0, False, "", (0, 0), text)
        finally:
            self._open.release()
        self.outcomes.append(outcome)

    def _ask(self, route, began):
        body = {"model": route, "stream": True, "stream_options": {"include_usage": True},
                "messages": [{"role": "user", "content": "hello"}], **self._body}
        headers = {"content-type": "application/json", "authorization": f"Bearer {self._key}"}
        connection = self._connection()
        is_kept = False
        try:
            connection.request("POST", "/v1/chat/completions", json.dumps(body), headers)
            answer = connection.getresponse()
            text = answer.read().decode(errors="replace")
            is_kept = not answer.will_close
        finally:
            if is_kept:
                with self._lock:
                    self._idle.append(connection)
            else:
                connection.close()
        found = re.findall(r'"usage":{[^}]*"prompt_tokens":(\d+),"completion_tokens":(\d+)', text)
        usage = (int(found[-1][0]), int(found[-1][1])) if found else (0, 0)
        is_whole = text.endswith("data: [DONE]\n\n") and '"error"' not in text
        return Outcome(began, time.monotonic(), route, self._key, answer.status, is_whole,
                       answer.getheader("x-served-by", ""), usage, "" if is_whole else text[:300])

    def _connection(self):
        """Returns an idle connection that its peer has not closed, or a new connection."""
        with self._lock:
            while self._idle:
                kept = self._idle.pop()
                kept.sock.setblocking(False)
                try:
                    kept.sock.recv(1)
                except (BlockingIOError, ssl.SSLWantReadError):
                    kept.sock.settimeout(PATIENCE_S)
                    return kept
                except OSError:
                    pass
                kept.close()
        return http.client.HTTPSConnection("127.0.0.1", self._port, timeout=PATIENCE_S, context=self._context)
