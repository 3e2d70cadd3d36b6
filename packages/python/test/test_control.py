"""Servers whose control interface has an address and a token of its own, such as one in a container."""

import json
import subprocess

import pytest

from plinth import Plinth, PlinthError
from plinth._binary import find_binary

TOKEN = "forTestsOnly"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server that this package did not start, as its container would: on all addresses."""
    state = tmp_path_factory.mktemp("state") / "state.yaml"
    state.write_text("users: [{ login: mona }]")
    flags = ["--ephemeral", "--state", state, "--listen", "0.0.0.0:0", "--control", "0.0.0.0:0", "--control-token", TOKEN]
    with subprocess.Popen([find_binary(), "serve", "--ready-json", *flags], stdout=subprocess.PIPE, text=True) as process:
        ready = json.loads(process.stdout.readline())
        yield {name: ready[name].replace("0.0.0.0", "127.0.0.1") for name in ("url", "control_url")}
        process.terminate()


def test_token_gives_access_to_a_server_that_runs_already(server):
    plinth = Plinth(**server, control_token=TOKEN)
    plinth.apply({"users": [{"login": "ada"}]})
    assert plinth.github("ada").get_user().login == "ada"
    plinth.reset()
    assert plinth.requests.list() == []
    with pytest.raises(PlinthError, match='there is no user "ada"'):
        plinth.token("ada")
    plinth.stop()
    assert plinth.clock.now()


def test_wrong_token_is_rejected(server):
    with pytest.raises(PlinthError) as caught:
        Plinth(**server, control_token="another").reset()
    assert caught.value.status == 401


def test_url_and_token_belong_together(server):
    with pytest.raises(ValueError, match="belong together"):
        Plinth(**server)
    with pytest.raises(ValueError, match="belong together"):
        Plinth(server["url"], control_token=TOKEN)


def test_namespace_is_reached_through_the_control_interface(server):
    plinth = Plinth(**server, control_token=TOKEN)
    with plinth.namespace() as namespace:
        assert namespace.url.startswith("http://127.0.0.1:") and namespace.url != plinth.url
        namespace.apply({"users": [{"login": "ada"}]})
        assert namespace.github("ada").get_user().login == "ada"
        assert (len(namespace.requests.list()), len(plinth.requests.list())) == (1, 0)
        with pytest.raises(PlinthError, match='there is no user "ada"'):
            plinth.token("ada")
    with pytest.raises(PlinthError, match="there is no namespace"):
        namespace.reset()


def test_started_server_has_the_token_that_it_prints():
    with Plinth.start({"users": [{"login": "mona"}]}, args=["--control", "127.0.0.1:0"]) as plinth:
        assert plinth.control_url != plinth.url
        assert plinth.github("mona").get_user().login == "mona"
        other = Plinth(plinth.url, control_url=plinth.control_url, control_token=plinth.control_token)
        assert [request.path for request in other.requests.list()] == ["/user"]


def test_exported_state_leads_to_the_same_state_again():
    with Plinth.start({"users": [{"login": "ada"}]}) as first:
        created = first.github("ada").get_user().create_repo("hello")
        state = first.export()
    with Plinth.start(state) as second:
        again = second.github("ada").get_repo("ada/hello")
        assert (again.id, again.created_at) == (created.id, created.created_at)
        again.edit(description="changed")
        second.apply(state)
        assert second.github("ada").get_repo("ada/hello").description is None
