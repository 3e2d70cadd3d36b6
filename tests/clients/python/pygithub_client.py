"""PyGithub as people use it, and what its tests share."""

import unittest

from github import Auth, Github, GithubException

import fixtures

# By default PyGithub pauses between requests, up to a second between writes.
WITHOUT_PAUSES = {"seconds_between_requests": None, "seconds_between_writes": None}


def client(auth=None, **settings):
    """A client that knows only the base URL of this service."""
    auth = Auth.Token(auth) if isinstance(auth, str) else auth
    return Github(base_url=fixtures.URL, auth=auth, **WITHOUT_PAUSES, **settings)


class PyGithubTestCase(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.mona = cls.opened(fixtures.MONA)
        cls.hubot = cls.opened(fixtures.HUBOT)
        cls.stranger = cls.opened(fixtures.STRANGER)
        cls.anonymous = cls.opened()
        # Creates objects without requesting them, so that lists of absent resources can be requested.
        cls.lazy = cls.opened(fixtures.MONA, lazy=True)

    @classmethod
    def opened(cls, *arguments, **settings):
        return cls.enterClassContext(client(*arguments, **settings))

    def assert_error(self, status, message, call, *arguments, kind=GithubException, **settings):
        """The call fails with this status and message, and with the exception that people catch."""
        with self.assertRaises(kind) as caught:
            call(*arguments, **settings)
        self.assertEqual((status, message), (caught.exception.status, caught.exception.data["message"]))
        self.assertEqual(str(status), caught.exception.data["status"])
        return caught.exception.data
