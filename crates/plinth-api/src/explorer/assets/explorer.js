// The API explorer: reads openapi.json, shows one operation at a time, sends requests to this server.
// Everything that comes from the server is inserted as text. The token lives in its input and nowhere else.
'use strict';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
// Longer responses are shown without colours; much longer ones are truncated.
const COLOURED_LENGTH_MAX = 300_000;
const SHOWN_LENGTH_MAX = 2_000_000;
const SHAPE_DEPTH_MAX = 4;
const TOKEN_KINDS = 5;

const base = new URL('.', document.baseURI);
const find = (id) => document.getElementById(id);
const operations = new Map();
// Path parameters that were typed, for other operations with the same parameter.
const typed = new Map();
let description;

/** Makes an element; strings become text, never markup. */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child != null));
  return element;
}

/** Paragraphs and `code`, which is all the Markdown that descriptions use. */
function prose(text) {
  return (text ?? '').split('\n\n').filter(Boolean).map((paragraph) => make('p', null, ...inline(paragraph)));
}

function inline(text) {
  return (text ?? '').split('`').map((part, index) => (index % 2 ? make('code', null, part) : part));
}

/** Resolves a reference inside the description. */
function resolve(node) {
  let resolved = node;
  for (let steps = 0; resolved?.$ref && steps < 8; steps += 1) {
    const keys = resolved.$ref.slice(2).split('/');
    resolved = keys.reduce((found, key) => found?.[key.replaceAll('~1', '/').replaceAll('~0', '~')], description);
  }
  return resolved ?? {};
}

/* ---- the list of operations ---- */

function readOperations() {
  for (const [path, item] of Object.entries(description.paths)) {
    for (const method of METHODS.filter((name) => item[name])) {
      const operation = { ...item[method], path, method: method.toUpperCase() };
      operation.sought = [operation.operationId, operation.method, path, operation.summary, operation.tags?.[0]].join(' ').toLowerCase();
      operations.set(operation.operationId, operation);
    }
  }
}

function showList() {
  const words = find('search').value.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = [...operations.values()].filter((operation) => words.every((word) => operation.sought.includes(word)));
  const groups = description.tags.map((tag) => {
    const members = (tag['x-plinth-operations'] ?? []).map((id) => operations.get(id)).filter((operation) => matches.includes(operation));
    if (!members.length) return null;
    const items = members.map((operation) => make('li', null, make('a', { href: `#${operation.operationId}` },
      make('span', { class: `method ${operation.method}` }, operation.method), make('span', null, operation.summary))));
    return make('section', null, make('h2', null, tag.name), make('ul', null, items));
  });
  find('operations').replaceChildren(...groups.filter(Boolean));
  find('nothing').hidden = matches.length > 0;
  markCurrent();
}

function markCurrent() {
  for (const link of find('operations').querySelectorAll('a')) {
    const current = decodeURIComponent(link.hash) === decodeURIComponent(location.hash);
    if (current) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
}

function moveInList(event) {
  const links = [...find('operations').querySelectorAll('a')];
  const at = links.indexOf(document.activeElement);
  const inSearch = document.activeElement === find('search');
  if (event.key === 'ArrowDown' && (inSearch || at >= 0)) links[Math.min(at + 1, links.length - 1)]?.focus();
  else if (event.key === 'ArrowUp' && at > 0) links[at - 1].focus();
  else if (event.key === 'ArrowUp' && at === 0) find('search').focus();
  else if (event.key === 'Enter' && inSearch) links[0]?.click();
  else if (event.key === 'Escape' && inSearch) { find('search').value = ''; showList(); }
  else return;
  event.preventDefault();
}

/* ---- one operation ---- */

function showCurrent() {
  const name = decodeURIComponent(location.hash.slice(1));
  const operation = operations.get(name);
  const view = find('operation');
  view.hidden = !operation;
  find('guide').hidden = Boolean(operation);
  document.title = operation ? `${operation.summary} · Plinth API` : 'Plinth API';
  view.replaceChildren(...(operation ? operationView(operation) : []));
  markCurrent();
  openMenu(false);
  const target = operation ? view.querySelector('h1') : name && document.getElementById(name);
  if (target) {
    target.scrollIntoView();
    if (operation) { scrollTo(0, 0); target.focus({ preventScroll: true }); }
  }
  find('operations').querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
}

function operationView(operation) {
  const parts = operation.path.split(/(\{[^}]+\})/).map((part) => (part.startsWith('{') ? make('var', null, part) : part));
  const access = operation['x-plinth-access'] ?? {};
  const facts = [
    ['token', (access.tokens?.length === TOKEN_KINDS ? 'any' : (access.tokens ?? []).join(', ')) + (access.anonymous ? ', or none' : '')],
    access.scopes && ['scope', access.scopes.join(', ')],
    access.permission && ['permission', access.permission],
  ].filter(Boolean).map(([name, value]) => make('li', null, `${name} `, make('b', null, value)));
  return [
    make('h1', { tabindex: '-1' }, operation.summary),
    make('div', { class: 'path' }, make('span', { class: `method ${operation.method}` }, operation.method), make('code', null, parts)),
    make('ul', { class: 'facts' }, facts),
    ...prose(operation.description),
    make('div', { class: 'columns' }, contract(operation), tryIt(operation)),
  ];
}

