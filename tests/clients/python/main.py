"""Runs the tests of PyGithub, of githubkit, of both with low rate limits, of gidgethub, which receives webhooks, or of github3.py.

    python3 main.py pygithub|githubkit|limits|gidgethub|github3
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Leave no bytecode in the source tree.
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(HERE.parent)]

import runner  # noqa: E402, after sys.path is extended

runner.run(HERE, f"test_{sys.argv[1]}_*.py")
