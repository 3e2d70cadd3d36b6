// Starts a server for the time of the tests. It keeps nothing, and takes a free port.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** Resolves, once requests are answered, with the server's address and a function that stops it. */
export async function startPlinth(state) {
  const server = spawn(process.env.PLINTH ?? 'plinth',
    ['serve', '--ephemeral', '--listen', '127.0.0.1:0', '--ready-json', '--state', state],
    { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('exit', resolve);
  });
  const firstLine = new Promise((resolve) => createInterface({ input: server.stdout }).once('line', resolve));
  const line = await Promise.race([firstLine, ended.then((code) => Promise.reject(new Error(`plinth ended with ${code}`)))]);
  const stop = () => {
    server.kill();
    return ended;
  };
  return { url: JSON.parse(line).url, stop };
}
