// A reverse proxy that passes everything on as it is, in both directions and without waiting for the end, and notes what was
// answered: a line of JSON for each exchange, without any token.
import { writeSync } from 'node:fs';
import { Agent, createServer, request as ask } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { gunzipSync } from 'node:zlib';

/** Answers to the API are far smaller; what Git sends is not kept at all. */
const BODY_BYTES_MAX = 16 * 1024 * 1024;
const ASKED = ['accept', 'content-type', 'if-none-match', 'if-modified-since', 'x-github-api-version', 'user-agent'];
const TOLD = ['content-type', 'etag', 'last-modified', 'link', 'location', 'retry-after', 'cache-control', 'x-github-media-type',
  'x-oauth-scopes', 'x-accepted-oauth-scopes', 'x-accepted-github-permissions', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-used'];
const TOKEN = /\b(gh[oprsu]|github_pat)_\w+/g;
/** Between two programs only, and each connection has its own; `Expect` was answered by the time we see the request. */
const HOP = ['connection', 'keep-alive', 'expect'];

/** Listens on a free port in front of the service; resolves with `127.0.0.1:PORT`. */
export async function startProxy(url, record, tls) {
  const agent = new Agent({ keepAlive: true });
  const service = new URL(url);
  const handle = (request, response) => pass({ request, response, service, agent, record, secure: Boolean(tls) });
  const server = tls ? createTlsServer({ key: tls.key, cert: tls.cert }, handle) : createServer(handle);
  await new Promise((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${server.address().port}`;
}

function pass({ request, response, service, agent, record, secure }) {
  const headers = without(request.rawHeaders, HOP);
  // The host stays that of the client, from which the service makes the addresses in its answers.
  if (secure) headers.push('X-Forwarded-Proto', 'https');
  const options = { host: service.hostname, port: service.port, method: request.method, path: request.url, headers, agent, setHost: false };
  const onward = ask(options, (answer) => {
    response.writeHead(answer.statusCode, answer.statusMessage, without(answer.rawHeaders, HOP));
    const body = keep(answer);
    answer.on('end', () => note(record, request, answer, body));
    answer.on('error', () => response.destroy());
    answer.pipe(response);
  });
  onward.on('error', (error) => {
    if (!response.destroyed) console.error(`proxy: ${request.method} ${request.url.replace(TOKEN, '<token>')}: ${error.message}`);
    response.destroy();
  });
  response.on('close', () => response.writableFinished || onward.destroy());
  request.pipe(onward);
}

/** Names and values in turn, as they came, but for these. */
function without(rawHeaders, names) {
  const kept = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (!names.includes(rawHeaders[at].toLowerCase())) kept.push(rawHeaders[at], rawHeaders[at + 1]);
  }
  return kept;
}

/** The parts of a JSON answer as they pass; nothing of any other. */
function keep(answer) {
  const parts = [];
  if (!isJson(answer)) return parts;
  let size = 0;
  answer.on('data', (part) => {
    size += part.length;
    if (size <= BODY_BYTES_MAX) parts.push(part);
  });
  return parts;
}

function note(record, request, answer, parts) {
  const line = {
    method: request.method,
    target: request.url,
    asked: pick(request.headers, ASKED),
    status: answer.statusCode,
    told: pick(answer.headers, TOLD),
    media_type: answer.headers['content-type']?.split(';')[0] ?? null,
    body: isJson(answer) ? parse(Buffer.concat(parts), answer.headers['content-encoding']) : undefined,
  };
  writeSync(record, `${JSON.stringify(line).replace(TOKEN, '<token>')}\n`);
}

function isJson(answer) {
  return /^application\/(.*\+)?json\b/.test(answer.headers['content-type'] ?? '');
}

/** A body that should be JSON and is not stays as text, for the check to find. */
function parse(bytes, encoding) {
  const text = (encoding === 'gzip' ? gunzipSync(bytes) : bytes).toString();
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function pick(headers, names) {
  return Object.fromEntries(names.filter((name) => name in headers).map((name) => [name, headers[name]]));
}
