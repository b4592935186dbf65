#!/usr/bin/env python3
"""Reads the results of a run of ctest, test by test: report.py [--failed-entries] FOLDER

FOLDER is a build folder after `ctest --output-junit FOLDER/Testing/junit.xml`. An entry of ctest is a script or a whole test
program. GoogleTest's own report of a program, FOLDER/Testing/programs/ENTRY.xml, lists its tests. If failed entries ran
a second time, junit_again.xml has them, programs/ their second reports and programs_first/ their first ones.

Prints for tests/runner/totals.sh a line `passed N`, then lines `failed NAME`, `skipped NAME: reason` and `flaky ENTRY: NAME, …`
for an entry that failed and then passed. FOLDER/Testing/failed.txt gets the last lines that failed entries printed, and the
messages of each failed test, also those of flaky entries. With --failed-entries: prints the names of entries that failed.
"""
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

LINES = 60  # the number of a failed entry's last output lines


class Results:
    def __init__(self):
        self.passed, self.failed, self.skipped, self.output, self.reasons = 0, [], [], [], []

    def add_program(self, report):
        """Reads the result of a program that ended by itself, so GoogleTest wrote its report."""
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
        """Reads the result of a program that crashed or exceeded its time limit. The last test that it announced has failed."""
        self.passed += len(re.findall(r"^\[       OK \] ", output, re.MULTILINE))
        self.failed += re.findall(r"^\[  FAILED  \] (\S+) \(\d+ ms\)$", output, re.MULTILINE)
        announced = re.findall(r"^\[ RUN      \] (\S+)", output, re.MULTILINE)
        self.failed.append(f"{announced[-1] if announced else entry}: {entry} crashed or took too long")

    def add_script(self, entry, case, output):
        named = re.findall(r"^skip  (.*)", output, re.MULTILINE)  # the skipped tests of the program, all or some of them
        self.skipped += [f"{entry}: {each}" for each in named]
        skip = case.find("skipped")
        if case.get("status") == "run":
            self.passed += 1
        elif skip is None:
            self.failed.append(entry)
        elif not skip.get("message", "").startswith("SKIP_"):
            self.failed.append(f"{entry}: {skip.get('message')}")  # the program of this entry is missing
        elif not named:
            self.skipped.append(entry)

    def add(self, case, programs):
        entry, output = case.get("name"), case.findtext("system-out") or ""
        failure = case.find("failure")
        report = programs / f"{entry}.xml"
        failures = len(self.failed)
        if report.exists():
            self.add_program(ElementTree.parse(report))
            if failure is not None and len(self.failed) == failures:  # a leak, which is reported at the end
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
    """Returns the last lines, without the tests that passed."""
    told = [line for line in output.splitlines() if not re.match(r"\[( +OK | RUN +|-+)\]", line)]
    return told[-LINES:]


def read_cases(path):
    return list(ElementTree.parse(path).iter("testcase")) if path.exists() else []


def has_failed(case, programs):
    results = Results()
    results.add(case, programs)
    return bool(results.failed)


def report(testing):
    """Replaces the first run of an entry by its second run."""
    results, flaky, first_failures = Results(), [], []
    second_runs = {case.get("name"): case for case in read_cases(testing / "junit_again.xml")}
    for case in read_cases(testing / "junit.xml"):
        entry = case.get("name")
        if entry not in second_runs:
            results.add(case, testing / "programs")
            continue
        first = Results()
        first.add(case, testing / "programs_first")
        results.add(second_runs[entry], testing / "programs")
        if not has_failed(second_runs[entry], testing / "programs"):
            flaky.append(f"{entry}: {', '.join(first.failed)}")
            first_failures += first.output + first.reasons
    (testing / "failed.txt").write_text("\n".join(results.output + results.reasons + first_failures))
    print("passed", results.passed)
    for kind, names in (("failed", results.failed), ("skipped", results.skipped), ("flaky", flaky)):
        for name in names:
            print(kind, name)


def main(*arguments):
    testing = pathlib.Path(arguments[-1]) / "Testing"
    if arguments[0] != "--failed-entries":
        return report(testing)
    for case in read_cases(testing / "junit.xml"):
        if has_failed(case, testing / "programs"):
            print(case.get("name"))


main(*sys.argv[1:])
