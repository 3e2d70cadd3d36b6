from github import BadCredentialsException


class Renewing:
    """Calls actions with a client, and once more with a new token if the present one has expired."""

    def __init__(self, create_client, get_token):
        self.create_client, self.get_token = create_client, get_token
        self.client = create_client(get_token())

    def call(self, action):
        try:
            return action(self.client)
        except BadCredentialsException:
            self.client = self.create_client(self.get_token())
            return action(self.client)
