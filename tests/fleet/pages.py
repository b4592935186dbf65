"""Runs the commands of a page of docs/ line by line, in one shell and a separate network, and compares their output with the
page.

The commands of each fenced block `sh` are run. A block `text` after it has lines that the commands must print in this order;
`…` in a line stands for any text. Each HTTP status that the commands print on its own line must be among these lines. A block
`sh install` installs and builds. It is not run, because the programs must be installed before the test.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0] + "/monitoring")
from servers import ALL_SKIPPED, ROOT

OWN_NETWORK = ["unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
BINARY = "build/release/gateway/photofinish"
REPLACED = ("install.sh", "build.sh")  # scripts of deploy/ that would install and build


def blocks(text):
    """Returns the commands of each block `sh`, and the lines that the block must print."""
    found = []
    for kind, body in re.findall(r"^```(\S[^\n]*)\n(.*?)^```$", text, re.S | re.M):
        if kind == "sh":
            found.append((body, []))
        elif kind == "text":
            found[-1][1].extend(body.splitlines())
        elif kind != "sh install":
            raise ValueError(f"a block of kind {kind!r} is neither run nor compared")
    return found


def differences(printed, expected):
    """Returns the first expected line that does not follow the earlier expected lines in the output, and each printed status
    that the page does not show."""
    rest = iter(printed.splitlines())
    for line in expected:
        pattern = re.compile(".*".join(re.escape(part) for part in line.strip().split("…")))
        if not any(pattern.fullmatch(each.strip()) for each in rest):
            return f"{line!r} is missing"
    codes = set(re.findall(r"^\s*(?:\d+ )?([1-5]\d\d)$", printed, re.M)) - set(re.findall(r"\b([1-5]\d\d)\b", " ".join(expected)))
    return f"unexpected statuses {sorted(codes)}" if codes else ""


def marker(number):
    return f"=== block {number} has run ==="


def make_clone(folder, binary):
    """Makes a folder that looks like a clone with a built binary. The scripts that install and build do nothing there."""
    (folder / BINARY).parent.mkdir(parents=True)
    (folder / BINARY).symlink_to(pathlib.Path(binary).resolve())
    (folder / "deploy").mkdir()
    for each in (ROOT / "deploy").iterdir():
        if each.name not in REPLACED:
            (folder / "deploy" / each.name).symlink_to(each)
    for name in REPLACED:
        (folder / "deploy" / name).write_text("#!/bin/sh\n")
        (folder / "deploy" / name).chmod(0o755)


def problems(text, binary, home, patience_s):
    """Runs the commands of a page with this text, with `home` as the home folder. Returns the errors, or nothing."""
    steps = blocks(text)
    make_clone(home / "clone", binary)
    script = "set -e\n" + "".join(f"{commands}\necho '{marker(number)}'\n" for number, (commands, _) in enumerate(steps))
    (home / "page.sh").write_text(script)
    command = [*OWN_NETWORK, "bash", "-c", f"ip link set lo up && cd {home}/clone && exec bash {home}/page.sh"]
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"}
    output = home / "output"
    with output.open("w") as file:
        try:
            code = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
                                  timeout=patience_s).returncode
        except subprocess.TimeoutExpired:
            code = f"none: it did not end within {patience_s} s"
    found = []
    rest = output.read_text(errors="replace")
    for number, (commands, expected) in enumerate(steps):
        printed, has_run, rest = rest.partition(marker(number) + "\n")
        problem = differences(printed, expected) if has_run else "it failed"
        if problem:
            found.append(f"{problem}, of the block:\n{commands}which printed:\n{printed}")
        if not has_run:
            break
    if code != 0:
        found.append(f"exit code {code}")
    if found:
        found.extend(f"== {log.name}\n{log.read_text(errors='replace')[-1500:]}" for log in sorted(home.glob("*/*.log")))
    return found


def skip_without(page, *programs):
    """If a program is missing or this process may not create a network, ends the script as skipped."""
    missing = [program for program in programs if not shutil.which(program)]
    if missing or subprocess.run([*OWN_NETWORK, "ip", "link", "set", "lo", "up"], capture_output=True).returncode != 0:
        print(f"skip  fleet: {page}: {'no ' + ' and no '.join(missing) if missing else 'no network of its own'} here")
        sys.exit(ALL_SKIPPED)
