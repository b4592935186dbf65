"""Load for a gateway: a few clients in threads, which run for a limited time."""

import contextlib
import http.client
import itertools
import json
import ssl
import threading
import time


class Load:
    """Clients that send one request after another until the end.

    A request has a route, a number of tokens, a flag for a streamed answer, and the words of a conversation that all clients
    continue. It may also have a number of lines after which the client leaves. A new conversation begins every five seconds.
    With `keys`, each request uses the next key, TLS without a check of the certificate, and the project `web`.
    """

    def __init__(self, gateway, requests, clients, keys=()):
        self.gateway = gateway
        self.keys = itertools.cycle(keys) if keys else None
        self.turns = itertools.cycle(requests)
        self.lock = threading.Lock()
        self.ended = threading.Event()
        self.asked = 0
        self.threads = [threading.Thread(target=self.ask_until_the_end, daemon=True) for _ in range(clients)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        for thread in self.threads:
            thread.join(15)

    def ask_until_the_end(self):
        while not self.ended.is_set():
            with self.lock:
                request = next(self.turns)
                key = next(self.keys) if self.keys else None
                self.asked += 1
            with contextlib.suppress(OSError, http.client.HTTPException):  # failures are part of the load
                self.ask(*request, key=key)
            self.ended.wait(0.01)

    def connect(self, key):
        if key is None:
            return http.client.HTTPConnection(self.gateway, timeout=15)
        return http.client.HTTPSConnection(self.gateway, timeout=15, context=ssl._create_unverified_context())

    def ask(self, route, tokens, lines_to_read=None, streamed=True, words=0, key=None):
        connection = self.connect(key)
        try:
            messages = [{"role": "user", "content": "Go"}]
            if words:
                text = f"Conversation {time.monotonic() // 5:.0f}" + " word" * words
                messages.insert(0, {"role": "system", "content": text})
            body = {"model": route, "stream": streamed, "max_tokens": tokens, "messages": messages}
            headers = {"content-type": "application/json", **({"authorization": f"Bearer {key}", "x-race-project": "web"} if key else {})}
            connection.request("POST", "/v1/chat/completions", json.dumps(body), headers)
            response = connection.getresponse()
            if lines_to_read is None:
                response.read()
            else:
                for _ in range(lines_to_read):
                    response.readline()
        finally:
            connection.close()
