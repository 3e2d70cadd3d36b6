"""Runs the tests of a suite and prints them as cargo prints its tests, so that one program can count all suites."""

import sys
import time
import unittest


def run(directory, pattern):
    """Runs the tests in the matching files of a directory; exits with 0 only if all of them pass."""
    suite = unittest.defaultTestLoader.discover(str(directory), pattern=pattern)
    print(f"\nrunning {suite.countTestCases()} tests", flush=True)
    result = Result()
    started = time.monotonic()
    suite.run(result)
    for name, text in result.failure_texts:
        print(f"\n---- {name} ----\n{text}")
    word = "ok" if result.failed == 0 and result.passed > 0 else "FAILED"
    print(f"\ntest result: {word}. {result.passed} passed; {result.failed} failed; {result.ignored} ignored; "
          f"0 measured; 0 filtered out; finished in {time.monotonic() - started:.2f}s", flush=True)
    sys.exit(word != "ok")


class Result(unittest.TestResult):
    """Prints one line for each test; a test fails as a whole if one of its subtests fails."""

    def __init__(self):
        super().__init__()
        self.passed = self.failed = self.ignored = 0
        self.failure_texts = []
        self.has_failure = False

    def startTest(self, test):
        super().startTest(test)
        self.has_failure = False

    def stopTest(self, test):
        super().stopTest(test)
        if self.has_failure:
            self.failed += 1
            print_line(test, "FAILED")

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1
        print_line(test, "ok")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.ignored += 1
        print_line(test, f"ignored, {reason}")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.record(test, err)

    def addError(self, test, err):
        super().addError(test, err)
        self.record(test, err)
        # A file that cannot be imported or a class that cannot be set up is not a test, and would not be counted.
        if not isinstance(test, unittest.TestCase):
            self.failed += 1
            print_line(test, "FAILED")

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.record(subtest, err)

    def record(self, test, err):
        self.has_failure = True
        self.failure_texts.append((name(test), self._exc_info_to_string(err, test)))


def print_line(test, word):
    print(f"test {name(test)} ... {word}", flush=True)


def name(test):
    """The file and the test, such as `githubkit_refs::created_branch_is_visible_at_once`."""
    parts = test.id().split(".")
    return "::".join(part.removeprefix("test_") for part in (parts[0], parts[-1]))
