"""Fixtures for pytest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from ._instance import Plinth
from ._state import State

if TYPE_CHECKING:
    import github
    import githubkit

STATE = "plinth_state"
ISOLATION = "plinth_isolation"


class GithubFactory(Protocol):
    """Creates clients of PyGithub."""

    def __call__(self, user_or_token: str | None = None, **options: Any) -> github.Github: ...


class GithubkitFactory(Protocol):
    """Creates clients of githubkit."""

    def __call__(self, user_or_token: str | None = None, **options: Any) -> githubkit.GitHub[Any]: ...


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini(STATE, "state file of the fixture plinth_server, relative to the configuration file")
    parser.addini(ISOLATION, "what each test gets: a `namespace` with a URL of its own, or a `reset` server", default="namespace")


@pytest.fixture(scope="session")
def plinth_state(pytestconfig: pytest.Config) -> State | None:
    """The data that every test starts with; override it, or set `plinth_state` in the configuration file."""
    file = pytestconfig.getini(STATE)
    directory = (pytestconfig.inipath or pytestconfig.rootpath / "pytest.ini").parent
    return directory / file if file else None


@pytest.fixture(scope="session")
def plinth_server(plinth_state: State | None) -> Iterator[Plinth]:
    """A server that runs during the tests; one for each worker of pytest-xdist."""
    with Plinth.start(plinth_state) as server:
        yield server


@pytest.fixture
def plinth(plinth_server: Plinth, pytestconfig: pytest.Config) -> Iterator[Plinth]:
    """An instance in the initial state, for one test."""
    isolation = pytestconfig.getini(ISOLATION)
    if isolation == "namespace":
        with plinth_server.namespace() as namespace:
            yield namespace
    elif isolation == "reset":
        plinth_server.reset()
        yield plinth_server
    else:
        raise pytest.UsageError(f"{ISOLATION} is `namespace` or `reset`, not `{isolation}`")


@pytest.fixture
def plinth_github(plinth: Plinth) -> GithubFactory:
    """A function that creates clients of PyGithub: `plinth_github("mona")`."""
    return plinth.github


@pytest.fixture
def plinth_githubkit(plinth: Plinth) -> GithubkitFactory:
    """A function that creates clients of githubkit: `plinth_githubkit("mona")`."""
    return plinth.githubkit
