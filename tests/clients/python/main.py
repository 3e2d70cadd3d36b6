"""Runs the stories of PyGithub, those of githubkit, or those of both where budgets are small.

    python3 main.py pygithub|githubkit|limits
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
# The clone stays as it was.
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(HERE.parent)]

import stories  # noqa: E402, below the line that makes it findable

stories.run(HERE, f"test_{sys.argv[1]}_*.py")
