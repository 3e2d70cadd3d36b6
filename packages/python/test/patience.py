import time
from email.utils import parsedate_to_datetime

from github import GithubException


def patiently(action, sleep=time.sleep):
    """Repeats an action that met a rate limit, when the limit has passed."""
    while True:
        try:
            return action()
        except GithubException as error:
            seconds = seconds_to_wait(error.headers or {})
            if seconds is None:
                raise
            sleep(seconds)


def seconds_to_wait(headers):
    if "retry-after" in headers:
        return int(headers["retry-after"])
    if headers.get("x-ratelimit-remaining") == "0":
        return int(headers["x-ratelimit-reset"]) - int(parsedate_to_datetime(headers["date"]).timestamp())
    return None
