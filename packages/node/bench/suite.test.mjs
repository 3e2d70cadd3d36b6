// The suite that is measured: ISOLATION is one of those in isolation.mjs, TESTS their number, CONCURRENCY how many run at once.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startRelease } from '../../../examples/node/release.js';
import { isolations } from './isolation.mjs';

const { ISOLATION = 'reset', TESTS = '100', CONCURRENCY = '1' } = process.env;
const { setUp = () => {}, begin, tearDown = () => {} } = isolations[ISOLATION];
const hello = { owner: 'mona', repo: 'hello' };

describe('releases', { concurrency: Number(CONCURRENCY) }, () => {
  let shared;
  before(async () => {
    shared = await setUp();
  });
  after(() => tearDown(shared));

  for (let number = 1; number <= Number(TESTS); number += 1) {
    // Every test creates the same branch, and fails if it sees that of another one.
    test(`startRelease creates a branch, test ${number}`, async () => {
      const { octokit, end = () => {} } = await begin(shared);
      const sha = await startRelease(octokit, { ...hello, version: '1.0' });
      const { data } = await octokit.rest.git.getRef({ ...hello, ref: 'heads/release/1.0' });
      assert.equal(data.object.sha, sha);
      await end();
    });
  }
});