/** Parameters, body and responses, as the description has them. */
function contract(operation) {
  const blocks = [];
  const parameters = operation.parameters ?? [];
  if (parameters.length) {
    const rows = parameters.map((parameter) => shapeRow(parameter.name, parameter.schema, parameter.required, parameter.description, 0));
    blocks.push(make('h2', null, 'Parameters'), make('ul', { class: 'shape' }, rows));
  }
  const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
  if (body) blocks.push(make('h2', null, 'Body'), shape(body, 0));
  blocks.push(make('h2', null, 'Responses'));
  const responses = Object.entries(operation.responses).map(([status, response]) => [status, resolve(response), Boolean(response.$ref)]);
  const table = (rows) => make('dl', { class: 'responses' }, rows.map(([status, response]) =>
    [make('dt', null, status), make('dd', null, ...inline(response.description))]));
  blocks.push(table(responses.filter(([, , shared]) => !shared)));
  const success = responses.find(([status]) => status.startsWith('2'))?.[1].content?.['application/json']?.schema;
  if (success) {
    blocks.push(make('details', null, make('summary', null, 'Schema of the response'), shape(success, 0)));
  }
  const shared = responses.filter(([, , isShared]) => isShared);
  if (shared.length) blocks.push(make('details', null, make('summary', null, 'Common responses'), table(shared)));
  return make('div', null, blocks);
}

function shape(schema, depth) {
  const resolved = resolve(schema);
  if (resolved.anyOf) {
    const forms = resolved.anyOf.filter((form) => form.type !== 'null');
    return make('div', null, forms.map((form, index) => [index ? make('p', null, 'or') : null, shape(form, depth)]));
  }
  if (resolved.allOf) return make('div', null, resolved.allOf.map((part) => shape(part, depth)));
  if (resolved.items) return shape(resolved.items, depth);
  const required = new Set(resolved.required ?? []);
  const properties = Object.entries(resolved.properties ?? {});
  // Required keys first; in responses nearly all keys are required.
  if (depth === 0) properties.sort(([one], [other]) => required.has(other) - required.has(one));
  const rows = properties.map(([name, property]) => shapeRow(name, property, required.has(name), property.description, depth));
  return rows.length ? make('ul', { class: 'shape' }, rows) : make('p', null, typeName(schema));
}

function shapeRow(name, schema, required, about, depth) {
  const inner = resolve(resolve(schema).items ?? schema);
  const hasParts = inner.properties || inner.anyOf?.some((form) => resolve(form).properties);
  return make('li', null,
    make('span', { class: 'name' }, name), make('span', { class: 'type' }, typeName(schema)),
    required && depth === 0 ? make('span', { class: 'must' }, 'required') : null,
    about ? make('p', null, ...inline(about)) : null,
    hasParts && depth < SHAPE_DEPTH_MAX ? make('details', null, make('summary', null, 'Parts'), lazy(() => shape(inner, depth + 1))) : null);
}

/** Schemas may be deep, so the inner parts are built when they are opened. */
function lazy(build) {
  const container = make('div', null);
  queueMicrotask(() => container.parentElement?.addEventListener('toggle', () => {
    if (!container.childElementCount) container.append(build());
  }));
  return container;
}

function typeName(schema) {
  const name = schema.$ref?.split('/').pop();
  if (name) return name;
  if (schema.enum) return schema.enum.map(String).join(' | ');
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeName))].join(' or ');
  if (schema.items) return `list of ${typeName(schema.items)}`;
  const type = [schema.type ?? 'anything'].flat().join(' or ');
  return schema.format && schema.format !== 'int64' ? `${type}, ${schema.format}` : type;
}

/* ---- a request ---- */

