#!/usr/bin/env python3
"""A collector that stores what it receives: POST /v1/traces. GET /seen lists the received bodies in base64.

It prints its URL.
"""
import base64
import http.server
import json
import threading


class Collector(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    seen = []
    lock = threading.Lock()

    def log_message(self, *_):
        pass

    def do_POST(self):
        raw = self.rfile.read(int(self.headers["content-length"]))
        with self.lock:
            self.seen.append({"path": self.path, "headers": {name.lower(): value for name, value in self.headers.items()},
                              "body": base64.b64encode(raw).decode()})
        self.answer(b"{}")

    def do_GET(self):
        with self.lock:
            self.answer(json.dumps(self.seen).encode())

    def answer(self, body):
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
    server.serve_forever()
