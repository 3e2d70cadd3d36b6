// Runs the suite of a client against a new service, and records every response.
//
//   PLINTH=target/debug/plinth node tests/clients/run.mjs SUITE [FLAG …] -- COMMAND …
//
//   --tls                 serve https too, with a certificate created for this run
//   --serve=FLAG          a flag for `plinth serve`; may be repeated
//   --covers              each operation of operations.json must be called, with success and with an error
//   --lacks=OPERATION     except this one, which the client does not have; may be repeated
//
// The command finds in its environment
//   PLINTH_URL            the base URL, without a trailing slash
//   PLINTH_TLS_URL        with --tls, the same over https, and
//   PLINTH_CA_FILE        the certificate to trust for it
//   PLINTH_APP_KEY        the file with the private key of the app `helper`, created for this run
//   PLINTH_APP_ID         its id, and
//   PLINTH_APP_CLIENT_ID  its client id
// The data of the service is in state.yaml. Responses are recorded in $PLINTH_RESPONSES/SUITE.jsonl (default: target/responses), one per line.
import { spawn, spawnSync } from 'node:child_process';
import { createSign } from 'node:crypto';
import { closeSync, copyFileSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { gaps, readRecord } from './operations.mjs';
import { startProxy } from './proxy.mjs';

const CLIENT_ID = 'Iv1.clientsuites';
const GRACE_MILLISECONDS = 5_000;
const HERE = dirname(fileURLToPath(import.meta.url));

/** The parsed command line, or an error with the usage. */
function read(args) {
  const separator = args.indexOf('--');
  const [suite, ...flags] = args.slice(0, Math.max(separator, 0));
  const command = args.slice(separator + 1);
  const values = (name) => flags.filter((flag) => flag.startsWith(`${name}=`)).map((flag) => flag.slice(name.length + 1));
  const unknown = flags.filter((flag) => !/^--(tls|covers|serve=.+|lacks=.+)$/.test(flag));
  if (separator < 0 || !/^[a-z][a-z0-9-]*$/.test(suite ?? '') || unknown.length > 0 || command.length === 0) {
    throw new Error('usage: run.mjs SUITE [--tls] [--covers] [--lacks=OPERATION …] [--serve=FLAG …] -- COMMAND …');
  }
  return { suite, tls: flags.includes('--tls'), covers: flags.includes('--covers'), lacking: values('--lacks'), flags: values('--serve'), command };
}

/** Starts the service on a free port; resolves when it is ready. */
async function serve(directory, flags) {
  const state = join(directory, 'state.yaml');
  copyFileSync(join(HERE, 'state.yaml'), state);
  // The proxy terminates TLS, so the service must trust its X-Forwarded-Proto.
  const args = ['serve', '--ephemeral', '--listen', '127.0.0.1:0', '--ready-json', '--trusted-proxies', '127.0.0.1', '--log', 'warn', '--state', state];
  const child = spawn(process.env.PLINTH ?? 'plinth', [...args, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  stop.push(() => finish(child));
  const ready = await Promise.race([
    new Promise((resolve) => createInterface({ input: child.stdout }).once('line', resolve)),
    new Promise((_, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`plinth exited with ${code}`)));
    }),
  ]);
  return { url: JSON.parse(ready).url, key: join(directory, 'helper.pem') };
}

/** A certificate for this machine, valid for a day. */
function certificate(directory) {
  const [key, cert] = [join(directory, 'tls.key'), join(directory, 'tls.crt')];
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1', '-keyout', key, '-out', cert,
    '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const made = spawnSync('openssl', args, { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`openssl created no certificate: ${made.error?.message ?? made.stderr}`);
  return { key: readFileSync(key), cert: readFileSync(cert), file: cert };
}

/** The id of the app, which the service returns to the holder of the key. */
async function appId(url, keyFile) {
  const now = Math.floor(Date.now() / 1000);
  const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'RS256', typ: 'JWT' })}.${part({ iat: now - 30, exp: now + 300, iss: CLIENT_ID })}`;
  const token = `${signed}.${createSign('RSA-SHA256').update(signed).sign(readFileSync(keyFile), 'base64url')}`;
  const response = await fetch(`${url}/app`, { headers: { authorization: `Bearer ${token}` } });
  if (!response.ok) throw new Error(`the service does not know the app: ${response.status} ${await response.text()}`);
  return (await response.json()).id;
}

async function run({ suite, tls, covers, lacking, flags, command }) {
  const directory = mkdtempSync(join(tmpdir(), 'plinth-clients-'));
  stop.push(() => rmSync(directory, { recursive: true, force: true }));
  const recordings = resolve(process.env.PLINTH_RESPONSES ?? join(HERE, '../../target/responses'));
  mkdirSync(recordings, { recursive: true });
  const file = join(recordings, `${suite}.jsonl`);
  const record = openSync(file, 'w');
  stop.push(() => closeSync(record));
  const { url, key } = await serve(directory, flags);
  const environment = { PLINTH_APP_KEY: key, PLINTH_APP_ID: String(await appId(url, key)), PLINTH_APP_CLIENT_ID: CLIENT_ID };
  environment.PLINTH_URL = `http://${await startProxy(url, record)}`;
  if (tls) {
    const made = certificate(directory);
    environment.PLINTH_CA_FILE = made.file;
    environment.PLINTH_TLS_URL = `https://${(await startProxy(url, record, made)).replace('127.0.0.1', 'localhost')}`;
  }
  const child = spawn(command[0], command.slice(1), { stdio: 'inherit', env: { ...process.env, ...environment } });
  stop.push(() => finish(child));
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    // A suite that was killed has no exit code, and has not passed.
    child.once('exit', (code) => resolve(code ?? 1));
  });
  return covers && code === 0 ? coverage(file, lacking) : code;
}

/** One more test, of the suite itself: it calls every operation. */
function coverage(file, lacking) {
  const found = gaps(readRecord(file), lacking);
  console.log(`test every operation is called, with success and with an error ... ${found.length ? `FAILED\n${found.join('\n')}` : 'ok'}`);
  console.log(`test result: ${found.length ? 'FAILED. 0 passed; 1 failed' : 'ok. 1 passed; 0 failed'}; 0 ignored`);
  return found.length ? 1 : 0;
}

/** Clean-up functions, called at the end in reverse order. */
const stop = [];

/** Ends a process with SIGTERM, then with SIGKILL. */
async function finish(child) {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MILLISECONDS);
  await gone;
  clearTimeout(timer);
}

/** Cleans up and exits once, with the first code, also after a signal. */
let ending;
function end(code) {
  ending ??= (async () => {
    for (const undo of stop.reverse()) await undo();
    process.exit(code);
  })();
  return ending;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => end(1));
try {
  await end(await run(read(process.argv.slice(2))));
} catch (error) {
  console.error(`run.mjs: ${error.message}`);
  await end(1);
}
