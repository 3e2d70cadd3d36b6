// The ways to give each test a server in its initial state. Each resolves with a client for a test, and `end` is called after it.
// A server that is reset keeps its address, so the tests of a suite share one client, as they would with any server of their own.
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createRequire } from 'node:module';

import { Octokit } from 'octokit';

const { plinth } = createRequire(import.meta.url)('../lib/index.js');
const state = fileURLToPath(new URL('../../../examples/node/state.yaml', import.meta.url));
/** As much of the state file as emulate has: no history of its own, and no pull request. */
const seed = {
  tokens: { ghp_forTestsOnly: { login: 'mona', scopes: ['repo'] } },
  github: { users: [{ login: 'mona' }], repos: [{ owner: 'mona', name: 'hello', auto_init: true }] },
};

/** As the clients of the package: the plugins for retries and limits take some milliseconds for each request. */
const withoutWaits = { throttle: { enabled: false }, retry: { enabled: false } };
const clientOf = (url) => new Octokit({ auth: 'ghp_forTestsOnly', baseUrl: url, ...withoutWaits });

/** `setUp` runs once, `begin` before each test, `tearDown` at the end. */
export const isolations = {
  'server-per-test': {
    begin: async () => {
      const server = await plinth({ state });
      return { octokit: clientOf(server.url), end: () => server.stop() };
    },
  },
  reset: {
    setUp: async () => {
      const server = await plinth({ state });
      return { server, octokit: clientOf(server.url) };
    },
    begin: async ({ server, octokit }) => {
      await server.reset();
      return { octokit };
    },
    tearDown: ({ server }) => server.stop(),
  },
  namespace: {
    setUp: () => plinth({ state }),
    begin: async (server) => {
      const namespace = await server.namespace();
      return { octokit: clientOf(namespace.url), end: () => namespace.stop() };
    },
    tearDown: (server) => server.stop(),
  },
  'emulate-per-test': {
    begin: async () => {
      const emulator = await startEmulate();
      return { octokit: clientOf(emulator.url), end: () => emulator.close() };
    },
  },
  'emulate-reset': {
    setUp: async () => {
      const emulator = await startEmulate();
      return { emulator, octokit: clientOf(emulator.url) };
    },
    begin: async ({ emulator, octokit }) => {
      await emulator.reset();
      return { octokit };
    },
    tearDown: ({ emulator }) => emulator.close(),
  },
};

async function startEmulate() {
  const { createEmulator } = await import('emulate');
  return createEmulator({ service: 'github', port: await freePort(), seed });
}

/** emulate does not choose a port itself. */
function freePort() {
  return new Promise((done, fail) => {
    const server = createServer().once('error', fail).listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}
