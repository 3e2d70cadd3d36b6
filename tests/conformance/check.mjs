// Validates every recorded response against GitHub's own description of the operation.
//
//   PLINTH_RESPONSES=target/responses node check.mjs
//
// Permitted differences are in exceptions.json, with reasons; an exception that no response needs fails too.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operationOf, operations, readOperations, readRecord } from '../clients/operations.mjs';
import { responsesOf, named } from './description.mjs';

const SHOWN_MAX = 20;
/** Representations other than JSON, which GitHub does not describe. */
const OTHER_TYPES = /\b(diff|patch|raw|sha|html|octet-stream)\b/;
const JSON_TYPE = 'application/json; charset=utf-8';
const { anywhere, exceptions } = JSON.parse(readFileSync(new URL('exceptions.json', import.meta.url)));
const validateError = named('basic-error');
for (const entry of anywhere) entry.validate = entry.schema ? named(entry.schema) : validateError;
/** Which exceptions were used, and for which operation. */
const needed = new Set();

/** The problems of a response, each with a path and a rule. */
function problems(response, described) {
  const { method, status, headers, body } = response;
  const general = anywhere.find((entry) => entry.status === status && (entry.methods ?? [method]).includes(method));
  if (!described.has(status) && !general) return [{ path: '', rule: 'status', message: `GitHub describes no ${status}` }];
  if (!described.has(status)) needed.add(general.status);
  if (method === 'HEAD') return [];
  const isOther = OTHER_TYPES.test(response.request_headers?.accept ?? '') && body === undefined;
  if (status === 200 && isOther) return [];
  if (status === 204 || status === 304) {
    const isEmpty = body === undefined && headers['content-type'] === undefined;
    return isEmpty ? [] : [{ path: '', rule: 'empty', message: 'there is a body' }];
  }
  const media = headers['content-type'] === JSON_TYPE ? [] : [{ path: '', rule: 'content-type', message: `the type is ${headers['content-type']}` }];
  // An error response without a described schema has the general one.
  const validate = described.get(status) ?? general?.validate ?? validateError;
  return [...media, ...validate(body, headers['x-github-media-type']), ...(status >= 400 ? envelope(status, body) : [])];
}

/** GitHub's description requires no key in an error response; clients do. */
function envelope(status, body) {
  const wrong = ['message', 'documentation_url', 'status'].filter((key) => typeof body?.[key] !== 'string' || body[key] === '');
  if (!wrong.includes('status') && body.status !== String(status)) wrong.push('status');
  return wrong.map((key) => ({ path: `/${key}`, rule: 'envelope', message: 'is missing or wrong in an error response' }));
}

function isExcepted(operation, response, { path, rule, value }) {
  const media = response.headers['x-github-media-type'] ?? '';
  const matching = exceptions.filter((entry) => entry.operations.includes(operation) && entry.rule === rule && entry.paths.includes(path)
    && (!('value' in entry) || entry.value === value)
    && (!entry.media_types || entry.media_types.some((word) => media.includes(`param=${word};`))));
  for (const entry of matching) needed.add(`${exceptions.indexOf(entry)} ${operation}`);
  return matching.length > 0;
}

/** All recorded responses, of client suites and of integration tests. */
function* recorded(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield* recorded(path);
    else if (entry.name.endsWith('.jsonl')) yield* readRecord(path);
  }
}

class Result {
  statuses = new Map();
  differences = new Map();

  constructor(row) {
    this.described = responsesOf(row);
  }

  add(operation, response) {
    this.statuses.set(response.status, (this.statuses.get(response.status) ?? 0) + 1);
    for (const problem of problems(response, this.described)) {
      if (isExcepted(operation, response, problem)) continue;
      const line = `  ${response.status} ${problem.path || 'the response'}: ${problem.message} (${problem.rule})`;
      const known = this.differences.get(line);
      this.differences.set(line, { count: (known?.count ?? 0) + 1, example: known?.example ?? `${response.method} ${response.target}` });
    }
  }

  hasSuccess() {
    return [...this.statuses.keys()].some((status) => status >= 200 && status < 300);
  }

  lines() {
    const found = [...this.differences].slice(0, SHOWN_MAX).map(([line, { count, example }]) => `${line}, ${count} times, as in ${example}`);
    return this.hasSuccess() ? found : [...found, '  no success was recorded'];
  }
}

/** Those of the specification, which all client suites call, and others that only the integration tests call. */
const all = [...operations, ...readOperations(new URL('operations.json', import.meta.url))];
const results = new Map(all.map((row) => [row.operation, new Result(row)]));
for (const response of recorded(process.env.PLINTH_RESPONSES)) {
  const operation = operationOf(response.method, response.target, all);
  results.get(operation)?.add(operation, response);
}

let failed = 0;
function report(name, lines, remark = '') {
  failed += lines.length ? 1 : 0;
  console.log([`test ${name} ... ${lines.length ? 'FAILED' : 'ok'}${remark}`, ...lines].join('\n'));
}

for (const [operation, result] of results) {
  const counts = [...result.statuses].sort(([one], [other]) => one - other).map(([status, count]) => `${status}: ${count}`);
  report(operation, result.lines(), ` (${counts.join(', ')})`);
}
const unused = anywhere.filter(({ status }) => !needed.has(status)).map(({ status }) => `  ${status} is described wherever it is returned`);
unused.push(...exceptions.flatMap(({ operations, reason }, index) => operations
  .filter((operation) => !needed.has(`${index} ${operation}`)).map((operation) => `  ${operation}: ${reason}`)));
report('every exception is needed', unused);
const passed = results.size + 1 - failed;
console.log(`test result: ${failed ? 'FAILED' : 'ok'}. ${passed} passed; ${failed} failed; 0 ignored`);
process.exitCode = failed ? 1 : 0;
