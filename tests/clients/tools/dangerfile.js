// The rules of a team, as people write them: read the pull request in every way that danger offers, and report.
const { danger, fail, markdown, message, schedule, warn } = require('danger');

message(`Thank you, @${danger.github.pr.user.login}, for ${danger.git.commits.length} commit(s).`);
if (!danger.github.pr.body) fail('The pull request has no description.');
if (danger.github.requested_reviewers.users.length === 0) warn('Nobody is asked for a review.');
markdown(`New: ${danger.git.created_files.join(', ')}; changed: ${danger.git.modified_files.join(', ')}`);
markdown(`Labels: ${danger.github.issue.labels.map(({ name }) => name).join(', ') || 'none'}`);
warn('Say what this is.', 'notes.txt', 2);

schedule(async () => {
  const { added } = await danger.git.diffForFile('notes.txt');
  const { owner, repo } = danger.github.thisPR;
  const before = await danger.github.utils.fileContents('README.md', `${owner}/${repo}`, danger.github.pr.base.ref);
  const { data } = await danger.github.api.repos.get({ owner, repo });
  markdown(`${added.split('\n').length} lines in notes.txt of ${data.full_name}; the title was ${JSON.stringify(before.trim())}`);
});