function tryIt(operation) {
  const parameters = operation.parameters ?? [];
  const inputs = parameters.map((parameter) => ({ parameter, input: input(parameter) }));
  const [media, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const isJson = media === 'application/json';
  const body = isJson && make('textarea', { spellcheck: 'false', 'aria-label': 'Body, JSON' });
  if (body) {
    body.value = JSON.stringify(content.example ?? {}, null, 2);
    body.rows = Math.min(body.value.split('\n').length + 1, 20);
  }
  const accept = acceptChoice(operation);
  const problem = make('p', { class: 'problem', role: 'status' });
  const curl = make('pre', { id: 'curl', class: 'line', tabindex: '0' });
  const result = make('div', { 'aria-live': 'polite' });
  const button = make('button', { type: 'submit', class: operation.method === 'DELETE' ? 'danger' : null }, 'Send');
  const request = () => ({
    method: operation.method, url: requestUrl(operation, inputs), accept: accept?.value, body: body ? body.value : undefined,
  });
  const refresh = () => {
    curl.textContent = curlLine(request());
    problem.textContent = body ? jsonProblem(body.value) : '';
  };
  const send = (event) => {
    event.preventDefault();
    if (!button.disabled) sendAndShow(request(), button, result);
  };
  const named = (kind, title) => {
    const shown = inputs.filter(({ parameter }) => parameter.in === kind);
    return shown.length ? [make('h3', null, title), shown.map(({ parameter, input: control }) =>
      make('div', { class: 'field' }, make('label', { for: control.id }, parameter.name), control))] : [];
  };
  const form = make('form', { class: 'try', autocomplete: 'off', onsubmit: send, oninput: refresh, onkeydown: (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send(event);
  } },
    make('h2', null, 'Try it'),
    ...named('path', 'Path'), ...named('query', 'Query'),
    body ? [make('h3', null, 'Body'), body, problem] : [],
    accept ? make('div', { class: 'field' }, make('label', { for: accept.id }, 'Accept'), accept) : null,
    make('div', { class: 'send' }, button, make('small', null, 'Ctrl + Enter')),
    make('h3', null, 'The same with curl'),
    make('div', { class: 'box copyable' }, curl, copyButton(() => curl.textContent)),
    result);
  refresh();
  return form;
}

function input(parameter) {
  const id = `${parameter.in}-${parameter.name}`;
  const schema = resolve(parameter.schema);
  if (schema.enum) {
    return make('select', { id }, make('option', { value: '' }, ''), schema.enum.map((word) => make('option', { value: word }, word)));
  }
  if (schema.type === 'boolean') {
    return make('select', { id }, ['', 'true', 'false'].map((word) => make('option', { value: word }, word)));
  }
  const control = make('input', { id, spellcheck: 'false', autocapitalize: 'off', inputmode: schema.type === 'integer' ? 'numeric' : null,
    required: parameter.required });
  if (parameter.in === 'path') {
    control.value = typed.get(parameter.name) ?? parameter.example ?? '';
    control.addEventListener('input', () => typed.set(parameter.name, control.value));
  }
  return control;
}

function acceptChoice(operation) {
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1];
  const media = Object.keys(resolve(success).content ?? {});
  if (media.length < 2) return null;
  media.sort((one, other) => (other === 'application/json') - (one === 'application/json'));
  return make('select', { id: 'accept' }, media.map((name) => make('option', { value: name }, name)));
}

function requestUrl(operation, inputs) {
  let path = operation.path;
  const query = new URLSearchParams();
  for (const { parameter, input: control } of inputs) {
    if (parameter.in === 'path') {
      // A reference name keeps its slashes.
      const encoded = encodeURIComponent(control.value);
      path = path.replace(`{${parameter.name}}`, () => (parameter.name === 'ref' ? encoded.replaceAll('%2F', '/') : encoded));
    } else if (control.value !== '') query.append(parameter.name, control.value);
  }
  const search = query.toString();
  return new URL(path.slice(1) + (search ? `?${search}` : ''), base).href;
}

function jsonProblem(text) {
  if (!text.trim()) return '';
  try { JSON.parse(text); return ''; } catch (error) { return error.message; }
}

