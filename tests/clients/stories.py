"""Runs a suite's stories and prints them as cargo prints its tests, so that one program can count all suites."""

import sys
import time
import unittest


def run(folder, pattern):
    """Runs the stories in the files of a folder that match; exits with success only when all of them are true."""
    suite = unittest.defaultTestLoader.discover(str(folder), pattern=pattern)
    print(f"\nrunning {suite.countTestCases()} tests", flush=True)
    teller = Teller()
    started = time.monotonic()
    suite.run(teller)
    for name, text in teller.told:
        print(f"\n---- {name} ----\n{text}")
    word = "ok" if teller.failed == 0 and teller.passed > 0 else "FAILED"
    print(f"\ntest result: {word}. {teller.passed} passed; {teller.failed} failed; {teller.ignored} ignored; "
          f"0 measured; 0 filtered out; finished in {time.monotonic() - started:.2f}s", flush=True)
    sys.exit(word != "ok")


class Teller(unittest.TestResult):
    """Writes one line for each story; a story fails as a whole when one of its parts does."""

    def __init__(self):
        super().__init__()
        self.passed = self.failed = self.ignored = 0
        self.told = []
        self.broken = False

    def startTest(self, test):
        super().startTest(test)
        self.broken = False

    def stopTest(self, test):
        super().stopTest(test)
        if self.broken:
            self.failed += 1
            say(test, "FAILED")

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1
        say(test, "ok")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.ignored += 1
        say(test, f"ignored, {reason}")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.keep(test, err)

    def addError(self, test, err):
        super().addError(test, err)
        self.keep(test, err)
        # A file that cannot be imported or a class that cannot be prepared is no test, and would go uncounted.
        if not isinstance(test, unittest.TestCase):
            self.failed += 1
            say(test, "FAILED")

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.keep(subtest, err)

    def keep(self, test, err):
        self.broken = True
        self.told.append((name(test), self._exc_info_to_string(err, test)))


def say(test, word):
    print(f"test {name(test)} ... {word}", flush=True)


def name(test):
    """The file and the sentence, such as `githubkit_refs::a_branch_moves_forward`."""
    parts = test.id().split(".")
    return "::".join(part.removeprefix("test_") for part in (parts[0], parts[-1]))
