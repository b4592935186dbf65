#!/usr/bin/env python3
"""What a run of ctest came to, test by test: tests/report.py FOLDER

FOLDER is a build folder after `ctest --output-junit FOLDER/Testing/junit.xml`. An entry of ctest is a whole test
program, whose single tests stand in GoogleTest's own report, FOLDER/Testing/programs/ENTRY.xml, or a script. Prints for
tests/run.sh a line `passed N`, then a line each: `failed NAME` and `skipped NAME: reason`. FOLDER/Testing/failed.txt
gets the last lines that failed entries printed, and behind them what each single test says of its failure.
"""
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

LINES = 60  # of a failed entry's output


class Results:
    def __init__(self):
        self.passed, self.failed, self.skipped, self.output, self.reasons = 0, [], [], [], []

    def add_program(self, report):
        """A program that came to its end: GoogleTest wrote its report."""
        for test in report.iter("testcase"):
            name = f"{test.get('classname')}.{test.get('name')}"
            if failures := test.findall("failure"):
                self.failed.append(name)
                self.reasons += [f"-- {name}", *(line for each in failures for line in each.get("message", "").splitlines())]
            elif (skip := test.find("skipped")) is not None:
                self.skipped.append(f"{name}: {last_line(skip.get('message', ''))}")
            elif test.get("status") == "run":
                self.passed += 1

    def add_unfinished(self, entry, output):
        """A program that crashed or was ended by a timeout: the test it was in is the last one that it announced."""
        self.passed += len(re.findall(r"^\[       OK \] ", output, re.MULTILINE))
        self.failed += re.findall(r"^\[  FAILED  \] (\S+) \(\d+ ms\)$", output, re.MULTILINE)
        announced = re.findall(r"^\[ RUN      \] (\S+)", output, re.MULTILINE)
        self.failed.append(f"{announced[-1] if announced else entry}: {entry} crashed or took too long")

    def add_script(self, entry, case, output):
        named = re.findall(r"^skip  (.*)", output, re.MULTILINE)  # what it skipped, all of its own or some
        self.skipped += [f"{entry}: {each}" for each in named]
        skip = case.find("skipped")
        if case.get("status") == "run":
            self.passed += 1
        elif skip is None:
            self.failed.append(entry)
        elif not skip.get("message", "").startswith("SKIP_"):
            self.failed.append(f"{entry}: {skip.get('message')}")  # its program is missing
        elif not named:
            self.skipped.append(entry)

    def add(self, case, programs):
        entry, output = case.get("name"), case.findtext("system-out") or ""
        failure = case.find("failure")
        report = programs / f"{entry}.xml"
        failures = len(self.failed)
        if report.exists():
            self.add_program(ElementTree.parse(report))
            if failure is not None and len(self.failed) == failures:  # a leak, reported at the end
                self.failed.append(f"{entry}: {failure.get('message')}")
        elif re.search(r"^\[==========\] Running ", output, re.MULTILINE):
            self.add_unfinished(entry, output)
        else:
            self.add_script(entry, case, output)
        if len(self.failed) > failures:
            self.output += [f"-- {entry}", *failed_lines(output)]


def last_line(text):
    return (text.strip().splitlines() or ["no reason given"])[-1]


def failed_lines(output):
    """The last lines, without the tests that passed."""
    told = [line for line in output.splitlines() if not re.match(r"\[( +OK | RUN +|-+)\]", line)]
    return told[-LINES:]


def main(folder):
    results = Results()
    testing = pathlib.Path(folder) / "Testing"
    for case in ElementTree.parse(testing / "junit.xml").iter("testcase"):
        results.add(case, testing / "programs")
    (testing / "failed.txt").write_text("\n".join(results.output + results.reasons))
    print("passed", results.passed)
    for name in results.failed:
        print("failed", name)
    for name in results.skipped:
        print("skipped", name)


main(*sys.argv[1:])
