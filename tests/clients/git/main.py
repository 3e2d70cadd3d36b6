"""Runs the stories of git.

    python3 main.py
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
# The clone stays as it was.
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(HERE.parent)]

import stories  # noqa: E402, below the line that makes it findable

stories.run(HERE, "test_git_*.py")
