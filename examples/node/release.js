// The code under test: it knows nothing of Plinth.

/** Starts a release branch where the default branch is, and returns its commit. */
export async function startRelease(octokit, { owner, repo, version }) {
  const { data: repository } = await octokit.rest.repos.get({ owner, repo });
  const { data: base } = await octokit.rest.git.getRef({ owner, repo, ref: `heads/${repository.default_branch}` });
  await octokit.rest.git.createRef({ owner, repo, ref: `refs/heads/release/${version}`, sha: base.object.sha });
  return base.object.sha;
}
