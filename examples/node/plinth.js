// Starts a server with temporary data on a free port.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** Resolves with the server's URL and a function that stops it, once the server is ready. */
export async function startPlinth(state) {
  const server = spawn(process.env.PLINTH ?? 'plinth',
    ['serve', '--ephemeral', '--listen', '127.0.0.1:0', '--ready-json', '--state', state],
    { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('exit', resolve);
  });
  const firstLine = new Promise((resolve) => createInterface({ input: server.stdout }).once('line', resolve));
  const line = await Promise.race([firstLine, exited.then((code) => Promise.reject(new Error(`plinth exited with ${code}`)))]);
  const stop = () => {
    server.kill();
    return exited;
  };
  return { url: JSON.parse(line).url, stop };
}
