"""The forms in which a state is passed."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Union

#: A path, YAML text, or the content of a state file as a dictionary.
State = Union[str, "os.PathLike[str]", Mapping[str, Any]]


def state_path(state: State | None) -> Path | None:
    """The path of a state file; nothing if the state itself was passed."""
    if isinstance(state, os.PathLike):
        return Path(state)
    # Every state file has more than one line or a colon with a space, unlike usual paths.
    if isinstance(state, str) and not re.search(r"\n|:\s|:$", state):
        return Path(state)
    return None


def state_text(state: State) -> str:
    """A state as YAML, of which JSON is a part."""
    path = state_path(state)
    if path:
        return path.read_text(encoding="utf-8")
    return state if isinstance(state, str) else json.dumps(state)
