// Shows malicious comments in a real browser, and checks what it does.
//
//   PLINTH=target/debug/plinth CHROMIUM=chromium node comments.mjs
//
// The page has no Content Security Policy: whatever the service lets through would run.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { runTests } from './service.mjs';

const READER = 'http://reader.example/';
const PULL = '/repos/octo-org/hello/pulls/1';
const TOKEN = 'ghp_browserbrowser';
const attempts = JSON.parse(readFileSync(new URL('attempts.json', import.meta.url))).flatMap((group) => group.texts)
  // The service rejects them, which another test checks.
  .filter((text) => !text.includes('\0'));

/** Where a text may be in a comment. */
const contexts = [(text) => text, (text) => `> - ${text}\n\n${text}`];

const tests = {
  async 'rendered comments run nothing and fetch nothing but images'({ url, show }) {
    const bodies = attempts.flatMap((text) => contexts.map((context) => context(text)));
    assert.ok(bodies.length > 400, `${bodies.length} comments are not all attempts`);
    const { head } = await request(url, PULL);
    for (const body of bodies) {
      const html = await rendered(url, body, head.sha);
      assert.deepEqual(await show(html), [], `${JSON.stringify(body)} became ${html}`);
    }
    return `${bodies.length} comments`;
  },

  async 'unrendered texts are detected as harmful'({ show, renew }) {
    let caught = 0;
    for (const text of attempts) {
      caught += (await show(text)).length > 0;
      // Some of them overwrite what the page needs.
      await renew();
    }
    assert.ok(caught > 100, `only ${caught} of ${attempts.length} were caught`);
    for (const [text, what] of [
      ['<img src=x onerror=alert(1)>', 'ran alert'],
      ['<script src=//evil.example/x.js></script>', 'fetched script'],
      ['<link rel=stylesheet href=//evil.example/x.css>', 'fetched stylesheet'],
      ['<a href="java\nscript:alert(1)">x</a>', 'javascript:'],
      ['<p onclick=alert(1)>x</p>', 'ran alert'],
      ['<p id=location>x</p>', 'id'],
    ]) {
      const seen = await show(text);
      await renew();
      assert.ok(seen.some((complaint) => complaint.includes(what)), `${text}: ${JSON.stringify(seen)}`);
    }
    return `${caught} of ${attempts.length}`;
  },
};

/** Writes a comment; resolves with its HTML. */
async function rendered(url, body, commit) {
  const comment = { body, path: 'a.txt', line: 2, commit_id: commit };
  const made = await request(url, `${PULL}/comments`, { method: 'POST', body: JSON.stringify(comment) });
  return made.body_html;
}

async function request(url, path, options = {}) {
  const headers = { accept: 'application/vnd.plinth-commitcomment.html+json', authorization: `Bearer ${TOKEN}` };
  const response = await fetch(`${url}${path}`, { headers, ...options });
  assert.ok(response.ok, `${path}: ${response.status} ${JSON.stringify(options)}`);
  return response.json();
}

/** Runs in every frame before anything else: functions that a script would call record the call. */
function trap() {
  for (const name of ['alert', 'confirm', 'prompt', 'print', 'open', 'fetch']) {
    window[name] = () => { window.top.ran = [...(window.top.ran ?? []), `ran ${name}`]; };
  }
}

/** Inserts HTML into the page and into a frame, and triggers events on every element. Runs in the page. */
async function inspect(html) {
  window.ran = [];
  const container = document.getElementById('container');
  container.innerHTML = html;
  const frame = document.getElementById('frame');
  await new Promise((resolve) => { frame.onload = resolve; frame.srcdoc = html; setTimeout(resolve, 1000); });
  const seen = [];
  const roots = [container, frame.contentDocument?.documentElement].filter(Boolean);
  const elements = roots.flatMap((root) => [...root.querySelectorAll('*')]);
  for (const element of elements) {
    for (const { name, value } of element.attributes) {
      if (/^on|^style$|^srcdoc$|^formaction$|^action$/i.test(name)) seen.push(`${element.localName} has ${name}`);
      if (/^(id|name)$/.test(name) && !value.startsWith('user-content-')) seen.push(`${element.localName} has ${name}=${value}`);
    }
    if (!element.namespaceURI.endsWith('/xhtml')) seen.push(`${element.localName} of ${element.namespaceURI}`);
    // The URL as the browser parses it.
    const target = element.href ?? element.src;
    const scheme = typeof target === 'string' && target !== '' ? new URL(target, document.baseURI).protocol : 'http:';
    if (!['http:', 'https:', 'mailto:'].includes(scheme)) seen.push(`${element.localName} leads to ${scheme}`);
    if (element.localName !== 'a') {
      for (const event of ['click', 'mouseover', 'pointerenter', 'focus', 'focusin', 'toggle', 'error', 'load', 'animationstart']) {
        element.dispatchEvent(new Event(event));
      }
    }
  }
  // Error handlers of images run a little later.
  await new Promise((resolve) => { setTimeout(resolve, 5); });
  return [...seen, ...window.ran];
}

async function run(browser, url, test) {
  const context = await browser.newContext();
  const page = await context.newPage();
  let fetched = [];
  await context.addInitScript(trap);
  await context.route('**/*', (route) => {
    const request = route.request();
    if (request.url() === READER) {
      return route.fulfill({ contentType: 'text/html', body: '<div id=container></div><iframe id=frame></iframe>' });
    }
    if (request.resourceType() !== 'image') fetched.push(`fetched ${request.resourceType()} ${request.url()}`);
    return route.fulfill({ status: 404, body: '' });
  });
  page.on('pageerror', (error) => fetched.push(`ran ${error.message}`));
  page.on('dialog', (dialog) => { fetched.push('a dialog'); dialog.dismiss(); });
  const renew = () => page.goto(READER);
  await renew();
  const show = async (html) => {
    fetched = [];
    const seen = await page.evaluate(inspect, html).catch((error) => [`left the page: ${error.message}`]);
    return [...seen, ...fetched];
  };
  try {
    return await test({ url, show, renew }) ?? '';
  } finally {
    await context.close();
  }
}

await runTests('comments.yaml', tests, run);
