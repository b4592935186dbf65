"""A webhook for each receiver in the shipped Alertmanager configuration. It records the alerts that Alertmanager delivers."""

import http.server
import json
import re
import threading
import time
import typing


class Notice(typing.NamedTuple):
    """One alert of one message."""

    at: float  # time by the steady clock
    receiver: str
    status: str  # firing or resolved
    labels: dict
    annotations: dict

    @property
    def name(self):
        return self.labels["alertname"]

    def matches(self, name, labels):
        return re.fullmatch(name, self.name) and all(
            re.fullmatch(value, self.labels.get(key, "")) for key, value in labels.items())

    def __str__(self):
        rest = {key: value for key, value in self.labels.items() if key not in ("alertname", "severity")}
        return f"{self.receiver}: {self.name} {self.status} {rest} {self.annotations.get('summary', '')!r}"


class Receivers:
    """Used as a context. `notices` contains every delivered alert, in order."""

    def __init__(self):
        notices = self.notices = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                message = json.loads(self.rfile.read(int(self.headers["content-length"])))
                receiver = self.path.strip("/")
                for alert in message["alerts"]:
                    notice = Notice(time.monotonic(), receiver, alert["status"], alert["labels"], alert["annotations"])
                    notices.append(notice)
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def configuration(self, shipped):
        """Returns the shipped configuration with a webhook in each receiver, and with a short interval between messages of a
        group. With the shipped interval, the end of an alert would be delivered minutes late."""
        text = re.sub(r"^( *)group_interval: \S+", r"\1group_interval: 2s", shipped, flags=re.M)
        url = f"http://127.0.0.1:{self._server.server_port}"
        webhook = r"\n\1  webhook_configs: [{url: '" + url + r"/\2', send_resolved: true}]"
        return re.sub(r"^( *)- name: (\w+)$", r"\1- name: \2" + webhook, text, flags=re.M)

    def find(self, status, name, since=0.0, receiver=None, **labels):
        """Returns the first such notice, or None. The name and the labels are regular expressions."""
        for each in list(self.notices):
            if each.at >= since and each.status == status and each.matches(name, labels):
                if receiver in (None, each.receiver):
                    return each
        return None

    def firing(self, receiver, since=0.0):
        return [each for each in list(self.notices) if each.at >= since and each.receiver == receiver and
                each.status == "firing"]
