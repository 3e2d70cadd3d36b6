"""Checked by mypy, not run: the types of the package fit its use."""

from datetime import timedelta

from plinth import LoggedRequest, Plinth


def use() -> None:
    with Plinth.start({"users": [{"login": "ada"}]}) as plinth:
        login: str = plinth.github("ada").get_user().login
        plinth.clock.advance(timedelta(minutes=1))
        plinth.faults.add(match={"token": login}, respond={"status": 502, "body": {}})
        plinth.faults.add(match={"tokn": login}, close=True)  # type: ignore[arg-type]
        plinth.faults.add(rate_limit="tertiary")  # type: ignore[arg-type]
        seen: LoggedRequest = plinth.requests.wait(operation="users/get-authenticated", timeout=0.1)
        name: str | None = seen.caller.name if seen.caller else None
        print(name)
    Plinth("http://127.0.0.1:8080", control_url="http://127.0.0.1:8081", control_token="forTestsOnly").reset()
    Plinth("http://127.0.0.1:8080", control_token=1)  # type: ignore[arg-type]
