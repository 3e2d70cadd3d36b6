"""Runs the tests of hub.

    python3 main.py
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Leave no bytecode in the source tree.
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(HERE.parent)]

import runner  # noqa: E402, after sys.path is extended

runner.run(HERE, "test_hub_*.py")
