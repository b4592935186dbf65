"""The shared part of the Python suites: the gateways' addresses, the values of /metrics, and output as TAP."""
import os
import re
import time
import unittest
import urllib.request

GATEWAY_URL = os.environ.get("GATEWAY_URL", "")  # empty if the suite uses a provider directly
GUARDED_URL = os.environ.get("GUARDED_URL", "")
PROMPT = [{"role": "user", "content": "Say hello"}]


def measured(metric, **labels):
    """Returns the sum of a metric's samples that have all these labels."""
    with urllib.request.urlopen(f"{GATEWAY_URL}/metrics", timeout=5) as response:
        text = response.read().decode()
    total = 0.0
    for name, held, value in re.findall(r"^(\w+)(?:\{(.*)\})? (\S+)$", text, re.MULTILINE):
        if name == metric and all(f'{label}="{wanted}"' in held for label, wanted in labels.items()):
            total += float(value)
    return total


def requests(route, **labels):
    return measured("photofinish_requests_total", route=route, **labels)


def requests_so_far(route):
    """Waits until no request of the route is in flight, and returns requests(). A request is counted after its client has the answer."""
    assert comes_true(lambda: measured("photofinish_inflight_requests", route=route) == 0), f"{route} never rests"
    return requests(route)


def comes_true(question):
    """Repeats the check until it returns true. Returns False after three seconds."""
    for _ in range(100):
        if question():
            return True
        time.sleep(0.03)
    return False


class _TapResult(unittest.TestResult):
    count = 0

    def _report(self, verdict, test, why=""):
        self.count += 1
        sentence = test._testMethodName.removeprefix("test_").replace("_", " ")
        print(f"{verdict} {self.count} - {sentence}")
        for line in why.splitlines()[-12:]:
            print(f"  {line}")

    def addSuccess(self, test):
        super().addSuccess(test)
        self._report("ok", test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._report("not ok", test, self.failures[-1][1])

    def addError(self, test, err):
        super().addError(test, err)
        self._report("not ok", test, self.errors[-1][1])

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            what, why = (self.failures if issubclass(err[0], test.failureException) else self.errors)[-1]
            self._report("not ok", test, f"{why}in {what._subDescription()}")


def run(suite_class):
    """Runs the test methods in the order of their source code."""
    names = [name for name in vars(suite_class) if name.startswith("test_")]
    result = _TapResult()
    unittest.TestSuite(suite_class(name) for name in names).run(result)
    return 0 if result.wasSuccessful() else 1
