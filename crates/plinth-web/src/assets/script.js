// Makes pages nicer. Everything works without it.
'use strict';

/** Shows how long ago times were; the date is in the title. */
function relativeTimes(root) {
  const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  const units = [['year', 31536000], ['month', 2592000], ['week', 604800], ['day', 86400], ['hour', 3600], ['minute', 60], ['second', 1]];
  for (const element of root.querySelectorAll('time[datetime]')) {
    const seconds = (new Date(element.dateTime) - Date.now()) / 1000;
    if (!Number.isFinite(seconds)) continue;
    const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? units.at(-1);
    element.title = element.textContent;
    element.textContent = format.format(Math.round(seconds / size), unit);
  }
}

/** Loads a changed file when it is opened. */
async function load(details) {
  const { load: url } = details.dataset;
  if (!url || !details.open) return;
  delete details.dataset.load;
  const response = await fetch(url, { headers: { accept: 'text/html' } });
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const loaded = [...page.querySelectorAll('details.file')].find((file) => file.dataset.path === details.dataset.path);
  if (!loaded) return;
  details.replaceChildren(...loaded.childNodes);
  relativeTimes(details);
  offerContext(details);
}

/** Unchanged lines around a change, in a diff and in one step of showing more. */
const CONTEXT = 3;
const CONTEXT_STEP = 100;

/** The lines that a diff leaves out above a row: the first and last numbers in the new file, and what to add for the old one. */
function gapAbove(row) {
  const [, old, fresh] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(row.dataset.hunk ?? '') ?? [];
  let above = row.previousElementSibling;
  while (above && !(above.cells.length === 3 && above.cells[1].textContent)) above = above.previousElementSibling;
  const first = above ? Number(above.cells[1].textContent) + 1 : 1;
  if (fresh) return { first, last: Number(fresh) - 1, offset: old - fresh };
  return { first, last: Infinity, offset: above ? above.cells[0].textContent - above.cells[1].textContent : 0 };
}

/** Adds a button to every place of a diff where lines are left out. */
function offerContext(root) {
  for (const file of root.matches?.('.file[data-raw]') ? [root] : root.querySelectorAll('.file[data-raw]')) {
    const table = file.querySelector(':scope > table.diff');
    if (!table || table.querySelector('.expand')) continue;
    // A diff that ends with fewer unchanged lines than it shows elsewhere ends with its file.
    const last = [...table.rows].filter((row) => row.className !== 't').slice(-CONTEXT);
    if (last.length === CONTEXT && last.every((row) => !row.className)) {
      const end = table.tBodies[0].insertRow();
      end.className = 'h';
      end.insertCell().colSpan = 3;
    }
    for (const row of table.querySelectorAll('tr.h')) {
      row.dataset.hunk = row.cells[0].textContent;
      const { first, last } = gapAbove(row);
      if (first > last) continue;
      const button = document.createElement('button');
      Object.assign(button, { type: 'button', className: 'expand', textContent: last === Infinity ? '↓ more lines' : '↕ lines above' });
      row.cells[0].prepend(button, ' ');
    }
  }
}

/** Inserts the lines above a row that the diff leaves out: those next to the row first. */
async function expand(button) {
  const row = button.closest('tr');
  const file = row.closest('.file');
  const response = await fetch(new URL(file.dataset.raw).pathname);
  if (!response.ok) return;
  const lines = (await response.text()).split('\n');
  if (lines.at(-1) === '') lines.pop();
  const { first, last, offset } = gapAbove(row);
  const isEnd = last === Infinity;
  const end = isEnd ? Math.min(lines.length, first + CONTEXT_STEP - 1) : last;
  const start = isEnd ? first : Math.max(first, end - CONTEXT_STEP + 1);
  const fragment = document.createDocumentFragment();
  for (let number = start; number <= end; number += 1) {
    const line = document.createElement('tr');
    line.className = 'x';
    for (const text of [number + offset, number, lines[number - 1]]) line.insertCell().textContent = text;
    fragment.append(line);
  }
  // Above what stays hidden is the row with the button; above everything else are the new lines.
  const isComplete = isEnd ? end === lines.length : start === first;
  if (isEnd || isComplete) row.before(fragment);
  else {
    row.after(fragment);
    row.dataset.hunk = `@@ -${start + offset} +${start}`;
    row.cells[0].lastChild.textContent = '';
  }
  if (isComplete) row.remove();
}

/** The line of a diff at a cell: its side and number. */
function lineAt(row, cell) {
  const [old, fresh] = row.cells;
  const side = (cell === old && old.textContent) || !fresh.textContent ? 'LEFT' : 'RIGHT';
  return { side, number: Number((side === 'LEFT' ? old : fresh).textContent) };
}

