"""Faults on demand."""

from __future__ import annotations

import json
from typing import Any, Literal, Mapping, TypedDict

from ._control import Control


class RequestPattern(TypedDict, total=False):
    """Which requests: in `path`, `*` stands for a part and `**` for anything; an operation is `issues/create-comment`."""

    method: str
    path: str
    operation: str
    token: str


class WebhookPattern(TypedDict, total=False):
    """Which webhooks; all without an event."""

    event: str


class _Status(TypedDict):
    status: int


class CannedResponse(_Status, total=False):
    """A body that is a text is sent as it is, anything else as JSON."""

    headers: Mapping[str, str]
    body: Any


#: A fault as the server shows it: what was added, with `id` and `used`, the number of requests that it has affected.
AddedFault = dict[str, Any]


class Faults:
    """Rules that change the response to some requests."""

    def __init__(self, control: Control) -> None:
        self._control = control

    def add(
        self,
        *,
        match: RequestPattern | None = None,
        times: int | None = None,
        probability: float | None = None,
        seed: int | None = None,
        delay_ms: int | None = None,
        respond: CannedResponse | None = None,
        rate_limit: Literal["primary", "secondary"] | None = None,
        close: bool | None = None,
        truncate_at: int | None = None,
        after_deliveries: bool | None = None,
        webhook: WebhookPattern | None = None,
        deliver: Literal["lost", "duplicated", "reordered"] | None = None,
    ) -> AddedFault:
        """Adds a rule with one effect.

        It affects the next request that matches, or `times` requests, or a share of them by `probability` and `seed`.
        With `respond`, `rate_limit` and `close` the request changes nothing; `truncate_at` and `after_deliveries` change how its
        response is sent. With `webhook` it is about webhooks, and the effect is `deliver` or `delay_ms`.
        """
        rule = {name: value for name, value in locals().items() if name != "self" and value is not None}
        added: AddedFault = self._control.send("POST", "faults", json.dumps(rule))
        return added

    def list(self) -> list[AddedFault]:
        faults: list[AddedFault] = self._control.send("GET", "faults")
        return faults

    def clear(self) -> None:
        self._control.send("DELETE", "faults")