/** The line has a variable instead of the token, to be set in the shell. */
function curlLine({ method, url, accept, body }) {
  const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}${quote(url)}`];
  if (find('token').value) lines.push('-H "Authorization: Bearer $TOKEN"');
  if (accept && accept !== 'application/json') lines.push(`-H ${quote(`Accept: ${accept}`)}`);
  if (body) lines.push(`-d ${quote(compact(body))}`);
  return lines.join(' \\\n  ');
}

function compact(text) {
  try { return JSON.stringify(JSON.parse(text)); } catch { return text; }
}

function copyButton(text) {
  return make('button', { type: 'button', onclick: async (event) => {
    const button = event.currentTarget;
    try { await navigator.clipboard.writeText(text()); button.textContent = 'Copied'; } catch { button.textContent = 'Not allowed'; }
    setTimeout(() => { button.textContent = 'Copy'; }, 1500);
  } }, 'Copy');
}

async function sendAndShow(request, button, result) {
  const headers = { Accept: request.accept ?? 'application/json' };
  const token = find('token').value.trim();
  if (token) headers.Authorization = `Bearer ${token}`;
  if (request.body) headers['Content-Type'] = 'application/json';
  button.disabled = true;
  const started = performance.now();
  try {
    const options = { method: request.method, headers, body: request.body || undefined, cache: 'no-store', credentials: 'omit' };
    const response = await fetch(request.url, options);
    const text = await response.text();
    const again = (url) => sendAndShow({ ...request, method: 'GET', url, body: undefined }, button, result);
    result.replaceChildren(...responseView(response, text, Math.round(performance.now() - started), again));
  } catch (error) {
    result.replaceChildren(make('p', { class: 'problem', role: 'alert' }, `The request could not be sent: ${error.message}`));
  } finally {
    button.disabled = false;
  }
}

/* ---- a response ---- */

function responseView(response, text, milliseconds, again) {
  const kind = response.ok ? 'good' : response.status >= 400 ? 'bad' : 'other';
  const size = new Blob([text]).size;
  const headers = [...response.headers].map(([name, value]) => [make('dt', null, name), make('dd', null, value)]);
  const links = pageLinks(response.headers.get('link')).map(([relation, url]) =>
    make('button', { type: 'button', onclick: () => again(url) }, `${relation} page`));
  const shown = pretty(text, response.headers.get('content-type') ?? '');
  return [
    make('div', { class: 'status' }, make('strong', { class: kind, id: 'status' }, `${response.status} ${response.statusText}`.trim()),
      make('span', null, `${milliseconds} ms`), make('span', null, `${size.toLocaleString('en')} bytes`)),
    links.length ? make('div', { class: 'links', role: 'group', 'aria-label': 'Other pages' }, links) : null,
    make('details', null, make('summary', null, `${headers.length} headers`), make('dl', { class: 'headers' }, headers)),
    text ? make('div', { class: 'box copyable' }, make('pre', { id: 'response', tabindex: '0' }, shown), copyButton(() => text)) : null,
  ].filter(Boolean);
}

/** The pages in the `Link` header, if they are on this server. */
function pageLinks(header) {
  const found = [...(header ?? '').matchAll(/<([^>]*)>;\s*rel="(\w+)"/g)];
  return found.map(([, url, relation]) => [relation, new URL(url, base)])
    .filter(([, url]) => url.origin === base.origin)
    .map(([relation, url]) => [relation, url.href]);
}

function pretty(text, type) {
  if (text.length > SHOWN_LENGTH_MAX) return [`${text.slice(0, SHOWN_LENGTH_MAX)}\n… (truncated)`];
  if (!type.includes('json')) return [text];
  let indented;
  try { indented = JSON.stringify(JSON.parse(text), null, 2); } catch { return [text]; }
  return indented.length > COLOURED_LENGTH_MAX ? [indented] : coloured(indented);
}

/** Text nodes and spans for the words of indented JSON. */
function coloured(json) {
  const nodes = [];
  let rest = 0;
  for (const match of json.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*|true|false|null/g)) {
    nodes.push(json.slice(rest, match.index));
    const [whole, string, colon] = match;
    const kind = string ? (colon ? 'k' : 's') : /^[-\d]/.test(whole) ? 'n' : 'w';
    nodes.push(make('span', { class: kind }, string ?? whole), colon ?? '');
    rest = match.index + whole.length;
  }
  nodes.push(json.slice(rest));
  return nodes;
}

/* ---- the page ---- */

function openMenu(open) {
  find('nav').classList.toggle('open', open);
  find('menu').setAttribute('aria-expanded', String(open));
}

function listen() {
  find('search').addEventListener('input', showList);
  find('nav').addEventListener('keydown', moveInList);
  find('menu').addEventListener('click', () => openMenu(!find('nav').classList.contains('open')));
  find('credential').addEventListener('submit', (event) => event.preventDefault());
  find('token').addEventListener('input', () => find('operation').querySelector('form')?.dispatchEvent(new Event('input')));
  find('reveal').addEventListener('click', () => {
    const shown = find('token').type === 'password';
    find('token').type = shown ? 'text' : 'password';
    find('reveal').textContent = shown ? 'Hide' : 'Show';
    find('reveal').setAttribute('aria-pressed', String(shown));
  });
  addEventListener('hashchange', showCurrent);
  addEventListener('keydown', (event) => {
    const writing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? '');
    if (event.key !== '/' || writing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    openMenu(true);
    find('search').focus();
  });
}

async function start() {
  // A browser may restore the inputs of an earlier visit; the token must not survive it.
  find('token').value = '';
  listen();
  try {
    const response = await fetch(new URL('openapi.json', base), { credentials: 'omit' });
    if (!response.ok) throw new Error(`status ${response.status}`);
    description = await response.json();
  } catch (error) {
    find('loading').textContent = `The description could not be loaded: ${error.message}`;
    return;
  }
  find('loading').remove();
  find('version').textContent = description.info.version;
  readOperations();
  showList();
  showCurrent();
}

start();
