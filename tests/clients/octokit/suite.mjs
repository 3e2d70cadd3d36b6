// Stories told with octokit; the last line counts them as cargo does.
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
import { report, tell } from './stories.mjs';

// Nothing in one row touches what another row reads, so that none need wait for the client's pauses in another.
const rows = [[projectFields, issueFields], [commentReads], [commentWrites], [refs], [installations, apps]];
await Promise.all(rows.map(async (row) => {
  for (const area of row) await tell(area.stories);
}));
await tell({
  async 'nothing was worth a warning to the client'() {
    assert.deepEqual(warnings, []);
  },
});
report();
