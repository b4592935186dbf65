"""The servers of the benchmark: the provider, and in front of it nginx, HAProxy and photofinish with one worker each. The
servers listen on loopback ports. They are child processes of the benchmark and end with it. Another nginx adds HTTP/2 to
three providers."""
import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.request

NGINX_PROCESS = """
worker_processes 1;
worker_rlimit_nofile 20000;
daemon off;
pid {folder}/{name}.pid;
error_log {folder}/{name}.log crit;
events {{ worker_connections 16000; }}
http {{
  access_log off;
  client_body_temp_path {folder}/{name}.body; proxy_temp_path {folder}/{name}.proxy;
  fastcgi_temp_path {folder}/{name}.fastcgi; uwsgi_temp_path {folder}/{name}.uwsgi; scgi_temp_path {folder}/{name}.scgi;
  proxy_http_version 1.1; proxy_set_header Connection "";
  proxy_buffering off; proxy_request_buffering off;
  {http}
}}
"""

NGINX = """
  keepalive_requests 1000000000; keepalive_timeout 1h;
  client_max_body_size 32m; client_body_buffer_size 2m;
  proxy_read_timeout 1h; proxy_ssl_session_reuse on;
  upstream plain {{ server 127.0.0.1:{provider}; keepalive 4096; keepalive_requests 1000000000; keepalive_timeout 1h; }}
  upstream tls {{ server 127.0.0.1:{tls_provider}; keepalive 4096; keepalive_requests 1000000000; keepalive_timeout 1h; }}
  server {{ listen 127.0.0.1:{port} backlog=4096; location / {{ proxy_pass http://plain; }} }}
  server {{ listen 127.0.0.1:{tls_port} backlog=4096; location / {{ proxy_pass https://tls; }} }}
"""

# All other settings are Debian's defaults: 1000 requests per connection, 128 concurrent streams.
HTTP2_PROVIDER = """
  upstream {name} {{ server 127.0.0.1:{provider}; keepalive 256; }}
  server {{ listen 127.0.0.1:{port} http2 backlog=4096; location / {{ proxy_pass http://{name}; }} }}
  server {{ listen 127.0.0.1:{tls_port} ssl http2 backlog=4096; location / {{ proxy_pass http://{name}; }} }}
"""

HAPROXY = """
global
  nbthread 1
  maxconn 9000
  tune.bufsize 16384
defaults
  mode http
  backlog 4096
  option http-no-delay
  http-reuse always
  timeout client 1h
  timeout server 1h
  timeout connect 5s
frontend plain
  bind 127.0.0.1:{port}
  default_backend plain
frontend tls
  bind 127.0.0.1:{tls_port}
  default_backend tls
backend plain
  server one 127.0.0.1:{provider}
backend tls
  server one 127.0.0.1:{tls_provider} ssl verify none
"""

RACED = "n2-d20000-s100000"  # the first port answers after 20 ms, and each further port 100 ms later


def photofinish_config(workers, provider_ports, tls_port, certificate, http2_ports=(), knows_more=True):
    """`knows_more` is False for version 0.1.0, which supports neither whole answers nor embeddings."""
    targets = [f"p{index}" for index in range(len(provider_ports))]
    races = {f"race{count}": targets[:count] for count in (2, 3, 5)}
    more_providers = {}
    for route, scheme, http2 in (("race3_http2", "http", "on"), ("race3_tls", "https", "off"),
                                 ("race3_tls_http2", "https", "on")):
        raced = {f"{route.replace('_', '-')}-{index}": ports[scheme] for index, ports in enumerate(http2_ports)}
        more_providers |= {name: {"base_url": f"{scheme}://127.0.0.1:{port}/v1", "api_key": "none", "models": ["*"],
                                  "ca_file": certificate, "max_connections": 9000, "http2": http2}
                           for name, port in raced.items()}
        if raced:
            races[route] = list(raced)
    return json.dumps({
        "workers": workers,
        "limits": {"max_connections": 20000, "max_inflight": 20000, "max_body": "32MiB"},
        "providers": {
            **{name: {"base_url": f"http://127.0.0.1:{port}/v1", "api_key": "none", "models": ["*"], "max_connections": 9000}
               for name, port in zip(targets, provider_ports)},
            **({name: {"base_url": f"http://127.0.0.1:{provider_ports[0]}/v1", "api_key": "none", "models": ["*"],
                       "max_connections": 9000, **settings}
                for name, settings in (("whole", {"stream": "never"}), ("embeds", {"apis": ["embeddings"]}))}
               if knows_more else {}),
            "tls": {"base_url": f"https://127.0.0.1:{tls_port}/v1", "api_key": "none", "models": ["*"],
                    "ca_file": certificate, "max_connections": 9000},
            **more_providers,
        },
        "routes": {
            route: {"targets": [f"{name}/{RACED}" for name in raced],
                    "race": {"policy": "all", "max_parallel": len(raced)}}
            for route, raced in races.items()
        },
    })


def path_of(program):
    return shutil.which(program) or f"/usr/sbin/{program}"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def await_port(port, process, seconds=10):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if process.poll() is not None:
            raise SystemExit(f"{process.args[0]} ended with {process.returncode}")
        try:
            socket.create_connection(("127.0.0.1", port), 0.2).close()
            return
        except OSError:
            time.sleep(0.002)
    raise SystemExit(f"{process.args[0]} does not listen on {port}")


