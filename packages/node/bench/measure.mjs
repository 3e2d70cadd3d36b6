// Measures how long a suite of small tests takes with each kind of isolation: npm run measure [-- --tests 100 --rounds 5]
// PLINTH is the path of the program; its build with the profile `dist` gives the figures of docs/testing.md.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const WAYS = [
  { label: 'a server (process) per test', isolation: 'server-per-test', concurrency: 1 },
  { label: 'one server, a reset per test', isolation: 'reset', concurrency: 1 },
  { label: 'one server, a namespace per test', isolation: 'namespace', concurrency: 1 },
  { label: 'a server (process) per test, 4 tests at once', isolation: 'server-per-test', concurrency: 4 },
  { label: 'one server, a namespace per test, 4 tests at once', isolation: 'namespace', concurrency: 4 },
  { label: 'emulate, a new one per test', isolation: 'emulate-per-test', concurrency: 1 },
  { label: 'emulate, a reset per test', isolation: 'emulate-reset', concurrency: 1 },
];

const { values } = parseArgs({ options: { tests: { type: 'string', default: '100' }, rounds: { type: 'string', default: '5' } } });
const suite = fileURLToPath(new URL('suite.test.mjs', import.meta.url));
const built = fileURLToPath(new URL('../../../target/dist/plinth', import.meta.url));
const PLINTH = process.env.PLINTH ?? (existsSync(built) ? built : 'plinth');

/** The seconds of a run of `node --test`, which must succeed. */
function run({ isolation, concurrency }, tests) {
  const env = { ...process.env, PLINTH, ISOLATION: isolation, CONCURRENCY: String(concurrency), TESTS: String(tests) };
  const started = performance.now();
  const { status, stdout } = spawnSync(process.execPath, ['--test', suite], { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${isolation} failed\n${stdout}`);
  return (performance.now() - started) / 1000;
}

function median(numbers) {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)];
}

// All ways in each round, so that a busy moment of the machine meets all of them.
const tests = Number(values.tests);
const rounds = Array.from({ length: Number(values.rounds) }, () => ({
  // Starts Node, octokit and one server, and does nothing with them.
  fixed: run({ isolation: 'reset', concurrency: 1 }, 0),
  ways: WAYS.map((way) => run(way, tests)),
}));
const fixed = median(rounds.map((round) => round.fixed));
const medians = WAYS.map((_, index) => median(rounds.map((round) => round.ways[index])));

console.log(`${tests} tests, median of ${rounds.length} runs; ${fixed.toFixed(2)} s of each run start Node and load octokit\n`);
console.log('| Isolation | Run, s | Per test, ms | Times faster than a server per test |');
console.log('|:--|--:|--:|--:|');
for (const [index, { label }] of WAYS.entries()) {
  const perTest = ((medians[index] - fixed) / tests) * 1000;
  const ratio = (medians[0] - fixed) / (medians[index] - fixed);
  console.log(`| ${label} | ${medians[index].toFixed(2)} | ${perTest.toFixed(1)} | ${ratio.toFixed(1)} |`);
}
