"""Requests to the control interface."""

from __future__ import annotations

import json
from http.client import HTTPConnection, HTTPException
from typing import Any, Mapping
from urllib.parse import quote, urlencode, urlsplit

#: A request takes as long as its wait; this ends a hang.
TIMEOUT_SECONDS = 90
#: A test that waits ends as soon as it can; a busy machine may need some time.
WAIT_SECONDS = 20


class PlinthError(Exception):
    """An operation of the control interface failed."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class PlinthTimeout(PlinthError, TimeoutError):
    """What a test waited for did not happen in time."""


class Control:
    """The control interface of one server or namespace."""

    def __init__(self, url: str, *, token: str | None = None, namespace: str | None = None) -> None:
        """`namespace` selects one at an address that all of them share."""
        self.url = url
        self._address = urlsplit(url).netloc
        optional = {"Authorization": token and f"Bearer {token}", "X-Plinth-Namespace": namespace}
        self._headers = {"Connection": "close", **{name: value for name, value in optional.items() if value}}

    def send(self, method: str, path: str, body: str | None = None, query: Mapping[str, object | None] | None = None) -> Any:
        """Sends a request. The connection is its own: a proxy of the environment is not used, and threads share nothing."""
        words = {name: _text(value) for name, value in (query or {}).items() if value is not None}
        target = f"/_plinth/{quote(path)}" + (f"?{urlencode(words)}" if words else "")
        connection = HTTPConnection(self._address, timeout=TIMEOUT_SECONDS)
        try:
            connection.request(method, target, body=body and body.encode(), headers=self._headers)
            response = connection.getresponse()
            status, text = response.status, response.read().decode()
        except (OSError, HTTPException) as error:
            raise PlinthError(f"{method} {self.url}{target}: {error}; is the server stopped?") from error
        finally:
            connection.close()
        if 200 <= status < 300:
            return json.loads(text) if text else None
        raise (PlinthTimeout if status == 408 else PlinthError)(_message(text) or f"{method} {target}: status {status}", status)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _message(text: str) -> str | None:
    try:
        return str(json.loads(text)["message"])
    except (ValueError, KeyError, TypeError):
        return text or None
