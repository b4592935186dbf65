"""A provider whose bytes a test controls completely: it accepts a request, and then waits for the test's instructions."""

import json
import queue
import socket
import threading
import time

PATIENCE_S = 20  # the time limit for every event that a test waits for
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"


class ScriptedProvider:
    """Turns each accepted request into a Call. Used as a context, which closes every connection at its end."""

    def __init__(self):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._calls = queue.Queue()
        self._sockets = []
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for each in (self._listener, *self._sockets):
            each.close()

    @property
    def url(self):
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}/v1"

    def next_call(self, seconds):
        """Returns the next request, or None if no request arrives within this time."""
        try:
            return self._calls.get(timeout=seconds)
        except queue.Empty:
            return None

    def _accept(self):
        while True:
            try:
                peer, _ = self._listener.accept()
            except OSError:
                return  # the listener was closed, because the test is over
            self._sockets.append(peer)
            threading.Thread(target=self._read, args=(peer,), daemon=True).start()

    def _read(self, peer):
        """Reads one request. Ignores connections that were opened in advance and never used."""
        received = b""
        try:
            while b"\r\n\r\n" not in received:
                if not (part := peer.recv(65536)):
                    return
                received += part
            head, _, rest = received.partition(b"\r\n\r\n")
            fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
            body = bytearray(rest)
            while len(body) < int(fields[b"content-length"]):
                if not (part := peer.recv(1 << 20)):
                    return
                body += part
        except OSError:
            return
        self._calls.put(Call(peer, bytes(body)))


class Call:
    def __init__(self, peer, body):
        self._peer = peer
        self.body = body

    def begin(self, text):
        self._peer.sendall(HEAD)
        self.say(text)

    def say(self, text):
        self._send({"delta": {"content": text}, "finish_reason": None})

    def finish(self):
        self._send({"delta": {}, "finish_reason": "stop"})
        self._peer.sendall(b"data: [DONE]\n\n")
        self._peer.close()

    def expect_cancelled(self):
        """Waits until the other side closes the connection. Fails if this does not happen."""
        self._peer.settimeout(PATIENCE_S)
        try:
            if self._peer.recv(1):
                raise AssertionError("more bytes behind the request")
        except ConnectionResetError:
            pass
        except TimeoutError:
            raise AssertionError("the provider's connection is still open") from None

    def say_until_cancelled(self, text):
        """Does the same as expect_cancelled, for a peer that notices the end only when it receives bytes. Therefore sends
        `text` again and again."""
        deadline = time.monotonic() + PATIENCE_S
        try:
            while time.monotonic() < deadline:
                self.say(text)
        except OSError:
            return
        raise AssertionError("the provider's connection is still open")

    def _send(self, choice):
        chunk = {
            "id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m",
            "choices": [{"index": 0, **choice}],
        }
        self._peer.sendall(b"data: " + json.dumps(chunk).encode() + b"\n\n")
