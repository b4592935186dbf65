"""nginx, Caddy and HAProxy in front of the gateway, with their default settings and with our recipes in deploy/proxies."""

import contextlib
import pathlib
import subprocess
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0] + "/monitoring")
from servers import DEPLOY, free_port, replaced, wait_until

HOST = "llm.example.com"

NGINX_AROUND = """
error_log stderr;
pid nginx.pid;
daemon off;
master_process off;
events {{}}
http {{
    access_log off;
    client_body_temp_path body; proxy_temp_path proxy;
    fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
    include {path};
}}
"""
CADDY_AROUND = """
{
	admin off
	auto_https off
}
"""
HAPROXY_AROUND = """
global
    maxconn 100
    tune.ssl.default-dh-param 2048
"""

# The shortest configurations with which each proxy passes requests on.
NGINX_DEFAULT = "server { listen 443; location / { proxy_pass http://127.0.0.1:7777; } }\n"
CADDY_DEFAULT = "llm.example.com {\n\treverse_proxy 127.0.0.1:7777\n}\n"
HAPROXY_DEFAULT = """
defaults  # as in Debian's own file
    mode http
    timeout connect 5000
    timeout client 50000
    timeout server 50000
frontend llm
    bind :443
    default_backend photofinish
backend photofinish
    server gateway 127.0.0.1:7777
"""

# This configuration passes bytes on, and adds a PROXY header with the caller's address.
HAPROXY_TCP = """
defaults
    mode tcp
    timeout connect 5s
    timeout client 31m
    timeout server 31m
frontend llm
    bind :443
    default_backend photofinish
backend photofinish
    server gateway 127.0.0.1:7777 send-proxy-v2
"""


def recipe(name):
    return (DEPLOY / "proxies" / name).read_text()


class Proxy:
    """A proxy in front of a gateway. Clients reach it at `port` by `scheme`."""

    program = None

    def __init__(self, house, gateway, is_recipe):
        self.scheme = "https" if is_recipe else "http"
        self.port = free_port()
        self._house = house
        command = self._write(gateway, is_recipe)
        house.run(self.program, *command)
        house.wait_for(self.program, self._listens)

    def _listens(self):
        found = subprocess.run(["curl", "-ks", "-o/dev/null", self.url("/livez"), *self.resolve()], timeout=10)
        return found.returncode == 0

    def wait_until_at_rest(self, seconds):
        """Waits until the proxy has no work left. In two equal readings all its threads sleep, so no thread ran between the
        readings."""
        readings = []

        def is_at_rest():
            readings.append(self._threads())
            return readings[-1] in readings[-2:-1] and all(state == "S" for state, *_ in readings[-1])

        wait_until(f"{self.program} is at rest", seconds, is_at_rest, every=0.001)

    def _threads(self):
        """Returns the state of each thread, and the number of its context switches."""
        tasks = pathlib.Path(f"/proc/{self._house.processes[self.program].pid}/task")
        found = []
        for task in sorted(tasks.iterdir()):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # the thread has ended
                fields = dict(line.split(":\t", 1) for line in (task / "status").read_text().splitlines())
                found.append((fields["State"][0], task.name, fields["voluntary_ctxt_switches"],
                              fields["nonvoluntary_ctxt_switches"]))
        return found

    def url(self, path):
        return f"{self.scheme}://{HOST}:{self.port}{path}"

    def resolve(self):
        return ["--resolve", f"{HOST}:{self.port}:127.0.0.1"]


class Nginx(Proxy):
    program = "nginx"

    def _write(self, gateway, is_recipe):
        changes = {"127.0.0.1:7777": gateway, "listen 443": f"listen 127.0.0.1:{self.port}"}
        if is_recipe:
            changes |= {"/etc/ssl/llm.example.com.crt": "host.crt", "/etc/ssl/llm.example.com.key": "host.key"}
        folder = self._house.folder
        (folder / "site.conf").write_text(replaced(recipe("nginx.conf") if is_recipe else NGINX_DEFAULT, changes))
        (folder / "nginx.conf").write_text(NGINX_AROUND.format(path=folder / "site.conf"))
        return ["nginx", "-p", folder, "-c", folder / "nginx.conf"]


class Caddy(Proxy):
    program = "caddy"

    def _write(self, gateway, is_recipe):
        site = f"{self.scheme}://llm.example.com:{self.port} {{\n\tbind 127.0.0.1"
        if is_recipe:
            site += "\n\ttls host.crt host.key"
        changes = {"127.0.0.1:7777": gateway, "llm.example.com {": site}
        text = CADDY_AROUND + replaced(recipe("Caddyfile") if is_recipe else CADDY_DEFAULT, changes)
        (self._house.folder / "Caddyfile").write_text(text)
        return ["env", "HOME=.", "caddy", "run", "--adapter", "caddyfile", "--config", "Caddyfile"]


class Haproxy(Proxy):
    program = "haproxy"

    def _write(self, gateway, is_recipe):
        changes = {"127.0.0.1:7777": gateway, "bind :443": f"bind 127.0.0.1:{self.port}"}
        if is_recipe:
            changes |= {"/etc/ssl/private/llm.example.com.pem": "host.pem"}
        text = HAPROXY_AROUND + replaced(recipe("haproxy.cfg") if is_recipe else HAPROXY_DEFAULT, changes)
        (self._house.folder / "haproxy.cfg").write_text(text)
        return ["haproxy", "-db", "-f", "haproxy.cfg"]


class HaproxyTcp(Proxy):
    program = "haproxy"

    def _write(self, gateway, is_recipe):
        text = HAPROXY_AROUND + replaced(HAPROXY_TCP, {"127.0.0.1:7777": gateway, "bind :443": f"bind 127.0.0.1:{self.port}"})
        (self._house.folder / "haproxy.cfg").write_text(text)
        return ["haproxy", "-db", "-f", "haproxy.cfg"]


def make_certificate(folder):
    """Writes host.crt, host.key, and host.pem with both, for HOST."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}", "-keyout", folder / "host.key",
         "-out", folder / "host.crt"],
        check=True, capture_output=True,
    )
    (folder / "host.pem").write_text((folder / "host.crt").read_text() + (folder / "host.key").read_text())
