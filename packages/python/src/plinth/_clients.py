"""Clients of a server. They ask for their token at each request, because a reset removes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import github
    import githubkit
    import httpx


def create_github(url: str, token: Callable[[], str] | None, options: dict[str, Any]) -> github.Github:
    """A client of PyGithub that neither waits between requests nor retries, so that tests are fast and see every error."""
    from github import Auth, Github

    class UserToken(Auth.Token):
        def __init__(self, find: Callable[[], str]) -> None:
            self._find = find

        @property
        def token(self) -> str:
            return self._find()

    fast: dict[str, Any] = {"seconds_between_requests": 0, "seconds_between_writes": 0, "retry": None}
    return Github(**{"base_url": url, "auth": UserToken(token) if token else None, **fast, **options})


def create_githubkit(url: str, token: Callable[[], str] | None, options: dict[str, Any]) -> githubkit.GitHub[Any]:
    """A client of githubkit that neither caches nor retries."""
    from githubkit import GitHub, TokenAuthStrategy
    from githubkit.auth import BaseAuthStrategy

    class UserAuthStrategy(BaseAuthStrategy):
        def __init__(self, find: Callable[[], str]) -> None:
            self._find = find

        def get_auth_flow(self, github: githubkit.GitHubCore[Any]) -> httpx.Auth:
            return TokenAuthStrategy(self._find()).get_auth_flow(github)

    auth = UserAuthStrategy(token) if token else None
    return GitHub(auth, **{"base_url": url, "http_cache": False, "auto_retry": False, **options})
