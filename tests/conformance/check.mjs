// Holds every answer that was recorded against GitHub's own description of the operation.
//
//   PLINTH_ANSWERS=target/answers node check.mjs
//
// What may differ, and why, is in exceptions.json; an exception that nothing needs fails as an unlisted difference does.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operationOf, operations, readRecord } from '../clients/operations.mjs';
import { answersOf, named } from './description.mjs';

const SHOWN_MAX = 20;
const JSON_TYPE = 'application/json; charset=utf-8';
const { anywhere, exceptions } = JSON.parse(readFileSync(new URL('exceptions.json', import.meta.url)));
const refusal = named('basic-error');
for (const entry of anywhere) entry.judge = entry.schema ? named(entry.schema) : refusal;
/** Which exceptions were made use of, and for which operation. */
const needed = new Set();

/** What is wrong with an answer, each as a place and a rule. */
function problems(exchange, described) {
  const { method, status, told, body } = exchange;
  const general = anywhere.find((entry) => entry.status === status && (entry.methods ?? [method]).includes(method));
  if (!described.has(status) && !general) return [{ place: '', rule: 'status', message: `GitHub describes no ${status}` }];
  if (!described.has(status)) needed.add(general.status);
  if (method === 'HEAD') return [];
  if (status === 204 || status === 304) {
    const silent = body === undefined && told['content-type'] === undefined;
    return silent ? [] : [{ place: '', rule: 'empty', message: 'there is a body' }];
  }
  const media = told['content-type'] === JSON_TYPE ? [] : [{ place: '', rule: 'content-type', message: `the type is ${told['content-type']}` }];
  // Where GitHub describes no shape of a refusal, it has that of all others.
  const judge = described.get(status) ?? general?.judge ?? refusal;
  return [...media, ...judge(body), ...(status >= 400 ? envelope(status, body) : [])];
}

/** GitHub's description asks for nothing in a refusal; clients do. */
function envelope(status, body) {
  const wrong = ['message', 'documentation_url', 'status'].filter((key) => typeof body?.[key] !== 'string' || body[key] === '');
  if (!wrong.includes('status') && body.status !== String(status)) wrong.push('status');
  return wrong.map((key) => ({ place: `/${key}`, rule: 'envelope', message: 'is not as it is in every refusal' }));
}

function isExcepted(operation, exchange, { place, rule, value }) {
  const media = exchange.told['x-github-media-type'] ?? '';
  const fits = exceptions.filter((entry) => entry.operations.includes(operation) && entry.rule === rule && entry.places.includes(place)
    && (!('value' in entry) || entry.value === value)
    && (!entry.media_types || entry.media_types.some((word) => media.includes(`param=${word};`))));
  for (const entry of fits) needed.add(`${exceptions.indexOf(entry)} ${operation}`);
  return fits.length > 0;
}

/** Reads whatever was recorded, by suites of clients and by our own tests. */
function* recorded(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* recorded(path);
    else if (entry.name.endsWith('.jsonl')) yield* readRecord(path);
  }
}

class Verdict {
  answers = new Map();
  differences = new Map();

  constructor(row) {
    this.described = answersOf(row);
  }

  take(operation, exchange) {
    this.answers.set(exchange.status, (this.answers.get(exchange.status) ?? 0) + 1);
    for (const problem of problems(exchange, this.described)) {
      if (isExcepted(operation, exchange, problem)) continue;
      const line = `  ${exchange.status} ${problem.place || 'the answer'}: ${problem.message} (${problem.rule})`;
      const known = this.differences.get(line);
      this.differences.set(line, { count: (known?.count ?? 0) + 1, example: known?.example ?? `${exchange.method} ${exchange.target}` });
    }
  }

  hasSuccess() {
    return [...this.answers.keys()].some((status) => status >= 200 && status < 300);
  }

  lines() {
    const found = [...this.differences].slice(0, SHOWN_MAX).map(([line, { count, example }]) => `${line}, ${count} times, as in ${example}`);
    return this.hasSuccess() ? found : [...found, '  no success was recorded'];
  }
}

const verdicts = new Map(operations.map((row) => [row.operation, new Verdict(row)]));
for (const exchange of recorded(process.env.PLINTH_ANSWERS)) {
  const operation = operationOf(exchange.method, exchange.target);
  verdicts.get(operation)?.take(operation, exchange);
}

let failed = 0;
function tell(name, lines, remark = '') {
  failed += lines.length ? 1 : 0;
  console.log([`test ${name} ... ${lines.length ? 'FAILED' : 'ok'}${remark}`, ...lines].join('\n'));
}

for (const [operation, verdict] of verdicts) {
  const counts = [...verdict.answers].sort(([one], [other]) => one - other).map(([status, count]) => `${status}: ${count}`);
  tell(operation, verdict.lines(), ` (${counts.join(', ')})`);
}
const idle = anywhere.filter(({ status }) => !needed.has(status)).map(({ status }) => `  ${status} is answered nowhere that it is not described`);
idle.push(...exceptions.flatMap(({ operations, reason }, index) => operations
  .filter((operation) => !needed.has(`${index} ${operation}`)).map((operation) => `  ${operation}: ${reason}`)));
tell('every exception is needed', idle);
const passed = verdicts.size + 1 - failed;
console.log(`test result: ${failed ? 'FAILED' : 'ok'}. ${passed} passed; ${failed} failed; 0 ignored`);
process.exitCode = failed ? 1 : 0;
