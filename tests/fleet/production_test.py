#!/usr/bin/env python3
"""Runs docs/production.md line by line, in one shell and a network of its own, and compares what it prints.

tests/fleet/production_test.py BINARY. A fenced block `sh` runs. A block `text` after it has lines that the commands must
have printed; `…` in them stands for any text, and every printed status must be among them. A block `sh install` only
names packages, which must be there.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, __file__.rsplit("/", 2)[0] + "/monitoring")
from servers import ALL_SKIPPED, ROOT

PAGE = ROOT / "docs" / "production.md"
PATIENCE_S = 420  # the page takes 100 s on a machine at rest
PROGRAMS = ("redis-server", "haproxy", "prometheus", "prometheus-alertmanager", "promtool", "amtool", "openssl", "curl", "jq")
OWN_NETWORK = ["unshare", "--net", "--pid", "--fork", "--kill-child"]


def blocks(text):
    """The commands of each block `sh`, and the lines that it must print."""
    found = []
    for kind, body in re.findall(r"^```(\S[^\n]*)\n(.*?)^```$", text, re.S | re.M):
        if kind == "sh":
            found.append((body, []))
        elif kind == "text":
            found[-1][1].extend(body.splitlines())
        elif kind != "sh install":
            raise ValueError(f"a block of kind {kind!r} is neither run nor compared")
    return found


def pattern(line):
    return re.compile(".*".join(re.escape(part) for part in line.strip().split("…")))


def marker(number):
    return f"=== block {number} has run ==="


class Production(unittest.TestCase):
    def test_each_command_of_the_page_does_what_the_page_says(self):
        steps = blocks(PAGE.read_text())
        self.assertGreater(len(steps), 10)
        script = "set -e\n" + "".join(f"{commands}\necho '{marker(number)}'\n" for number, (commands, _) in enumerate(steps))
        with tempfile.TemporaryDirectory(prefix="photofinish-production-") as folder:
            clone = pathlib.Path(folder, "clone")
            (clone / "build/release/gateway").mkdir(parents=True)
            (clone / "deploy").symlink_to(ROOT / "deploy")
            (clone / "build/release/gateway/photofinish").symlink_to(pathlib.Path(sys.argv[1]).resolve())
            pathlib.Path(folder, "page.sh").write_text(script)
            command = [*OWN_NETWORK, "bash", "-c", f"ip link set lo up && cd {clone} && exec bash {folder}/page.sh"]
            environment = {"PATH": os.environ["PATH"], "HOME": folder, "LANG": "C.UTF-8"}
            ran = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, timeout=PATIENCE_S)
            logs = "".join(f"== {log.name}\n{log.read_text()[-1500:]}\n" for log in sorted(pathlib.Path(folder, "photofinish-fleet").glob("*.log")))
        rest = ran.stdout
        for number, (commands, expected) in enumerate(steps):
            printed, is_there, rest = rest.partition(marker(number) + "\n")
            with self.subTest(commands=commands.splitlines()[0]):
                self.assertTrue(is_there, f"it failed:\n{commands}\nafter printing:\n{printed}\n{logs}")
                for line in expected:
                    self.assertTrue(any(pattern(line).search(each) for each in printed.splitlines()), f"{line!r} is not in:\n{printed}\n{logs}")
                codes = set(re.findall(r"^\s*(?:\d+ )?([1-5]\d\d)$", printed, re.M))
                self.assertLessEqual(codes, set(re.findall(r"\b([1-5]\d\d)\b", " ".join(expected))), f"other statuses:\n{printed}")
        self.assertEqual(ran.returncode, 0, ran.stdout[-2000:])


if __name__ == "__main__":
    missing = [program for program in PROGRAMS if not shutil.which(program)]
    if missing or subprocess.run([*OWN_NETWORK, "ip", "link", "set", "lo", "up"], capture_output=True).returncode != 0:
        print(f"skip  fleet: production: {'no ' + ' and no '.join(missing) if missing else 'no network of its own'} here")
        sys.exit(ALL_SKIPPED)
    unittest.main(argv=sys.argv[:1])
