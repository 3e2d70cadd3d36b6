"""PyGithub as people use it, and what its stories share."""

import unittest

from github import Auth, Github, GithubException

import world

# PyGithub spaces its requests by itself, up to a second between writes, which only costs time here.
AT_ONCE = {"seconds_between_requests": None, "seconds_between_writes": None}


def client(auth=None, **settings):
    """A client that knows nothing of this service but its address."""
    auth = Auth.Token(auth) if isinstance(auth, str) else auth
    return Github(base_url=world.URL, auth=auth, **AT_ONCE, **settings)


class Stories(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.mona = cls.opened(world.MONA)
        cls.hubot = cls.opened(world.HUBOT)
        cls.stranger = cls.opened(world.STRANGER)
        cls.anonymous = cls.opened()
        # Makes objects from their addresses alone, so that a list can be asked of what is not there.
        cls.lazy = cls.opened(world.MONA, lazy=True)

    @classmethod
    def opened(cls, *words, **settings):
        return cls.enterClassContext(client(*words, **settings))

    def refused(self, status, message, call, *words, kind=GithubException, **settings):
        """The call fails with this status and this text, and with the exception that people catch."""
        with self.assertRaises(kind) as caught:
            call(*words, **settings)
        self.assertEqual((status, message), (caught.exception.status, caught.exception.data["message"]))
        self.assertEqual(str(status), caught.exception.data["status"])
        return caught.exception.data
