// A service and a browser for the other scripts of this directory.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync'];

/** Starts the service with a state file on a free port; resolves with its process and URL. */
async function serve(stateFile) {
  const state = new URL(stateFile, import.meta.url).pathname;
  const args = ['serve', '--ephemeral', '--listen', '127.0.0.1:0', '--ready-json', '--state', state];
  const child = spawn(process.env.PLINTH, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const first = await Promise.race([
    new Promise((resolve) => lines.once('line', resolve)),
    new Promise((_, reject) => child.once('exit', (code) => reject(new Error(`plinth exited with ${code}`)))),
  ]);
  return { child, url: JSON.parse(first).url };
}

/** Runs each test against a service with that state file; the last line counts them as cargo does. */
export async function runTests(stateFile, tests, run) {
  const profile = mkdtempSync(join(tmpdir(), 'plinth-browser-'));
  const { child, url } = await serve(stateFile);
  let passed = 0;
  let failed = 0;
  try {
    const env = { ...process.env, HOME: profile };
    const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, headless: true, args: FLAGS, env });
    for (const [name, test] of Object.entries(tests)) {
      try {
        const remark = await run(browser, url, test);
        passed += 1;
        console.log(`test ${name} ... ok${remark && ` (${remark})`}`);
      } catch (error) {
        failed += 1;
        console.log(`test ${name} ... FAILED\n${error.stack}`);
      }
    }
    await browser.close();
  } finally {
    child.kill('SIGTERM');
    rmSync(profile, { recursive: true, force: true });
  }
  console.log(`test result: ${failed ? 'FAILED' : 'ok'}. ${passed} passed; ${failed} failed; 0 ignored`);
  if (failed) process.exitCode = 1;
}
