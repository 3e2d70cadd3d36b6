// What the tests of the tools share: a clone, programs that run in it, and the API to check the result.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Octokit } from '@octokit/core';

export const url = process.env.PLINTH_URL;
export const hello = { owner: 'octo-org', repo: 'hello' };
export const tokens = { mona: 'ghp_monaEverything', hubot: 'ghp_hubotMember', installation: 'ghs_helperOnOctoOrg' };

const HERE = dirname(fileURLToPath(import.meta.url));
const LIMIT_MILLISECONDS = 120_000;

/** The API with a token of state.yaml, without plugins. */
export function api(name) {
  return new Octokit({ auth: tokens[name], baseUrl: url });
}

export async function get(route, parameters) {
  return (await api('mona').request(`GET ${route}`, parameters)).data;
}

/** A clone of a repository that pushes with a token. */
export class Clone {
  constructor({ owner, repo }, token) {
    this.directory = mkdtempSync(join(tmpdir(), 'plinth-tools-'));
    this.url = `${url.replace('://', `://x-access-token:${token}@`)}/${owner}/${repo}.git`;
    this.git('clone', '--quiet', this.url, '.');
    this.git('config', 'user.name', 'Hubot');
    this.git('config', 'user.email', 'hubot@example.com');
  }

  git(...args) {
    const done = spawnSync('git', ['-C', this.directory, ...args], { encoding: 'utf8', env: environment() });
    assert.equal(done.status, 0, `git ${args.join(' ')}\n${done.stdout}${done.stderr}`);
    return done.stdout.trim();
  }

  write(name, text) {
    mkdirSync(dirname(join(this.directory, name)), { recursive: true });
    writeFileSync(join(this.directory, name), text);
  }

  /** Commits a file to the current branch, and returns the id of the commit. */
  commit(name, text, message) {
    this.write(name, text);
    this.git('add', name);
    this.git('commit', '--quiet', '--message', message);
    return this.git('rev-parse', 'HEAD');
  }

  /** Runs a program of an installed package; resolves with its exit code and its output. */
  async run(program, args, variables = {}) {
    const script = join(HERE, 'node_modules', '.bin', program);
    const child = spawn(script, args, { cwd: this.directory, env: environment(variables), timeout: LIMIT_MILLISECONDS, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => { output += text; });
    const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
    return { code, output };
  }

  remove() {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** The environment of a program: nothing of the machine that runs the tests, which may be a CI service itself. */
function environment(variables = {}) {
  return { PATH: process.env.PATH, HOME: process.env.HOME, LC_ALL: 'C.UTF-8', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_TERMINAL_PROMPT: '0', ...variables };
}
