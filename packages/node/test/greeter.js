import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { App, Octokit } from 'octokit';

/** The server of a GitHub App that greets everybody who opens an issue. */
export function createGreeter({ baseUrl, appId, privateKey, secret }) {
  const app = new App({ appId, privateKey, webhooks: { secret }, Octokit: Octokit.defaults({ baseUrl }) });
  app.webhooks.on('issues.opened', async ({ octokit, payload }) => {
    const { repository, issue, sender } = payload;
    const target = { owner: repository.owner.login, repo: repository.name, issue_number: issue.number };
    await octokit.rest.issues.createComment({ ...target, body: `Hello @${sender.login}!` });
  });
  return createServer(async (request, response) => {
    const { 'x-github-delivery': id, 'x-github-event': name, 'x-hub-signature-256': signature } = request.headers;
    const received = app.webhooks.verifyAndReceive({ id, name, signature, payload: await text(request) });
    response.statusCode = await received.then(() => 204, () => 400);
    response.end();
  });
}
