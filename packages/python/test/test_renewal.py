from datetime import datetime, timedelta, timezone

from renewal import Renewing


def test_renewing_gets_a_new_token_when_the_old_one_has_expired(plinth, plinth_github):
    now = plinth.clock.freeze(datetime(2030, 1, 1, tzinfo=timezone.utc))
    tokens = []

    def get_token():
        tokens.append(plinth.token("hubot", expires_at=now + timedelta(hours=8 * (len(tokens) + 1))))
        return tokens[-1]

    renewing = Renewing(plinth_github, get_token)
    for hours, count in [(0, 1), (7, 1), (2, 2)]:
        plinth.clock.advance(timedelta(hours=hours))
        assert renewing.call(lambda github: github.get_user().login) == "hubot"
        assert len(tokens) == count
