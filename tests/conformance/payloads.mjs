// Validates every recorded payload of a webhook against GitHub's own description of the event.
//
//   PLINTH_RESPONSES=target/responses node payloads.mjs
//
// The events that must have been recorded and the permitted differences are in payloads.json, with reasons; a difference
// that no payload needs fails too.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const SHOWN_MAX = 20;
const document = JSON.parse(readFileSync(new URL('node_modules/@octokit/openapi-webhooks/generated/api.github.com.json', import.meta.url)));
const { events, exceptions } = JSON.parse(readFileSync(new URL('payloads.json', import.meta.url)));
// The description is JSON Schema with keywords of OpenAPI that do not constrain values.
// Our numbers fit into the integers of JavaScript, so int64 needs no check.
const options = { allErrors: true, verbose: true, strict: false, formats: { int64: true } };
const ajv = addFormats(new Ajv2020(options), ['date', 'date-time', 'uri', 'uri-template', 'email']);
permitNull(document.components);
ajv.addSchema({ $id: 'github', components: document.components });
const needed = new Set();

/** Some values have null among their types, but not among their alternatives, so that null could never match. */
function permitNull(node) {
  if (node === null || typeof node !== 'object') return;
  if (Array.isArray(node.type) && node.type.includes('null') && Array.isArray(node.oneOf)) node.oneOf.push({ type: 'null' });
  Object.values(node).forEach(permitNull);
}

/** The name of an event and its action in the description. */
function nameOf({ event, action }) {
  return [event, action].filter(Boolean).join('-').replaceAll('_', '-');
}

function validatorOf(name) {
  const described = (document.webhooks ?? document['x-webhooks'])[name];
  if (!described) throw new Error(`GitHub describes no event ${name}`);
  const { $ref } = described.post.requestBody.content['application/json'].schema;
  return ajv.compile({ $ref: `github${$ref}` });
}

function* recorded(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield* recorded(path);
    else if (entry.name.endsWith('.payloads')) yield* readFileSync(path, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
  }
}

function isExcepted(name, { path, rule }) {
  const matching = exceptions.filter((entry) => entry.events.includes(name) && entry.rule === rule && entry.paths.includes(path));
  for (const entry of matching) needed.add(`${exceptions.indexOf(entry)} ${name}`);
  return matching.length > 0;
}

const results = new Map(events.map((name) => [name, { validate: validatorOf(name), count: 0, differences: new Map() }]));
for (const record of recorded(process.env.PLINTH_RESPONSES)) {
  const name = nameOf(record);
  if (!results.has(name)) results.set(name, { validate: validatorOf(name), count: 0, differences: new Map([['  the list of events lacks it', 1]]) });
  const result = results.get(name);
  result.count += 1;
  if (result.validate(record.payload)) continue;
  for (const { instancePath, keyword, params, message } of result.validate.errors) {
    const missing = keyword === 'required' ? `/${params.missingProperty}` : '';
    const path = `${instancePath.replace(/\/\d+(?=\/|$)/g, '/*')}${missing}`;
    if (isExcepted(name, { path, rule: keyword })) continue;
    const line = `  ${path || 'the payload'}: ${message} (${keyword})`;
    result.differences.set(line, (result.differences.get(line) ?? 0) + 1);
  }
}

let failed = 0;
function report(name, lines, remark = '') {
  failed += lines.length ? 1 : 0;
  console.log([`test ${name} ... ${lines.length ? 'FAILED' : 'ok'}${remark}`, ...lines].join('\n'));
}

for (const [name, { count, differences }] of results) {
  const lines = [...differences].slice(0, SHOWN_MAX).map(([line, times]) => `${line}, ${times} times`);
  report(name, count ? lines : ['  no payload was recorded'], ` (${count})`);
}
report('every exception is needed', exceptions.flatMap((entry, index) => entry.events
  .filter((name) => !needed.has(`${index} ${name}`)).map((name) => `  ${name}: ${entry.reason}`)));
const passed = results.size + 1 - failed;
console.log(`test result: ${failed ? 'FAILED' : 'ok'}. ${passed} passed; ${failed} failed; 0 ignored`);
process.exitCode = failed ? 1 : 0;
