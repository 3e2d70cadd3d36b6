// The tests of octokit; the last line counts them as cargo does.
//
//   node ../run.mjs octokit --covers -- node suite.mjs
import assert from 'node:assert/strict';
import * as apps from './apps.mjs';
import { warnings } from './client.mjs';
import * as installations from './installations.mjs';
import * as issueFields from './issue-fields.mjs';
import * as projectFields from './project-fields.mjs';
import * as refs from './refs.mjs';
import * as commentReads from './review-comment-reads.mjs';
import * as commentWrites from './review-comment-writes.mjs';
import { report, run } from './runner.mjs';

// Groups use different data and run concurrently, so that none waits for the client's pauses in another.
const groups = [[projectFields, issueFields], [commentReads], [commentWrites], [refs], [installations, apps]];
await Promise.all(groups.map(async (group) => {
  for (const area of group) await run(area.cases);
}));
await run({
  async 'client logs no warning'() {
    assert.deepEqual(warnings, []);
  },
});
report();
