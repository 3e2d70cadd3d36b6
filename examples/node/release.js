// The code under test, independent of Plinth.

/** Creates a release branch at the commit of the default branch and returns that commit. */
export async function startRelease(octokit, { owner, repo, version }) {
  const { data: repository } = await octokit.rest.repos.get({ owner, repo });
  const { data: base } = await octokit.rest.git.getRef({ owner, repo, ref: `heads/${repository.default_branch}` });
  await octokit.rest.git.createRef({ owner, repo, ref: `refs/heads/release/${version}`, sha: base.object.sha });
  return base.object.sha;
}
