// HTTP servers for webhooks, and waiting for what they cause.
import { createServer } from 'node:http';

const WAIT_MILLISECONDS = 20_000;
const PAUSE_MILLISECONDS = 20;

/** Serves on a free port of this machine; `url` is its base URL. */
export async function listen(handler) {
  const server = createServer(handler);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

/** Calls `find` until it returns something. */
export async function waitFor(what, find) {
  const end = Date.now() + WAIT_MILLISECONDS;
  for (;;) {
    const found = await find();
    if (found) return found;
    if (Date.now() > end) throw new Error(`${what} did not happen`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLISECONDS));
  }
}