let chosen = null;

/** Opens the form below a line; with shift, the range from the line before. */
function commentOn(cell, extend) {
  const template = document.getElementById('line-form');
  const row = cell.closest('tr');
  const file = cell.closest('details.file');
  if (!template || !file || row.cells.length < 3 || row.className === 'x' || cell.cellIndex > 1 || !cell.textContent) return;
  const { side, number } = lineAt(row, cell);
  const first = extend && chosen && chosen.file === file && chosen.side === side ? chosen.number : number;
  document.querySelector('tr.new-comment')?.remove();
  const holder = document.createElement('tr');
  holder.className = 't new-comment';
  const content = holder.insertCell();
  content.colSpan = 3;
  content.append(template.content.cloneNode(true));
  const form = content.querySelector('form');
  form.elements.path.value = file.dataset.path;
  form.elements.side.value = side;
  form.elements.line.value = Math.max(first, number);
  form.elements.start_line.value = first === number ? '' : Math.min(first, number);
  row.after(holder);
  form.elements.body.focus();
  if (!extend) chosen = { file, side, number };
}

/** Marks the lines that the URL names: `#L3` or `#L3-L7`. */
function markLines() {
  document.querySelectorAll('.code tr.marked').forEach((row) => row.classList.remove('marked'));
  const [, first, last] = /^#L(\d+)(?:-L(\d+))?$/.exec(location.hash) ?? [];
  if (!first) return;
  const [from, to] = [Number(first), Number(last ?? first)].sort((a, b) => a - b);
  for (let number = from; number <= to; number += 1) document.getElementById(`L${number}`)?.classList.add('marked');
  document.getElementById(`L${from}`)?.scrollIntoView({ block: 'center' });
}

/** Opens what the URL leads to, if it is inside something closed. */
function openTarget() {
  const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let at = target || null; at; at = at.parentElement) if (at.localName === 'details') at.open = true;
  if (target) target.scrollIntoView();
}

/** The next or previous file or comment. */
function step(direction) {
  const stops = [...document.querySelectorAll('details.file > summary, article.comment')].filter((stop) => stop.offsetParent);
  const top = (stop) => stop.getBoundingClientRect().top;
  const next = direction > 0 ? stops.find((stop) => top(stop) > 80) : stops.findLast((stop) => top(stop) < 20);
  next?.scrollIntoView({ block: 'start' });
  if (next && !next.matches('summary')) next.tabIndex = -1;
  next?.focus({ preventScroll: true });
}

const keys = {
  j: () => step(1),
  k: () => step(-1),
  r: () => (document.activeElement.closest?.('.thread') ?? document).querySelector('a[href*="reply="]')?.click(),
  c: () => document.querySelector('#comment, #review-body')?.focus(),
};

document.addEventListener('keydown', (event) => {
  const isTyping = event.target.matches('input, textarea, select') || event.ctrlKey || event.metaKey || event.altKey;
  if (event.key === 'Escape') document.querySelector('tr.new-comment')?.remove();
  if (isTyping || !keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});

/** Waits until the code of this browser is approved, and continues then. */
async function awaitApproval(form) {
  for (let approval = form.dataset.approval; approval !== 'given';) {
    await new Promise((resolve) => { setTimeout(resolve, 3000); });
    const response = await fetch(location.href, { headers: { accept: 'text/html' } });
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const found = page.querySelector('form[data-approval]');
    if (!found) return location.reload();
    approval = found.dataset.approval;
  }
  return form.querySelector('button[name=finish]').click();
}

document.addEventListener('click', (event) => {
  const button = event.target.closest('.expand');
  if (button) expand(button);
  const cell = event.target.closest('.file .diff td');
  if (cell && !cell.closest('.thread, .suggestion')) commentOn(cell, event.shiftKey);
  const line = event.target.closest('.code a[href^="#L"]');
  if (line && event.shiftKey && /^#L\d+/.test(location.hash)) {
    event.preventDefault();
    location.hash = `${location.hash.split('-')[0]}-${line.hash.slice(1)}`;
  }
  if (event.target.closest('[data-close]') && event.target.closest('tr.new-comment')) {
    event.preventDefault();
    event.target.closest('tr.new-comment').remove();
  }
  for (const menu of document.querySelectorAll('details.menu[open]')) if (!menu.contains(event.target)) menu.open = false;
});

document.addEventListener('toggle', (event) => load(event.target), true);
addEventListener('hashchange', () => { markLines(); openTarget(); });
document.body.classList.add('with-script');
relativeTimes(document);
offerContext(document);
document.querySelectorAll('form[data-approval]').forEach(awaitApproval);
markLines();
openTarget();
