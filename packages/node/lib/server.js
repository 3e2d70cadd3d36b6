'use strict';

const { spawn } = require('node:child_process');
const { mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { dirname, join, resolve } = require('node:path');
const { createInterface } = require('node:readline');
const { findBinary } = require('./binary.js');
const { stateText, statePath } = require('./state.js');

/** The end of the error output, which is shown if the server does not start. */
const ERROR_OUTPUT_MAX = 16 * 1024;
/** Ends the server when this process ends in a way that runs no code, such as SIGKILL: its input closes then. */
const GUARD = 'read -r line; kill "$1"; [ -z "$2" ] || rm -rf "$2"';

/** Resolves with the URLs of a new server, a function that stops it, and the directory of its state file. */
async function startServer({ state, binary, args = [], log = false }) {
  const program = findBinary(binary);
  const { file, directory, temporary } = stateFile(state);
  const flags = ['serve', '--ephemeral', '--listen', '127.0.0.1:0', '--ready-json', '--log', 'warn'];
  if (file) flags.push('--state', file);
  const child = spawn(program, [...flags, ...args], { stdio: ['ignore', 'pipe', log ? 'inherit' : 'pipe'], env: environment() });
  const exited = new Promise((done) => {
    child.once('error', done);
    // Not `exit`: the error output is complete only now.
    child.once('close', (code, signal) => done(new Error(`it ended with ${signal ?? `exit code ${code}`}`)));
  });
  const errorOutput = tail(child.stderr);
  try {
    const line = await Promise.race([firstLine(child.stdout), exited]);
    if (line instanceof Error) throw new Error(`plinth (${program}) did not start: ${line.message}\n${errorOutput()}`.trimEnd());
    const stop = lifetime(child, exited, temporary);
    // The last two are there if the flags contain --control.
    const { url, control_url: controlUrl, control_token: controlToken } = JSON.parse(line);
    return { url, controlUrl, controlToken, directory, stop };
  } catch (error) {
    remove(temporary);
    throw error;
  }
}

/** A file with the state, in a temporary directory unless it is a file already. */
function stateFile(state) {
  const path = statePath(state);
  if (path) return { file: path, directory: dirname(resolve(path)) };
  const temporary = mkdtempSync(join(tmpdir(), 'plinth-state-'));
  if (state === undefined) return { directory: temporary, temporary };
  const file = join(temporary, 'state.yaml');
  writeFileSync(file, stateText(state));
  return { file, directory: temporary, temporary };
}

function remove(temporary) {
  if (temporary) rmSync(temporary, { recursive: true, force: true });
}

/** Settings for another server must not change this one. */
function environment() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PLINTH_')));
}

function firstLine(stream) {
  return new Promise((done) => createInterface({ input: stream }).once('line', done));
}

function tail(stream) {
  let text = '';
  stream?.setEncoding('utf8').on('data', (part) => {
    text = (text + part).slice(-ERROR_OUTPUT_MAX);
  });
  return () => text;
}

/** Ties a server to this process, without keeping the process alive for it. Returns a function that stops the server. */
function lifetime(child, exited, temporary = '') {
  // A group of its own: an interrupt from the terminal ends the server by itself.
  const options = { stdio: ['pipe', 'ignore', 'ignore'], detached: true };
  const guard = spawn('sh', ['-c', GUARD, 'plinth-guard', String(child.pid), temporary], options);
  guard.on('error', () => {});
  guard.stdin.on('error', () => {});
  const handles = [child, child.stdout, child.stderr, guard, guard.stdin].filter(Boolean);
  handles.forEach((handle) => handle.unref());
  const end = () => {
    child.kill();
    remove(temporary);
  };
  process.once('exit', end);
  child.once('exit', () => {
    // Before the id of the process is used for another one.
    guard.kill('SIGKILL');
    process.removeListener('exit', end);
  });
  return async () => {
    handles.forEach((handle) => handle.ref());
    child.kill();
    await exited;
    remove(temporary);
  };
}

module.exports = { startServer };
