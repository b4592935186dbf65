"""A provider whose every byte is the test's: it takes a request, then waits for what the test says next."""

import json
import queue
import socket
import threading
import time

PATIENCE_S = 20  # how long a test waits for what must come before it fails
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"


class ScriptedProvider:
    """Each accepted request becomes a Call. Used as a context: its end closes every connection."""

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
        """The next request, or None when there is none within that time."""
        try:
            return self._calls.get(timeout=seconds)
        except queue.Empty:
            return None

    def _accept(self):
        while True:
            try:
                peer, _ = self._listener.accept()
            except OSError:
                return  # closed: the test is over
            self._sockets.append(peer)
            threading.Thread(target=self._read, args=(peer,), daemon=True).start()

    def _read(self, peer):
        """A connection that was dialed ahead and never used is no call."""
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
        """Returns once the other side has closed; fails when it does not."""
        self._peer.settimeout(PATIENCE_S)
        try:
            if self._peer.recv(1):
                raise AssertionError("more bytes behind the request")
        except ConnectionResetError:
            pass
        except TimeoutError:
            raise AssertionError("the provider's connection is still open") from None

    def say_until_cancelled(self, text):
        """As expect_cancelled, for a side that notices only by what it is sent."""
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
