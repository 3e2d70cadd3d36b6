"""Which operations PyGithub has, from its own documentation."""

import json
import re
import unittest
from pathlib import Path

import github

HERE = Path(__file__).resolve().parent
# Every method of the library says so in its documentation: ":calls: `GET /user/installations <…>`_".
CALL = re.compile(r":calls: `([A-Z]+) (/\S+)")


class Methods(unittest.TestCase):
    def test_missing_methods_are_listed_exactly(self):
        sources = [file.read_text() for file in Path(github.__file__).parent.glob("*.py")]
        calls = {(method, shape(path)) for source in sources for method, path in CALL.findall(source)}
        self.assertGreater(len(calls), 500)
        operations = json.loads((HERE.parent / "operations.json").read_text())
        lacking = [row["operation"] for row in operations if (row["method"], shape(row["path"])) not in calls]
        self.assertEqual(lacking, (HERE / "pygithub-lacks.txt").read_text().split())


def shape(path):
    """The path without the names of its parameters, which the library chooses."""
    return re.sub(r"\{[^}]*\}", "{}", path)
