"""Where the program is."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from pathlib import Path


def find_binary(option: str | os.PathLike[str] | None = None) -> str:
    """The path of the program: the option, the variable PLINTH, the wheel of this package, or PATH."""
    chosen = option or os.environ.get("PLINTH")
    if chosen:
        return os.fspath(chosen)
    found = _of_wheel() or shutil.which("plinth")
    if found:
        return found
    raise FileNotFoundError(
        f"plinth: no program for {sys.platform}. This installation has none: install a wheel that was built for this platform, "
        "or pass `binary`, or set the variable PLINTH to the path of the program, or add it to PATH."
    )


def _of_wheel() -> str | None:
    """pip puts the program of a wheel next to the interpreter, or into the user's own directory."""
    directories = [sysconfig.get_path("scripts"), _user_scripts(), Path(sys.executable).parent]
    for directory in directories:
        program = Path(directory) / "plinth" if directory else None
        if program and os.access(program, os.X_OK):
            return str(program)
    return None


def _user_scripts() -> str | None:
    return sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user"))
