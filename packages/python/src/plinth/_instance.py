"""A server, or a namespace of one."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ._clients import create_github, create_githubkit
from ._control import WAIT_SECONDS, Control
from ._faults import Faults
from ._requests import Requests
from ._server import Server
from ._state import State, state_text

if TYPE_CHECKING:
    import github
    import githubkit

#: Everything that a classic token can be allowed.
ALL_SCOPES = (
    "repo", "workflow", "admin:org", "project", "user", "delete_repo", "notifications", "admin:repo_hook", "admin:org_hook",
)  # fmt: skip
TOKEN_PREFIXES = ("ghp_", "gho_", "ghu_", "ghs_", "github_pat_", "eyJ")


class Plinth:
    """A server, or a namespace of one: the same operations on data of its own. As a context manager it stops at the end."""

    def __init__(
        self,
        url: str,
        *,
        control_url: str | None = None,
        control_token: str | None = None,
        namespace: str | None = None,
        directory: Path | None = None,
        stop: Callable[[], object] | None = None,
    ) -> None:
        """Connects to a server that runs already; `Plinth.start` starts one.

        `control_url` and `control_token` are those of a server with `--control`, such as one in a container. `namespace` is
        the one at `url`, if it is not the first one.
        """
        if (control_url is None) != (control_token is None):
            raise ValueError("control_url and control_token belong together: the interface at --control requires a token")
        #: The base URL for clients.
        self.url = url
        #: Where the control interface is, if it is not at `url`, and its token.
        self.control_url, self.control_token = control_url, control_token
        #: Where the paths in the state begin, such as the private keys of apps.
        self.directory = directory
        self._control = Control(control_url or url, token=control_token, namespace=namespace if control_url else None)
        self._stop = stop
        self._tokens: dict[str, str] = {}
        self._created: set[str] = set()
        self.clock = Clock(self._control)
        self.faults = Faults(self._control)
        self.requests = Requests(self._control)
        self.deliveries = Deliveries(self._control)

    @classmethod
    def start(
        cls,
        state: State | None = None,
        *,
        binary: str | os.PathLike[str] | None = None,
        args: Sequence[str] = (),
        log: bool = False,
    ) -> Plinth:
        """Starts a server that ends with this process.

        `state` is the data to which every reset returns: a path, YAML text, or the content of a state file. `binary` is the
        path of the program, instead of the variable PLINTH, the wheel, and PATH. `args` are additional flags of
        `plinth serve`. With `log`, the server's log is printed.
        """
        server = Server(state, binary, args, log)
        return cls(
            server.url,
            control_url=server.control_url,
            control_token=server.control_token,
            directory=server.directory,
            stop=server.stop,
        )

    def github(self, user_or_token: str | None = None, **options: Any) -> github.Github:
        """A client of PyGithub for a user of the state, with all scopes, or for a token, or without authentication.

        It neither waits between requests nor retries unless `options` say so, which are those of `github.Github`.
        """
        return create_github(self.url, self._find_token(user_or_token), options)

    def githubkit(self, user_or_token: str | None = None, **options: Any) -> githubkit.GitHub[Any]:
        """A client of githubkit, as `github`; it neither caches nor retries unless `options` say so."""
        return create_githubkit(self.url, self._find_token(user_or_token), options)

    def token(self, user: str, *, scopes: Sequence[str] = ALL_SCOPES, expires_at: datetime | None = None) -> str:
        """A classic token of a user of the state. It is the same after a reset."""
        rights: dict[str, Any] = {"kind": "classic", "user": user, "scopes": list(scopes)}
        if expires_at:
            rights["expires_at"] = _instant(expires_at)
        key = json.dumps(rights)
        value = self._tokens.setdefault(key, f"ghp_{secrets.token_hex(18)}")
        if key not in self._created:
            self.apply({"tokens": [{**rights, "token": value}]})
            self._created.add(key)
        return value

    def reset(self) -> None:
        """Returns to the initial state, and clears the faults and the log of requests."""
        self._control.send("POST", "reset")
        self._created.clear()

    def snapshot(self, name: str) -> None:
        """Saves the present state, with its clock."""
        self._control.send("POST", "snapshots", json.dumps({"name": name}))

    def restore(self, name: str) -> None:
        self._control.send("POST", f"snapshots/{name}/restore")
        self._created.clear()

    def export(self) -> dict[str, Any]:
        """Everything that the server has, with ids, times and tokens, to save and to start or apply again."""
        state: dict[str, Any] = self._control.send("GET", "state")
        return state

    def apply(self, state: State) -> list[str]:
        """Adds what the state describes, and returns a line for each change."""
        text = state_text(state)
        report: list[str] = self._control.send("POST", "state", text)["report"]
        if '"snapshot"' in text:
            # It has replaced everything.
            self._created.clear()
        return report

    def namespace(self, name: str | None = None, *, snapshot: str | None = None) -> Plinth:
        """Creates an isolated instance in the same process, in the initial state or in that of a snapshot."""
        created = self._control.send("POST", "namespaces", json.dumps({"name": name, "snapshot": snapshot}))
        path = f"namespaces/{created['name']}"
        return Plinth(
            _reachable(created["url"], self.url),
            control_url=self.control_url,
            control_token=self.control_token,
            namespace=created["name"],
            directory=self.directory,
            stop=lambda: self._control.send("DELETE", path),
        )

    def stop(self) -> None:
        """Stops the server, or removes the namespace. Nothing happens the second time."""
        stop, self._stop = self._stop, None
        if stop:
            stop()

    def __enter__(self) -> Plinth:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()

    def _find_token(self, user_or_token: str | None) -> Callable[[], str] | None:
        if not user_or_token:
            return None
        if user_or_token.startswith(TOKEN_PREFIXES):
            return lambda: user_or_token
        return lambda: self.token(user_or_token)


class Clock:
    """The server's time, which token expiry, rate limits, timestamps and retries use."""

    def __init__(self, control: Control) -> None:
        self._control = control

    def now(self) -> datetime:
        return _datetime(self._control.send("GET", "clock"))

    def set(self, time: datetime) -> datetime:
        return self._change(now=_instant(time))

    def advance(self, time: timedelta | float) -> datetime:
        """Advances by a duration, or by seconds."""
        seconds = time.total_seconds() if isinstance(time, timedelta) else time
        return self._change(advance_seconds=round(seconds))

    def freeze(self, time: datetime | None = None) -> datetime:
        """Stops the clock, at the present time or at another."""
        return self._change(frozen=True, **({"now": _instant(time)} if time else {}))

    def resume(self) -> datetime:
        return self._change(frozen=False)

    def _change(self, **change: object) -> datetime:
        return _datetime(self._control.send("POST", "clock", json.dumps(change)))


class Deliveries:
    """The webhooks that the server sends."""

    def __init__(self, control: Control) -> None:
        self._control = control

    def wait(self, *, timeout: float = WAIT_SECONDS) -> None:
        """Returns when every webhook was sent and its receiver has responded. Raises PlinthTimeout after `timeout` seconds."""
        self._control.send("GET", "wait", query={"deliveries": True, "timeout_ms": round(timeout * 1000)})


def _reachable(url: str, known: str) -> str:
    """A server that listens on all addresses does not know which one clients use: it is the one of a known URL."""
    reported, host = urlsplit(url), urlsplit(known).hostname or ""
    if reported.hostname not in ("0.0.0.0", "::"):
        return url
    return f"http://{f'[{host}]' if ':' in host else host}:{reported.port}"


def _datetime(clock: dict[str, str]) -> datetime:
    return datetime.strptime(clock["now"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)


def _instant(time: datetime) -> str:
    """The server's times are in UTC and have no fraction of a second; a time without a zone is in UTC."""
    aware = time if time.tzinfo else time.replace(tzinfo=timezone.utc)
    return aware.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