def get(port, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
        return answer.read().decode()


class Servers:
    """Starts every server, and ends it by its process id."""
    knows_more = True  # for photofinish_config()

    def __init__(self, folder, photofinish, tools):
        self.folder, self.photofinish_binary, self.tools = folder, photofinish, tools
        self.children = []

    def __enter__(self):
        try:
            self.start_all()
        except BaseException:
            self.stop_all()
            raise
        return self

    def __exit__(self, *_):
        self.stop_all()

    def start_all(self):
        certificate, key = f"{self.folder}/provider.pem", f"{self.folder}/provider.key"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                        "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=127.0.0.1",
                        "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
        self.pids = {"direct": []}
        self.provider, self.provider_ports = self.start_provider(5)
        self.tls_provider, (self.tls_port,) = self.start_provider(1, certificate, key)
        self.http2_ports = self.start_http2_providers(3, certificate, key)
        self.certificate = certificate
        self.start_proxies()

    def start_proxies(self):
        first = len(self.children)
        where = {"provider": self.provider_ports[0], "tls_provider": self.tls_port}
        self.plain, self.tls = {"direct": self.provider_ports[0]}, {}
        for name, text, command in (("nginx", NGINX, ["nginx", "-c"]), ("haproxy", HAPROXY, ["haproxy", "-db", "-f"])):
            self.plain[name], self.tls[name] = free_port(), free_port()
            config = text.format(port=self.plain[name], tls_port=self.tls[name], **where)
            if name == "nginx":
                config = NGINX_PROCESS.format(folder=self.folder, name=name, http=config)
            file = f"{self.folder}/{name}.conf"
            with open(file, "w", encoding="utf-8") as out:
                out.write(config)
            self.start(name, self.plain[name], [path_of(command[0]), *command[1:], file])
        for name, workers in (("photofinish", 1), ("photofinish2", 2)):
            self.start_photofinish(name, workers, self.certificate)
        self.proxies = self.children[first:]

    def restart_proxies(self):
        """Restarts the proxies. Otherwise remains of one load, mainly idle connections, would count as memory of the next
        load."""
        for child in self.proxies:
            end(child)
            self.children.remove(child)
        self.start_proxies()

    def start_provider(self, ports, *certificate):
        child = subprocess.Popen([f"{self.tools}/bench_provider", str(ports), *certificate], stdout=subprocess.PIPE,
                                 text=True)
        self.children.append(child)
        return child, [int(port) for port in child.stdout.readline().split()]

    def start_http2_providers(self, count, certificate, key):
        """Starts a separate provider, so that its connections can be distinguished from other connections."""
        _, behind = self.start_provider(count)
        ports = [{"http": free_port(), "https": free_port()} for _ in behind]
        servers = "".join(HTTP2_PROVIDER.format(name=f"provider{index}", provider=provider, port=each["http"],
                                                tls_port=each["https"])
                          for index, (provider, each) in enumerate(zip(behind, ports)))
        keys = f"ssl_certificate {certificate}; ssl_certificate_key {key};"
        file = f"{self.folder}/http2.conf"
        with open(file, "w", encoding="utf-8") as out:
            out.write(NGINX_PROCESS.format(folder=self.folder, name="http2", http=keys + servers))
        self.start("http2", ports[0]["http"], [path_of("nginx"), "-c", file])
        return ports

    def start(self, name, port, command):
        log = open(f"{self.folder}/{name}.out", "ab")
        child = subprocess.Popen(command, stdout=log, stderr=log)
        log.close()
        self.children.append(child)
        await_port(port, child)
        time.sleep(0.1)  # waits until nginx has started its worker processes
        self.pids[name] = [child.pid, *children_of(child.pid)]
        return child

    def start_photofinish(self, name, workers, certificate):
        self.plain[name] = self.tls[name] = free_port()
        file = f"{self.folder}/{name}.yaml"
        with open(file, "w", encoding="utf-8") as out:
            out.write(self.config_of(name, workers, certificate))
        return self.start(name, self.plain[name], [self.photofinish_binary, "serve", "--config", file, "--listen",
                                 f"127.0.0.1:{self.plain[name]}"])

    def config_of(self, _, workers, certificate):
        return photofinish_config(workers, self.provider_ports, self.tls_port, certificate, self.http2_ports, self.knows_more)

    def seconds_to_first_answer(self):
        """Starts a new process, and measures the time from exec to the end of the first answer."""
        port = free_port()
        command = [self.photofinish_binary, "serve", "--config", f"{self.folder}/photofinish.yaml", "--listen",
                   f"127.0.0.1:{port}"]
        request = urllib.request.Request(f"http://127.0.0.1:{port}/v1/chat/completions", method="POST", data=json.dumps(
            {"model": "p0/n2", "messages": [{"role": "user", "content": "hi"}]}).encode(),
            headers={"content-type": "application/json"})
        begun = time.monotonic()
        with open(os.devnull, "wb") as nowhere:
            child = subprocess.Popen(command, stdout=nowhere, stderr=nowhere)
        try:
            await_port(port, child)
            urllib.request.urlopen(request, timeout=10).read()
            return time.monotonic() - begun
        finally:
            end(child)

    def provider_statistics(self):
        return json.loads(get(self.provider_ports[0], "/stats"))

    def stop_all(self):
        for child in reversed(self.children):
            end(child)
        self.children.clear()


def end(child):
    if child.poll() is not None:
        return
    child.send_signal(signal.SIGTERM)
    try:
        child.wait(2)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as children:
        return [int(child) for child in children.read().split()]
