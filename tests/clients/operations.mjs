// The operations of the specification, and which of them a request called.
import { readFileSync } from 'node:fs';

export const operations = readOperations(new URL('operations.json', import.meta.url));

export function readOperations(file) {
  return JSON.parse(readFileSync(file)).map((row) => ({ ...row, pattern: pattern(row.path) }));
}

/** The name of the operation of a request; undefined for other requests. */
export function operationOf(method, target, among = operations) {
  const path = target.split(/[?#]/)[0].replace(/^\/api\/v3(?=\/)/, '');
  const called = method === 'HEAD' ? 'GET' : method;
  return among.find((row) => row.method === called && row.pattern.test(path))?.operation;
}

/** The recorded responses of a file. */
export function readRecord(file) {
  return readFileSync(file, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
}

/** What a suite has not called: each operation must be called with success and with a client error. */
export function gaps(responses, lacking) {
  const seen = new Map(operations.map(({ operation }) => [operation, { success: false, error: false }]));
  for (const { method, target, status } of responses) {
    const marks = seen.get(operationOf(method, target));
    if (marks && status >= 200 && status < 300) marks.success = true;
    if (marks && status >= 400 && status < 500) marks.error = true;
  }
  const unknown = lacking.filter((operation) => !seen.has(operation)).map((operation) => `${operation}: no such operation`);
  return unknown.concat([...seen].flatMap(([operation, { success, error }]) => {
    if (lacking.includes(operation)) return success ? [`${operation}: called, although --lacks names it`] : [];
    return [success || `${operation}: never called with success`, error || `${operation}: never called with an error`].filter((gap) => gap !== true);
  }));
}

/** A ref, a branch, a tag and a path may contain slashes and may be empty; any other path parameter is one segment. */
function pattern(path) {
  const source = path.replace(/[.]/g, '\\.').replace(/\/\{(?:ref|branch|path|dir|basehead|tag)\}$/, '(?:/.*)?').replace(/\{\w+\}/g, '[^/]+');
  return new RegExp(`^${source}$`);
}
