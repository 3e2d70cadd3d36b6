// The ways to give each test a server in its initial state. Each resolves with a URL for a test, and `end` is called after it.
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createRequire } from 'node:module';

const { plinth } = createRequire(import.meta.url)('../lib/index.js');
const state = fileURLToPath(new URL('../../../examples/node/state.yaml', import.meta.url));
/** As much of the state file as emulate has: no history of its own, and no pull request. */
const seed = {
  tokens: { ghp_forTestsOnly: { login: 'mona', scopes: ['repo'] } },
  github: { users: [{ login: 'mona' }], repos: [{ owner: 'mona', name: 'hello', auto_init: true }] },
};

/** `setUp` runs once, `begin` before each test, `tearDown` at the end. */
export const isolations = {
  'server-per-test': {
    begin: async () => {
      const server = await plinth({ state });
      return { url: server.url, end: () => server.stop() };
    },
  },
  reset: {
    setUp: () => plinth({ state }),
    begin: async (server) => {
      await server.reset();
      return { url: server.url };
    },
    tearDown: (server) => server.stop(),
  },
  namespace: {
    setUp: () => plinth({ state }),
    begin: async (server) => {
      const namespace = await server.namespace();
      return { url: namespace.url, end: () => namespace.stop() };
    },
    tearDown: (server) => server.stop(),
  },
  'emulate-per-test': {
    begin: async () => {
      const emulator = await startEmulate();
      return { url: emulator.url, end: () => emulator.close() };
    },
  },
  'emulate-reset': {
    setUp: startEmulate,
    begin: async (emulator) => {
      await emulator.reset();
      return { url: emulator.url };
    },
    tearDown: (emulator) => emulator.close(),
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
