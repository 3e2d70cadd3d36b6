"""A GitHub-compatible server for tests."""

from ._control import PlinthError, PlinthTimeout
from ._faults import AddedFault, CannedResponse, Faults, RequestPattern, WebhookPattern
from ._instance import Clock, Deliveries, Plinth
from ._requests import Caller, LoggedRequest, Requests
from ._state import State

__all__ = [
    "AddedFault",
    "Caller",
    "CannedResponse",
    "Clock",
    "Deliveries",
    "Faults",
    "LoggedRequest",
    "Plinth",
    "PlinthError",
    "PlinthTimeout",
    "RequestPattern",
    "Requests",
    "State",
    "WebhookPattern",
]
