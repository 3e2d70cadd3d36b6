'use strict';

const { Agent, request } = require('node:http');

/** An operation of the control interface failed. */
class PlinthError extends Error {
  constructor(message, status) {
    super(message);
    this.name = 'PlinthError';
    this.status = status;
  }
}

/** Shorter than the time after which the server closes a connection that nobody uses. */
const IDLE_MS = 1_000;
/** A connection that is not used does not keep the process from ending. */
const agent = new Agent({ keepAlive: true, timeout: IDLE_MS });

/**
 * A function that sends requests to the control interface at a URL. It uses no global `fetch`, which tests may replace.
 * `namespace` selects one at an address that all of them share.
 */
function controlOf({ url, token, namespace }) {
  const headers = { ...(token && { authorization: `Bearer ${token}` }), ...(namespace && { 'x-plinth-namespace': namespace }) };
  return async (method, path, { body, query = {} } = {}) => {
    const target = new URL(`/_plinth/${path}`, url);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) target.searchParams.set(name, String(value));
    }
    const { status, text } = await send(target, method, headers, body);
    const data = text ? parse(text) : undefined;
    if (status >= 200 && status < 300) return data;
    throw new PlinthError(data?.message ?? `${method} ${target.pathname}: status ${status}`, status);
  };
}

function send(target, method, common, body) {
  const headers = { ...common, ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }) };
  return new Promise((done, fail) => {
    const sent = request(target, { method, headers, agent }, (response) => {
      const parts = [];
      response.on('data', (part) => parts.push(part));
      response.on('end', () => done({ status: response.statusCode, text: Buffer.concat(parts).toString() }));
      response.on('error', fail);
    });
    sent.on('error', (error) => fail(new PlinthError(`${method} ${target}: ${error.message}; is the server stopped?`)));
    sent.end(body);
  });
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return { message: text };
  }
}

module.exports = { controlOf, PlinthError };
