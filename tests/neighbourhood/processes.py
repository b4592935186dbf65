"""The processes of the neighbourhood: the gateway, and the programs around it."""
import os
import signal
import subprocess
import threading
import time
import urllib.request

KEY = "resident-key-0123456789"  # the key of the well-behaved clients
HOSTILE_KEY = "hostile-key-0123456789"  # hostile_clients.cpp sends this key and the next two
VERBOSE_KEY = "verbose-key-0123456789"
FORMS_KEY = "forms-key-0123456789"
HOSTILE = '  {name}: {{base_url: "http://127.0.0.1:{port}/v1", api_key: none, models: ["*"]{more}}}'
# The APIs and dialects of hostile providers that do not serve chat.
HOSTILE_SETTINGS = {
    "sound": ", apis: [audio]", "texts": ", apis: [completions]", "numbers": ", apis: [embeddings]",
    "pieces": ", dialect: anthropic", "parts": ", dialect: gemini", "frames": ", dialect: bedrock, auth: bearer",
    "progresses": ", apis: [responses]", "claudepings": ", dialect: anthropic", "partless": ", dialect: gemini",
    "counts": ", dialect: gemini", "unknowns": ", dialect: bedrock, auth: bearer",
    "emptytexts": ", dialect: bedrock, auth: bearer", "wrappedpings": ", dialect: bedrock, auth: bearer",
}
CONFIG = """
listen: 127.0.0.1:0
workers: 2
drain_delay: 0s
drain_timeout: 5s
access_keys:
  - {{name: resident, key: {key}}}
  - {{name: hostile, key: {hostile_key}}}
  - {{name: verbose, key: {verbose_key}}}
  - {{name: forms, key: {forms_key}}}
limits: {{{limits}header_timeout: 3s, body_timeout: 3s}}
providers:
  good: {{base_url: "http://127.0.0.1:{good}/v1", api_key: none}}
{hostile}
race: {{policy: all, race_timeout: 3s, stall_timeout: 3s, client_stall_timeout: 5s, total_timeout: 8s}}
routes:
  resident: {{targets: [good/m]}}
  raced: {{targets: [silent/m, good/m]}}
"""


def become_nicer(by):
    """If the whole run is already nice, only the idle scheduling class is lower (sched(7)). It gets a fifth of the share of the
    lowest nice level."""
    if os.getpriority(os.PRIO_PROCESS, 0) + by > 19:
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    os.nice(by)


class Tool:
    """A program whose output is read line by line. As a context manager, it ends the program at the end of the block."""

    def __init__(self, program, *arguments, has_input=False, nice=0):
        self.program = str(program)
        self.lines = []
        self._came = threading.Condition()
        self._has_ended = False
        self.process = subprocess.Popen([self.program, *map(str, arguments)], stdout=subprocess.PIPE, text=True,
                                        stdin=subprocess.PIPE if has_input else subprocess.DEVNULL,
                                        preexec_fn=lambda: become_nicer(nice))
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self.process.kill()
        self._reader.join()
        self.process.wait()

    def _read(self):
        for line in self.process.stdout:
            with self._came:
                self.lines.append(line.rstrip("\n"))
                self._came.notify_all()
        with self._came:
            self._has_ended = True
            self._came.notify_all()

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def lines_with(self, beginning):
        with self._came:  # the caller may already hold this recursive lock
            return [line for line in self.lines if line.startswith(beginning)]

    def words_behind(self, beginning):
        return [line.split()[1:] for line in self.lines_with(beginning)]

    def line_with(self, beginning, seconds=20, count=1):
        """Waits until `count` lines begin with this text, and returns the first of them."""
        with self._came:
            self._came.wait_for(lambda: self._has_ended or len(self.lines_with(beginning)) >= count, seconds)
            if len(self.lines_with(beginning)) < count:
                raise RuntimeError(f"{self.program} did not say '{beginning}' within {seconds} s, or ended")
            return self.lines_with(beginning)[0]

    def output(self):
        """Returns the whole output after the program has ended."""
        self._reader.join()
        if self.process.wait() != 0:
            raise RuntimeError(f"{self.program} ended with {self.process.returncode}")
        return "\n".join(self.lines)


class Gateway:
    def __init__(self, binary, folder, config):
        self.key = KEY
        self.file, self.log = folder / "photofinish.yaml", folder / "log"
        self._config = config
        self.file.write_text(config)
        environment = {name: value for name, value in os.environ.items() if not name.endswith("_KEY")}
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([binary, "serve", "--config", str(self.file)], stdout=log, stderr=log,
                                            stdin=subprocess.DEVNULL, env={**environment, "HOME": str(folder)})
        self.port = self._port()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def _port(self):
        for _ in range(400):
            for line in self.log.read_text(errors="replace").splitlines():
                if "listening on http://127.0.0.1:" in line:
                    return int(line.split("http://127.0.0.1:")[1].split()[0].split("/")[0])
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise RuntimeError("the gateway does not listen: " + self.log.read_text(errors="replace"))

    def reload(self):
        self.file.write_text(self._config)
        self.process.send_signal(signal.SIGHUP)

    def rss(self):
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as pages:
            return int(pages.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def connections(self):
        """Counts the clients' connections, and the sockets of clients and providers with bytes that the gateway has not read."""
        folder = f"/proc/{self.process.pid}/fd"
        own = set()
        for name in os.listdir(folder):
            try:
                own.add(os.readlink(f"{folder}/{name}").removeprefix("socket:[").removesuffix("]"))
            except FileNotFoundError:
                pass
        clients = unread = 0
        with open("/proc/net/tcp", encoding="ascii") as table:
            for words in (line.split() for line in list(table)[1:]):
                if words[3] != "01" or words[9] not in own:  # only established connections of the gateway
                    continue
                clients += int(words[1].split(":")[1], 16) == self.port
                unread += int(words[4].split(":")[1], 16) > 0
        return clients, unread

    def thread_seconds(self):
        """Returns for each thread the time that it has computed so far, and the time that it has waited for a processor."""
        folder = f"/proc/{self.process.pid}/task"
        figures = {thread: open(f"{folder}/{thread}/schedstat", encoding="ascii").read().split()
                   for thread in os.listdir(folder)}
        return {thread: (int(ran) / 1e9, int(waited) / 1e9) for thread, (ran, waited, _) in figures.items()}

    def metrics(self):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/metrics",
                                         headers={"authorization": f"Bearer {KEY}"})
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.read().decode()

    def terminate(self):
        self.process.terminate()
        try:
            return self.process.wait(30)
        except subprocess.TimeoutExpired:
            return None
