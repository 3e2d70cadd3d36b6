// semantic-release publishes versions from merged pull requests: tags, releases with notes and files, comments and labels.
//
//   node ../run.mjs semantic-release -- node semantic-release.mjs
import assert from 'node:assert/strict';
import { Clone, api, get, tokens, url } from './program.mjs';
import { report, run } from '../octokit/runner.mjs';

const package_ = { owner: 'mona', repo: 'package' };
const mona = api('mona');
await mona.request('POST /user/repos', { name: package_.repo });
const clone = new Clone(package_, tokens.mona);
clone.git('checkout', '--quiet', '-B', 'main');
clone.write('.releaserc.json', JSON.stringify({
  branches: ['main'],
  plugins: [
    '@semantic-release/commit-analyzer',
    '@semantic-release/release-notes-generator',
    ['@semantic-release/github', { githubUrl: url, assets: [{ path: 'dist/*.txt', label: 'The product' }] }],
  ],
}));
clone.write('dist/product.txt', 'version one\n');
clone.git('add', '--all');
clone.git('commit', '--quiet', '--message', 'chore: begin');
clone.git('push', '--quiet', '--set-upstream', 'origin', 'main');

/** One run in a job of a CI service, which semantic-release wants before it publishes. */
function release() {
  const repositoryUrl = `${url}/${package_.owner}/${package_.repo}.git`;
  return clone.run('semantic-release', ['--repository-url', repositoryUrl], { CI: 'true', JENKINS_URL: 'http://ci.example.com/', GIT_BRANCH: 'main', BRANCH_NAME: 'main', GITHUB_TOKEN: tokens.mona });
}

/** Commits to a branch, opens a pull request for it and merges it; returns its number. */
async function merge(branch, message, { body, method = 'merge' } = {}) {
  clone.git('checkout', '--quiet', '-b', branch);
  clone.commit(`${branch}.txt`, `${branch}\n`, message);
  clone.git('push', '--quiet', 'origin', branch);
  const { data: { number } } = await mona.request('POST /repos/{owner}/{repo}/pulls', { ...package_, title: message, head: branch, base: 'main', body });
  await mona.request('PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge', { ...package_, pull_number: number, merge_method: method });
  clone.git('checkout', '--quiet', 'main');
  clone.git('pull', '--quiet', '--tags', 'origin', 'main');
  return number;
}

const byTag = (tag) => get('/repos/{owner}/{repo}/releases/tags/{tag}', { ...package_, tag });
const conversation = async (number) => {
  const parameters = { ...package_, number };
  const [comment] = await get('/repos/{owner}/{repo}/issues/{number}/comments', parameters);
  const { labels, state } = await get('/repos/{owner}/{repo}/issues/{number}', parameters);
  return { comment: comment?.body, labels: labels.map(({ name }) => name), state };
};

await run({
  async 'first release has its tag, its notes, its file, and is announced on what it contains'() {
    const { data: { number: issue } } = await mona.request('POST /repos/{owner}/{repo}/issues', { ...package_, title: 'Say more' });
    const number = await merge('more', 'feat: say more', { body: `Closes #${issue}` });
    const { code, output } = await release();
    assert.equal(code, 0, output);
    assert.match(output, /Published release 1\.0\.0/);
    const made = await byTag('v1.0.0');
    assert.deepEqual([made.name, made.draft, made.prerelease, made.author.login], ['v1.0.0', false, false, 'mona']);
    assert.match(made.body, /### Features\n\n\* say more/);
    assert.equal((await get('/repos/{owner}/{repo}/git/ref/{ref}', { ...package_, ref: 'tags/v1.0.0' })).object.sha, clone.git('rev-parse', 'HEAD'));
    const [asset] = made.assets;
    assert.deepEqual([asset.name, asset.label, asset.state], ['product.txt', 'The product', 'uploaded']);
    const file = await fetch(asset.url, { headers: { authorization: `Bearer ${tokens.mona}`, accept: 'application/octet-stream' } });
    assert.equal(await file.text(), 'version one\n');
    for (const announced of [number, issue]) {
      const { comment, labels } = await conversation(announced);
      assert.match(comment, /is included in version 1\.0\.0|has been resolved in version 1\.0\.0/);
      assert.deepEqual(labels, ['released']);
    }
  },

  async 'next release contains only what is new, squashed'() {
    const number = await merge('less', 'fix: say less', { method: 'squash' });
    const { code, output } = await release();
    assert.equal(code, 0, output);
    const { body } = await byTag('v1.0.1');
    assert.match(body, /### Bug Fixes\n\n\* say less/);
    assert.ok(body.includes(`${url}/mona/package/compare/v1.0.0...v1.0.1`), body);
    assert.ok(!body.includes('say more'), body);
    assert.match((await conversation(number)).comment, /version 1\.0\.1/);
    const latest = await get('/repos/{owner}/{repo}/releases/latest', package_);
    assert.equal(latest.tag_name, 'v1.0.1');
  },

  async 'run without relevant changes publishes nothing'() {
    await merge('docs', 'docs: explain');
    const { code, output } = await release();
    assert.equal(code, 0, output);
    assert.match(output, /no relevant changes/);
    assert.equal((await get('/repos/{owner}/{repo}/releases', package_)).length, 2);
  },
});
clone.remove();
report();
