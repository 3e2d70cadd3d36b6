'use strict';

const { randomBytes } = require('node:crypto');
const { readFile } = require('node:fs/promises');
const { controlOf } = require('./control.js');
const { fromWire, toWire } = require('./names.js');
const { createOctokit } = require('./octokit.js');
const { statePath, stateText } = require('./state.js');

/** Everything that a classic token can be allowed. */
const ALL_SCOPES = ['repo', 'workflow', 'admin:org', 'project', 'user', 'delete_repo', 'notifications', 'admin:repo_hook', 'admin:org_hook'];
/** A test that waits ends as soon as it can; a busy machine may need some time. */
const TIMEOUT_MS = 20_000;
const UNITS = { days: 86_400, hours: 3_600, minutes: 60, seconds: 1 };

/** A server, or a namespace of one: the same operations on data of its own. */
class Instance {
  #Octokit;
  #send;
  #stop;
  #tokens = new Map();

  /** `controlUrl` and `controlToken` are set if the control interface is not at `url`. */
  constructor({ url, controlUrl, controlToken, namespace, directory, Octokit, stop = async () => {} }) {
    this.url = url;
    this.controlUrl = controlUrl;
    this.controlToken = controlToken;
    this.directory = directory;
    this.#Octokit = Octokit;
    this.#stop = stop;
    const send = controlOf(controlUrl ? { url: controlUrl, token: controlToken, namespace } : { url });
    this.#send = send;
    this.clock = clock(send);
    this.faults = faults(send);
    this.requests = requests(send);
    this.deliveries = deliveries(send);
  }

  octokit(userOrToken, options = {}) {
    const withClass = { ...(this.#Octokit && { Octokit: this.#Octokit }), ...options };
    return createOctokit({ url: this.url, userOrToken, token: (user) => this.token(user), options: withClass });
  }

  /** A token of a user of the state. It is the same after a reset. */
  async token(user, { scopes = ALL_SCOPES, expiresAt } = {}) {
    const expiry = expiresAt && { expires_at: instant(expiresAt) };
    const rights = { kind: 'classic', user, scopes, ...expiry };
    const key = JSON.stringify(rights);
    const entry = this.#tokens.get(key) ?? { value: `ghp_${randomBytes(18).toString('hex')}` };
    this.#tokens.set(key, entry);
    entry.created ??= this.apply({ tokens: [{ ...rights, token: entry.value }] });
    try {
      await entry.created;
    } catch (error) {
      entry.created = undefined;
      throw error;
    }
    return entry.value;
  }

  async reset() {
    await this.#send('POST', 'reset');
    this.#forgetTokens();
  }

  async snapshot(name) {
    await this.#send('POST', 'snapshots', { body: JSON.stringify({ name }) });
  }

  async restore(name) {
    await this.#send('POST', `snapshots/${encodeURIComponent(name)}/restore`);
    this.#forgetTokens();
  }

  /** The present state, as a state that can be applied or started with. */
  export() {
    return this.#send('GET', 'state');
  }

  async apply(state) {
    const path = statePath(state);
    const body = path ? await readFile(path, 'utf8') : stateText(state);
    const { report } = await this.#send('POST', 'state', { body });
    // It has replaced everything.
    if (body.includes('"snapshot"')) this.#forgetTokens();
    return report;
  }

  async namespace({ name, snapshot } = {}) {
    const created = await this.#send('POST', 'namespaces', { body: JSON.stringify({ name, snapshot }) });
    const path = `namespaces/${encodeURIComponent(created.name)}`;
    const stop = () => this.#send('DELETE', path);
    const { controlUrl, controlToken, directory } = this;
    const url = reachable(created.url, this.url);
    return new Instance({ url, controlUrl, controlToken, namespace: created.name, directory, Octokit: this.#Octokit, stop });
  }

  /** The same instance, with something to do after it has stopped. */
  withStop(then) {
    const stop = this.#stop;
    this.#stop = async () => {
      await stop();
      await then();
    };
    return this;
  }

  /** Stops the server, or removes the namespace. Nothing happens the second time. */
  async stop() {
    const stop = this.#stop;
    this.#stop = async () => {};
    await stop();
  }

  async [Symbol.asyncDispose ?? Symbol.for('nodejs.asyncDispose')]() {
    await this.stop();
  }

  #forgetTokens() {
    for (const entry of this.#tokens.values()) entry.created = undefined;
  }
}

/** A server that listens on all addresses does not know which one clients use: it is the one of a known URL. */
function reachable(reported, known) {
  const url = new URL(reported);
  if (!['0.0.0.0', '[::]'].includes(url.hostname)) return reported;
  return `http://${new URL(known).hostname}:${url.port}`;
}

function clock(send) {
  const change = async (body) => new Date((await send('POST', 'clock', { body: JSON.stringify(body) })).now);
  return {
    now: async () => new Date((await send('GET', 'clock')).now),
    set: async (time) => change({ now: instant(time) }),
    advance: async (time) => change({ advance_seconds: secondsOf(time) }),
    freeze: async (time) => change({ frozen: true, ...(time && { now: instant(time) }) }),
    resume: () => change({ frozen: false }),
  };
}

function faults(send) {
  return {
    add: async (rule) => fromWire(await send('POST', 'faults', { body: JSON.stringify(toWire(rule)) })),
    list: async () => (await send('GET', 'faults')).map(fromWire),
    clear: () => send('DELETE', 'faults'),
  };
}

function requests(send) {
  const list = async (filter = {}) => (await send('GET', 'requests', { query: filter })).map(fromWire);
  return {
    list,
    unmatched: () => list({ unmatched: true }),
    clear: () => send('DELETE', 'requests'),
    wait: async (filter = {}, { timeout = TIMEOUT_MS } = {}) => fromWire(await send('GET', 'wait', { query: { ...filter, timeout_ms: timeout } })),
  };
}

function deliveries(send) {
  return {
    wait: async ({ timeout = TIMEOUT_MS } = {}) => {
      await send('GET', 'wait', { query: { deliveries: true, timeout_ms: timeout } });
    },
  };
}

/** The server's times have no fraction of a second. */
function instant(time) {
  return new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
}

function secondsOf(time) {
  if (typeof time === 'number') return time;
  return Object.entries(time).reduce((sum, [unit, count]) => {
    if (!(unit in UNITS)) throw new TypeError(`clock.advance: ${unit} is not one of ${Object.keys(UNITS).join(', ')}`);
    return sum + count * UNITS[unit];
  }, 0);
}

module.exports = { Instance };
