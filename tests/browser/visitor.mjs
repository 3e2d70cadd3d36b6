// A visitor of the HTML pages, for the scripts that test them.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const screenshots = process.argv[2] ?? process.env.SCREENSHOTS;

export const PULL = '/octo-org/hello/pull/1';
export const MONA = 'ghp_browsermona';
export const HUBOT = 'ghp_browserhubot';

/** Reports what a page must not call. */
function trap() {
  for (const name of ['alert', 'confirm', 'prompt', 'print', 'open']) window[name] = () => { window.ran = [...(window.ran ?? []), `ran ${name}`]; };
}

/** Runs a test with a new visitor. */
export async function visit(browser, origin, test) {
  const context = await browser.newContext({ baseURL: origin, viewport: { width: 1280, height: 900 } });
  await context.addInitScript(trap);
  // The policy of the pages forbids what a test inserts, and scripts of the driver are not bound by it.
  await context.addInitScript(axe);
  const requests = [];
  // Pictures in comments are anywhere; a test does not wait for them.
  await context.route((url) => url.origin !== origin, (route) => route.abort());
  const page = await context.newPage();
  const errors = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => errors.push(`error ${error.message}`));
  page.on('dialog', (dialog) => { errors.push('a dialog'); dialog.dismiss(); });
  const goto = async (path, status = 200) => {
    // A URL that differs only in its fragment loads nothing.
    const response = await page.goto(path) ?? await page.reload();
    assert.equal(response.status(), status, `${path}: ${response.status()}`);
    return response;
  };
  const signIn = async (token) => {
    await page.goto('/-/sign-in');
    await page.fill('#token', token);
    await page.click('button.primary');
    await page.waitForSelector('text=Sign out');
  };
  const api = async (token, path, body, method = 'POST') => {
    const options = body ? { method, body: JSON.stringify(body) } : {};
    const response = await fetch(`${origin}/repos/octo-org/hello/${path}`, { headers: { authorization: `Bearer ${token}` }, ...options });
    assert.ok(response.ok, `${path}: ${response.status} ${await response.clone().text()}`);
    return response.json();
  };
  const shot = async (name) => {
    if (!screenshots) return;
    mkdirSync(screenshots, { recursive: true });
    await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: name.endsWith('phone') });
  };
  try {
    return await test({ page, goto, signIn, api, shot, requests, errors, origin }, { browser, origin }) ?? '';
  } finally {
    await context.close();
  }
}
