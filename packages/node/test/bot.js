/** Comments on every open issue without a comment, and returns their numbers. */
export async function welcome(octokit, repository) {
  const issues = await octokit.paginate(octokit.rest.issues.listForRepo, { ...repository, state: 'open' });
  const numbers = issues.filter((issue) => issue.comments === 0).map((issue) => issue.number);
  for (const issue_number of numbers) {
    await octokit.rest.issues.createComment({ ...repository, issue_number, body: 'Thank you for the report!' });
  }
  return numbers;
}
