"""The log of requests."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Mapping

from ._control import WAIT_SECONDS, Control


@dataclass(frozen=True)
class Caller:
    """Who sent a request, and with what kind of credential."""

    name: str
    credential: str


@dataclass(frozen=True)
class LoggedRequest:
    """A request that the server has received."""

    id: int
    at: str
    method: str
    path: str
    #: Nothing if no route matches.
    operation: str | None
    route: str | None
    #: Nothing without a valid credential.
    caller: Caller | None
    #: Nothing if the connection was closed.
    status: int | None
    duration_ms: float
    #: The id of the fault that affected it.
    fault: int | None
    query: str | None = None
    body: Any = None
    #: For a request without a route: the operation with the most similar path.
    nearest: str | None = None

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> LoggedRequest:
        known = {field.name: data[field.name] for field in fields(cls) if field.name in data}
        caller = data.get("caller")
        return cls(**{**known, "caller": caller and Caller(**caller)})


class Requests:
    """What was requested since the start or the last reset."""

    def __init__(self, control: Control) -> None:
        self._control = control

    def unmatched(self) -> list[LoggedRequest]:
        """The requests that no route matches."""
        return self.list(unmatched=True)

    def list(
        self,
        *,
        method: str | None = None,
        path: str | None = None,
        operation: str | None = None,
        status: int | None = None,
        after: int | None = None,
        unmatched: bool = False,
    ) -> list[LoggedRequest]:
        """The requests that match, the newest last. In `path`, `*` stands for a part and `**` for anything."""
        query = {"method": method, "path": path, "operation": operation, "status": status, "after": after}
        found = self._control.send("GET", "requests", query={**query, "unmatched": unmatched})
        return [LoggedRequest.of(request) for request in found]

    def clear(self) -> None:
        self._control.send("DELETE", "requests")

    def wait(
        self,
        *,
        method: str | None = None,
        path: str | None = None,
        operation: str | None = None,
        status: int | None = None,
        after: int | None = None,
        timeout: float = WAIT_SECONDS,
    ) -> LoggedRequest:
        """The first request that matches, which may be in the log already. Raises PlinthTimeout after `timeout` seconds."""
        query = {"method": method, "path": path, "operation": operation, "status": status, "after": after}
        return LoggedRequest.of(self._control.send("GET", "wait", query={**query, "timeout_ms": round(timeout * 1000)}))
