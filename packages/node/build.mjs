// Packs the package and the one of this platform: node build.mjs [--binary FILE] [--out DIRECTORY] [--level 1..9]
// The program is target/dist/plinth by default; `cargo xtask dist` builds it.
// Prints the paths of the two files, which `npm install` accepts.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../..');
const target = resolve(root, process.env.CARGO_TARGET_DIR ?? 'target');
const LICENSES = ['LICENSE-APACHE', 'LICENSE-MIT'];

const { values } = parseArgs({
  options: { binary: { type: 'string' }, out: { type: 'string' }, level: { type: 'string', default: '9' } },
});
const binary = resolve(values.binary ?? join(target, 'dist/plinth'));
const out = resolve(values.out ?? join(target, 'packages/npm'));
if (!existsSync(binary)) {
  console.error(`There is no ${binary}. Build it with \`cargo xtask dist\`, or pass --binary FILE.`);
  process.exit(1);
}
rmSync(out, { recursive: true, force: true });

const main = stage('plinth', here, ['package.json', 'README.md', 'bin', 'lib', 'index.mjs', 'index.d.mts', 'index.d.ts']);
const name = `${process.platform}-${process.arch}`;
const platform = stage(name, join(here, 'platforms', name), ['package.json']);
mkdirSync(join(platform, 'bin'));
const program = join(platform, 'bin/plinth');
copyFileSync(binary, program);
chmodSync(program, 0o755);
// Without debug information, the size of a debug build is half; the profile dist has none.
spawnSync('strip', [program], { stdio: 'ignore' });
console.log(pack(main));
console.log(packPlatform(platform));

function stage(directory, source, files) {
  // npm expects this name in the archive.
  const staged = join(out, 'staging', directory, 'package');
  mkdirSync(staged, { recursive: true });
  for (const file of files) cpSync(join(source, file), join(staged, file), { recursive: true });
  for (const file of LICENSES) copyFileSync(join(root, file), join(staged, file));
  return staged;
}

function pack(directory) {
  const options = { cwd: directory, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] };
  const [{ filename }] = JSON.parse(execFileSync('npm', ['pack', '--json', '--pack-destination', out], options));
  return join(out, filename);
}

/** As `npm pack` does it, which has no setting for the compression: much of the time of a build in tests. */
function packPlatform(directory) {
  const { version } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  const [file, archive] = [join(out, `plinth-${name}-${version}.tgz`), join(out, 'staging/platform.tar')];
  execFileSync('tar', ['-cf', archive, '-C', dirname(directory), 'package']);
  writeFileSync(file, gzipSync(readFileSync(archive), { level: Number(values.level) }));
  return file;
}
