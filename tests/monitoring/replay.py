"""Replays a recording on a real Prometheus: promtool makes blocks, then the recording rules run level by level, then the
alerts.

The replay does not wait: rules over days are evaluated in seconds. This script applies `for` and `keep_firing_for` in the same
way as Prometheus.
"""

import json
import re
import shutil
import subprocess
import sys
import typing

import servers
from recordings import START

HERE = servers.pathlib.Path(__file__).resolve().parent
MAX_POINTS = 10_000  # points of a range query; Prometheus allows 11,000


class Alert(typing.NamedTuple):
    """A time in which an alert fired, in seconds since the recording's start."""

    name: str
    severity: str
    labels: dict
    began: int
    ended: int  # the end of the recording at the latest

    def __str__(self):
        return f"{self.severity} {self.name} {self.labels} from {self.began} s to {self.ended} s"


class Replay:
    """Used as a context. `seconds` is the length of the recording. `settings` are parameters of make_rules.py. `groups` names
    the groups of rules that are evaluated; by default all groups are evaluated."""

    def __init__(self, binary, recording, seconds, settings=None, groups=None):
        import make_rules

        self._house, self._seconds, self._groups = servers.House(binary), seconds, groups
        self._data = self._house.folder / "data"
        self._data.mkdir()
        known = {name: value for name, value in (settings or {}).items() if name in make_rules.PARAMETERS}
        make_rules.write(self._house.folder / "rules", known)
        self._recording = recording

    def __enter__(self):
        try:
            self._start()
        except BaseException:
            self._house.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self._house.__exit__()

    def _start(self):
        text = self._house.folder / "recording.om"
        with text.open("w") as out:
            subprocess.run([sys.executable, HERE / "recordings.py", self._recording], stdout=out, check=True)
        self._make_blocks("openmetrics", text)
        text.unlink()
        self._rules = [rule for group in self._read_rules() for rule in group]
        for level in self._levels():
            self._record(level)

    def _make_blocks(self, kind, *arguments):
        """Writes all series into one block, because promtool reads its input once for each block."""
        out = self._house.folder / "blocks"
        command = ["promtool", "tsdb", "create-blocks-from", "--max-block-duration=768h", "--quiet", kind]
        options = [f"--output-dir={out}"] if kind == "rules" else []
        more = [] if kind == "rules" else [out]
        done = subprocess.run([*command, *options, *arguments, *more], capture_output=True, text=True,
                              cwd=self._house.folder)
        if done.returncode != 0:
            raise AssertionError(f"promtool: {done.stdout}{done.stderr}")
        for block in out.iterdir():
            if (block / "meta.json").exists():
                block.rename(self._data / block.name)
        shutil.rmtree(out)

    def _run_prometheus(self, configuration):
        if "prometheus" in self._house.processes:
            self._house.stop("prometheus")
        (self._house.folder / "prometheus.yml").write_text(configuration)
        self._url = "http://" + self._house.start_server("prometheus", [
            "prometheus", "--config.file=prometheus.yml", f"--storage.tsdb.path={self._data}", "--log.level=error",
            "--storage.tsdb.retention.time=20y", "--query.timeout=5m"])

    def _read_rules(self):
        """Returns all rules as Prometheus itself reads them. Prometheus does not evaluate these rules periodically."""
        self._run_prometheus("rule_files: [rules/*.yml]\n")
        groups = servers.get_json(f"{self._url}/api/v1/rules")["data"]["groups"]
        self._run_prometheus("")
        return [[{**rule, "interval": group["interval"], "group": group["name"]} for rule in group["rules"]]
                for group in groups if self._groups is None or group["name"] in self._groups]

    def _levels(self):
        """Yields the recording rules in levels. Each level needs only the results of earlier levels."""
        left = {rule["name"]: rule for rule in self._rules if rule["type"] == "recording"}
        while left:
            level = [rule for rule in left.values() if not any(
                re.search(rf"(?<![\w:]){re.escape(name)}(?![\w:])", rule["query"]) for name in left)]
            if not level:
                raise AssertionError(f"rules that need each other: {sorted(left)}")
            yield level
            for rule in level:
                del left[rule["name"]]

    def _record(self, level):
        """Prometheus delays a group by a hash of the group's name and file. Both are the same in each level and each run."""
        groups = {}
        for rule in level:
            group = {"name": rule["group"], "interval": f"{int(rule['interval'])}s", "rules": []}
            groups.setdefault(rule["group"], group)["rules"].append({"record": rule["name"], "expr": rule["query"]})
        (self._house.folder / "rules.json").write_text(json.dumps({"groups": list(groups.values())}))
        self._make_blocks("rules", f"--url={self._url}", f"--start={START}", f"--end={START + self._seconds}",
                          "rules.json")
        self._run_prometheus("")

    def values(self, expression, step, since=0):
        """Returns [(labels without the name, {second: value})] for the recording's time."""
        found = {}
        for first in range(since, self._seconds + 1, step * MAX_POINTS):
            last = min(self._seconds, first + step * (MAX_POINTS - 1))
            data = servers.get_json(f"{self._url}/api/v1/query_range", query=expression, start=START + first,
                                    end=START + last, step=step)["data"]["result"]
            for each in data:
                labels = {key: value for key, value in each["metric"].items() if key != "__name__"}
                samples = found.setdefault(tuple(sorted(labels.items())), {})
                samples.update({round(at) - START: float(value) for at, value in each["values"]})
        return [(dict(labels), samples) for labels, samples in found.items()]

    def alerts(self, since=0):
        """Returns every period in which an alert fired, sorted by their beginnings."""
        fired = []
        for rule in self._rules:
            if rule["type"] == "alerting":
                fired += self._times_of(rule, since)
        return sorted(fired, key=lambda alert: alert.began)

    def _times_of(self, rule, since):
        step = int(rule["interval"])
        wait, keep = int(rule["duration"]), int(rule.get("keepFiringFor", 0))
        fired = []
        for labels, samples in self.values(rule["query"], step, since):
            active = firing = last = None
            for at in range(since, self._seconds + 1, step):
                if at in samples:
                    active, last = (at if active is None else active), at
                    if firing is None and at - active >= wait:
                        firing = at
                elif firing is None or at - last >= keep:
                    if firing is not None:
                        fired.append(self._alert(rule, labels, firing, at))
                    active = firing = None
            if firing is not None:
                fired.append(self._alert(rule, labels, firing, self._seconds))
        return fired

    def _alert(self, rule, labels, began, ended):
        return Alert(rule["name"], rule["labels"]["severity"], labels, began, ended)
