#!/usr/bin/env python3
"""Tests with small build folders how tests/run.sh handles failed programs and parts: runner_test.py

The exit code is 0 only if all checks passed.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

RUNNER = pathlib.Path(__file__).resolve().parent
failures = 0


def check(name, condition, shown=""):
    global failures
    print("ok   " if condition else "FAIL ", name)
    if not condition:
        failures += 1
        print(shown)


def bash(script, **variables):
    run = subprocess.run(["bash", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         env={**os.environ, **variables})
    return run.returncode, run.stdout


PASSES_SECOND_TIME = "if [ -e {state} ]; then exit 0; fi; touch {state}; echo the first time; exit 1"
# Imitates a GoogleTest program. Its first report has one passed and one failed test, and its second report has two passed
# tests.
PROGRAM = """#!/bin/bash
again=no; [ ! -e {state} ] || again=yes; touch {state}
echo '[==========] Running 2 tests'
failure='<failure message="expected 1, got 2"/>'; [ $again = no ] || failure=
mkdir -p "{reports}"
cat > "{reports}/program.xml" <<X
<testsuites><testsuite><testcase classname="Suite" name="Steady" status="run"/>
<testcase classname="Suite" name="Shaky" status="run">$failure</testcase></testsuite></testsuites>
X
[ $again = yes ]
"""


def build_folder(folder, entries):
    """Makes a build folder with entries {name: bash script}, the only input of ctest."""
    lines = []
    for name, script in entries.items():
        file = folder / f"{name}.sh"
        file.write_text(script)
        lines.append(f'add_test({name} "bash" "{file}")')
    (folder / "CTestTestfile.cmake").write_text("\n".join(lines) + "\n")


def run_preset(folder, repeat):
    """Calls run_preset on FOLDER/build/tiny without a compiler: a script replaces build.sh."""
    root = folder / "project"
    (root / "deploy").mkdir(parents=True, exist_ok=True)
    (root / "tests").mkdir(exist_ok=True)
    (root / "build").mkdir(exist_ok=True)
    for link, target in ((root / "tests" / "runner", RUNNER), (root / "build" / "tiny", folder)):
        if not link.exists():
            link.symlink_to(target)
    (root / "deploy" / "build.sh").write_text("#!/bin/sh\n")
    (root / "deploy" / "build.sh").chmod(0o755)
    return bash(f'set -euo pipefail; root="{root}"; . "{RUNNER}/totals.sh"; run_preset tiny {repeat} ""; print_totals')


def new_folder(parent, name):
    folder = pathlib.Path(parent) / name
    folder.mkdir()
    return folder


def test_retry(parent):
    folder = new_folder(parent, "retry")
    build_folder(folder, {
        "good": "exit 0",
        "shaky": PASSES_SECOND_TIME.format(state=folder / "shaky.state"),
        "program": PROGRAM.format(state=folder / "program.state", reports=folder / "Testing" / "programs"),
    })
    code, text = run_preset(folder, "again")
    last = text.strip().splitlines()
    check("a program that passes the second time leaves the run green", code == 0, text)
    check("the totals count each test once", last[-1] == "4 passed, 0 failed", text)
    check("a flaky script is named", any(line.startswith("FLAKY: tiny: shaky: shaky") for line in last), text)
    check("a flaky program is named with its test", any(line.startswith("FLAKY: tiny: program: Suite.Shaky") for line in last), text)
    check("what the first run said is shown", "expected 1, got 2" in text.split("once more, alone")[1], text)


def test_failure_stays(parent):
    folder = new_folder(parent, "failure")
    build_folder(folder, {"good": "exit 0", "bad": "echo broken for good; exit 1"})
    code, text = run_preset(folder, "again")
    check("a program that fails twice fails the run", code == 1 and "1 passed, 1 failed" in text, text)
    check("it is not called flaky", "FLAKY" not in text and "FAILED: tiny: bad" in text, text)
    check("the others are not repeated", text.count("Start 1") + text.count("Start 2") == 3, text)


def test_once(parent):
    folder = new_folder(parent, "once")
    build_folder(folder, {"shaky": PASSES_SECOND_TIME.format(state=folder / "shaky.state")})
    code, text = run_preset(folder, "once")
    check("without --all nothing is repeated", code == 1 and "0 passed, 1 failed" in text, text)


def test_crash_again(parent):
    folder = new_folder(parent, "crash")
    program = PROGRAM.format(state=folder / "program.state", reports=folder / "Testing" / "programs")
    crash = program.replace("[ $again = yes ]", f'if [ $again = yes ]; then rm "{folder}/Testing/programs/program.xml"; '
                            "echo '[ RUN      ] Suite.Shaky'; kill -SEGV $$; fi; exit 1")
    build_folder(folder, {"program": crash})
    code, text = run_preset(folder, "again")
    check("a crash in the second run is a failure", code == 1 and "crashed or took too long" in text, text)


def test_many_failures(parent):
    folder = new_folder(parent, "many")
    build_folder(folder, {f"bad{index}": "exit 1" for index in range(12)})
    code, text = run_preset(folder, "again")
    check("many failed programs are not repeated", code == 1 and "once more" not in text, text)


def test_summary(parent):
    results = new_folder(parent, "results")
    long_tests = f'"{RUNNER}/long.sh"'
    code, text = bash(f"{long_tests} list")
    parts = [line.split()[0] for line in text.splitlines()]
    check("the parts are listed", code == 0 and "fuzz-1" in parts and len(parts) > 5, text)
    entries = (RUNNER.parent / "CMakeLists.txt").read_text()
    labels = re.findall(r'LABELS "long;long_([a-z]+)"', entries)
    check("each entry of the long tier belongs to a part", labels and not re.search(r"LABELS long\b", entries))
    check("each label of a part is in the list", set(labels) <= set(parts), sorted(set(labels) - set(parts)))
    code, text = bash(f"{long_tests} no-such-part")
    check("an unknown part is refused", code == 2 and "not a part" in text, text)
    code, text = bash(f"{long_tests} summary", PHOTOFINISH_LONG_RESULTS=str(results))
    commit = text.splitlines()[0].split()[1]
    check("parts that were not run are named", code == 1 and all(part in text for part in parts), text)
    (results / commit).mkdir()
    for part in parts:
        (results / commit / part).write_text("60 s\n5 passed, 0 failed\n")
    code, text = bash(f"{long_tests} summary", PHOTOFINISH_LONG_RESULTS=str(results))
    check("the summary adds the parts up", code == 0 and text.endswith(f"{5 * len(parts)} passed, 0 failed\n"), text)
    (results / commit / parts[0]).write_text("FAILED: release: a test\n60 s\n4 passed, 1 failed\n")
    (results / commit / parts[1]).write_text("60 s\n")
    code, text = bash(f"{long_tests} summary", PHOTOFINISH_LONG_RESULTS=str(results))
    check("a part's failure and a part without an end fail the summary",
          code == 1 and f"FAILED: {parts[0]}: release: a test" in text and f"{parts[1]} did not end" in text, text)


with tempfile.TemporaryDirectory() as parent:
    for test in (test_retry, test_failure_stays, test_once, test_crash_again, test_many_failures, test_summary):
        test(parent)
sys.exit(1 if failures else 0)
