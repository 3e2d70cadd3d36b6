"""The server as a process that ends with this one."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ._binary import find_binary
from ._state import State, state_path, state_text

#: Ends the server when this process ends in a way that runs no code, such as SIGKILL: its input closes then.
GUARD = 'read -r line; kill "$1"; rm -rf "$2"'


class Server:
    """A running server."""

    def __init__(self, state: State | None, binary: str | os.PathLike[str] | None, args: Sequence[str], log: bool) -> None:
        program = find_binary(binary)
        self._temporary = Path(tempfile.mkdtemp(prefix="plinth-state-"))
        try:
            file = self._state_file(state)
            self.directory = file.absolute().parent if file else self._temporary
            self._start([program, *_flags(file), *args], log)
        except BaseException:
            shutil.rmtree(self._temporary, ignore_errors=True)
            raise

    def stop(self) -> None:
        """Stops the server, and returns when it has ended."""
        atexit.unregister(self._stop_at_exit)
        self._process.terminate()
        self._process.wait()
        # After the end of the server and before its process id is used again.
        self._guard.kill()
        self._guard.wait()
        for stream in (self._process.stdout, self._guard.stdin):
            if stream:
                stream.close()
        shutil.rmtree(self._temporary, ignore_errors=True)

    def _state_file(self, state: State | None) -> Path | None:
        path = state_path(state)
        if path or state is None:
            return path
        file = self._temporary / "state.yaml"
        file.write_text(state_text(state), encoding="utf-8")
        return file

    def _start(self, command: list[str], log: bool) -> None:
        errors = self._temporary / "error.log"
        with open(errors, "wb") as output:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=None if log else output,
                env=_environment(),
            )
        assert self._process.stdout
        # The server prints one line when it is ready, and none if it cannot start.
        line = self._process.stdout.readline()
        if not line:
            code = self._process.wait()
            self._process.stdout.close()
            reason = errors.read_text(encoding="utf-8", errors="replace")
            raise RuntimeError(f"plinth ({command[0]}) did not start: it ended with exit code {code}\n{reason}".rstrip())
        ready: dict[str, Any] = json.loads(line)
        self.url: str = ready["url"]
        #: Set if the flags contain --control.
        self.control_url: str | None = ready.get("control_url")
        self.control_token: str | None = ready.get("control_token")
        # A session of its own: an interrupt from the terminal ends the server by itself.
        guard = ["sh", "-c", GUARD, "plinth-guard", str(self._process.pid), str(self._temporary)]
        self._guard = subprocess.Popen(guard, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True)
        self._owner = os.getpid()
        atexit.register(self._stop_at_exit)

    def _stop_at_exit(self) -> None:
        # A forked process inherits the handler, but not the server.
        if os.getpid() == self._owner:
            self.stop()


def _flags(file: Path | None) -> list[str]:
    flags = ["serve", "--ephemeral", "--listen", "127.0.0.1:0", "--ready-json", "--log", "warn"]
    return flags + (["--state", str(file)] if file else [])


def _environment() -> dict[str, str]:
    """Settings for another server must not change this one."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PLINTH_")}
