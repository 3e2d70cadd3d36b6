// A reverse proxy that streams everything unchanged in both directions and records each response as a line of JSON, without tokens.
import { writeSync } from 'node:fs';
import { Agent, createServer, request as send } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { gunzipSync } from 'node:zlib';

/** API responses are far smaller; the data of git is not recorded. */
const BODY_BYTES_MAX = 16 * 1024 * 1024;
const REQUEST_HEADERS = ['accept', 'content-type', 'if-none-match', 'if-modified-since', 'x-github-api-version', 'user-agent'];
const RESPONSE_HEADERS = ['content-type', 'etag', 'last-modified', 'link', 'location', 'retry-after', 'cache-control', 'x-github-media-type',
  'x-oauth-scopes', 'x-accepted-oauth-scopes', 'x-accepted-github-permissions', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-used'];
const TOKEN = /\b(gh[oprsu]|github_pat)_\w+/g;
/** Hop-by-hop headers; node has already handled `Expect` when we see the request. */
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
  // `Host` stays that of the client: the service derives the URLs in its responses from it.
  if (secure) headers.push('X-Forwarded-Proto', 'https');
  const options = { host: service.hostname, port: service.port, method: request.method, path: request.url, headers, agent, setHost: false };
  const onward = send(options, (upstream) => {
    response.writeHead(upstream.statusCode, upstream.statusMessage, without(upstream.rawHeaders, HOP));
    const body = collect(upstream);
    upstream.on('end', () => write(record, request, upstream, body));
    upstream.on('error', () => response.destroy());
    upstream.pipe(response);
  });
  onward.on('error', (error) => {
    if (!response.destroyed) console.error(`proxy: ${request.method} ${request.url.replace(TOKEN, '<token>')}: ${error.message}`);
    response.destroy();
  });
  response.on('close', () => response.writableFinished || onward.destroy());
  request.pipe(onward);
}

/** Raw headers, names and values in turn, without these. */
function without(rawHeaders, names) {
  const rest = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (!names.includes(rawHeaders[index].toLowerCase())) rest.push(rawHeaders[index], rawHeaders[index + 1]);
  }
  return rest;
}

/** The chunks of a JSON response as they pass; nothing of other responses. */
function collect(upstream) {
  const parts = [];
  if (!isJson(upstream)) return parts;
  let size = 0;
  upstream.on('data', (part) => {
    size += part.length;
    if (size <= BODY_BYTES_MAX) parts.push(part);
  });
  return parts;
}

function write(record, request, upstream, parts) {
  const line = {
    method: request.method,
    target: request.url,
    request_headers: pick(request.headers, REQUEST_HEADERS),
    status: upstream.statusCode,
    headers: pick(upstream.headers, RESPONSE_HEADERS),
    media_type: upstream.headers['content-type']?.split(';')[0] ?? null,
    body: isJson(upstream) ? parse(Buffer.concat(parts), upstream.headers['content-encoding']) : undefined,
  };
  writeSync(record, `${JSON.stringify(line).replace(TOKEN, '<token>')}\n`);
}

function isJson(upstream) {
  return /^application\/(.*\+)?json\b/.test(upstream.headers['content-type'] ?? '');
}

/** A body that should be JSON and is not stays text, so that the check fails on it. */
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
