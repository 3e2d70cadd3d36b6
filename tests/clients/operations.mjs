// The operations that the service is about, and which of them a request was.
import { readFileSync } from 'node:fs';

export const operations = JSON.parse(readFileSync(new URL('operations.json', import.meta.url)))
  .map((row) => ({ ...row, pattern: pattern(row.path) }));

/** The name of the operation that a request asked for; nothing for any other request. */
export function operationOf(method, target) {
  const path = target.split(/[?#]/)[0].replace(/^\/api\/v3(?=\/)/, '');
  const asked = method === 'HEAD' ? 'GET' : method;
  return operations.find((row) => row.method === asked && row.pattern.test(path))?.operation;
}

/** The lines of a record, as they are read. */
export function readRecord(file) {
  return readFileSync(file, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
}

/** What a suite has left out: each operation is to be called with success, and with an error that is the caller's. */
export function gaps(exchanges, lacking) {
  const seen = new Map(operations.map(({ operation }) => [operation, { success: false, error: false }]));
  for (const { method, target, status } of exchanges) {
    const marks = seen.get(operationOf(method, target));
    if (marks && status >= 200 && status < 300) marks.success = true;
    if (marks && status >= 400 && status < 500) marks.error = true;
  }
  const unknown = lacking.filter((operation) => !seen.has(operation)).map((operation) => `${operation}: no such operation`);
  return unknown.concat([...seen].flatMap(([operation, { success, error }]) => {
    if (lacking.includes(operation)) return success ? [`${operation}: called, although the client is said to lack it`] : [];
    return [success || `${operation}: never called with success`, error || `${operation}: never called with an error`].filter((gap) => gap !== true);
  }));
}

/** A reference may have slashes in it, and may be empty; any other part of a path is one piece. */
function pattern(path) {
  const source = path.replace(/[.]/g, '\\.').replace(/\/\{ref\}$/, '(?:/.*)?').replace(/\{\w+\}/g, '[^/]+');
  return new RegExp(`^${source}$`);
}
