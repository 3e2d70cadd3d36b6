"""The code under test: it knows nothing of Plinth."""


def start_release(github, repository, version):
    """Starts a release branch where the default branch is, and returns its commit."""
    repo = github.get_repo(repository)
    sha = repo.get_git_ref(f"heads/{repo.default_branch}").object.sha
    repo.create_git_ref(f"refs/heads/release/{version}", sha)
    return sha
