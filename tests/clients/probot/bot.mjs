// A Probot app as people write them: it comments on the first file of every commit that is pushed to an open pull request.
const PREFIX = 'refs/heads/';

export default (app) => {
  app.on('push', async (context) => {
    const { ref, after, deleted, head_commit: commit, repository } = context.payload;
    if (deleted || !ref.startsWith(PREFIX)) return;
    const head = `${repository.owner.login}:${ref.slice(PREFIX.length)}`;
    const { data: pulls } = await context.octokit.rest.pulls.list(context.repo({ state: 'open', head }));
    const [path] = [...commit.added, ...commit.modified];
    for (const { number } of pulls) {
      const comment = { pull_number: number, commit_id: after, path, line: 1, side: 'RIGHT', body: `I have seen ${commit.message}.` };
      await context.octokit.rest.pulls.createReviewComment(context.repo(comment));
    }
  });

  app.on('pull_request.opened', async (context) => {
    await context.octokit.rest.pulls.createReview(context.pullRequest({ event: 'COMMENT', body: `Thank you, ${context.payload.sender.login}.` }));
  });
};
