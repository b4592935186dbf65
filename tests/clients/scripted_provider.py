"""The shared part of the scripted providers of these tests: an HTTP server that records requests, and callers that leave.

GET /seen?TEXT lists the requests whose body contains TEXT. The bearer token must be KEY.
"""
import http.server
import json
import select
import socket
import threading
import urllib.parse

KEY = "upstream-own"


class ScriptedProvider(http.server.BaseHTTPRequestHandler):
    """Base class: a subclass has its own `seen` and `lock`, and a do_POST that stores its record in self.record."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True
    record = None

    def __init_subclass__(cls):
        cls.seen, cls.lock = [], threading.Lock()

    def log_message(self, *_):
        pass

    def handle(self):
        try:
            super().handle()
        except ConnectionError:  # ignored, because the caller has left
            if self.record:
                self.record["left"] = True

    def handle_one_request(self):
        self.record = None  # the previous request was answered
        super().handle_one_request()

    def do_GET(self):
        wanted = urllib.parse.unquote(urllib.parse.urlsplit(self.path).query)
        with self.lock:
            found = [record for record in self.seen if wanted in json.dumps(record["body"])]
        self.answer(200, json.dumps(found))

    def note(self, **record):
        """Records a request that has arrived. Returns False if it was refused, because it has the wrong key."""
        self.record = {"path": self.path, "left": False, **record}
        with self.lock:
            self.seen.append(self.record)
        if self.headers["authorization"] == f"Bearer {KEY}":
            return True
        self.refuse(401, "this is not the provider's key")
        return False

    def left_within(self, seconds):
        """Waits for this time. If the caller leaves meanwhile, records this and returns True."""
        readable, _, _ = select.select([self.connection], [], [], seconds)
        try:
            has_left = bool(readable) and self.connection.recv(1, socket.MSG_PEEK) == b""
        except ConnectionResetError:
            has_left = True
        if has_left:
            self.record["left"] = self.close_connection = True
        return has_left

    def refuse(self, status, why):
        self.answer(status, json.dumps({"error": {"message": why, "type": "scripted", "param": None, "code": None}}))

    def answer(self, status, text, kind="application/json"):
        body = text.encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def begin(self, kind="text/event-stream"):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()

    def chunk(self, data):
        """Writes a part of the chunked body. An empty part ends the body."""
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def event(self, data, name=""):
        head = f"event: {name}\n" if name else ""
        self.chunk(f"{head}data: {data}\n\n".encode())


def serve(provider):
    """Prints the server's URL, and serves until the process is killed."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), provider)
    server.daemon_threads = True
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
