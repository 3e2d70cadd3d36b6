"""The code under test, independent of Plinth."""


def start_release(github, repository, version):
    """Creates a release branch at the commit of the default branch and returns that commit."""
    repo = github.get_repo(repository)
    sha = repo.get_git_ref(f"heads/{repo.default_branch}").object.sha
    repo.create_git_ref(f"refs/heads/release/{version}", sha)
    return sha
