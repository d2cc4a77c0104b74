/** The sites: installed, filled with the relay's output, and built for production as their owners would. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { err } from '../../packages/base/src/result.ts';
import type { Form } from '../../packages/core/src/form.ts';
import { inspectConfig } from '../../packages/runtimes/src/inspect.ts';
import { readYaml } from '../../scripts/data.ts';
import { has } from '../../scripts/machine.ts';
import { installed } from '../foreign/debian.ts';
import { pasteSnippets, printMark } from './paste.ts';

export const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../..');
const require = createRequire(import.meta.url);
const run = promisify(execFile);

/** See sites.yaml. */
export interface Site {
  readonly name: string;
  readonly copies?: string;
  readonly command?: string;
  readonly output?: string;
  readonly pages: readonly string[];
}

export const sites = readYaml<readonly Site[]>(join(here, 'sites.yaml'));

/** Generators that are not on npm come from Debian. */
const debian = ['hugo', 'jekyll'];

/** Installs only what is missing. */
export async function install(wanted: readonly Site[]): Promise<void> {
  const lock = join(here, 'node_modules/.package-lock.json');
  if (!existsSync(lock) || (await readFile(lock, 'utf8')).length === 0) {
    console.log('Installing the generators in lab/site-generators/node_modules …');
    // `npm ci` rejects a lock file without packages for other platforms, which not every registry has.
    const args = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
    await run('npm', args, { cwd: here });
  }
  const own = join(here, 'node_modules/form-relay');
  if (!existsSync(own)) await symlink(root, own, 'dir');
  for (const name of debian.filter((name) => wanted.some((site) => site.name === name))) {
    const missing = has(name) ? undefined : await installed(`/usr/bin/${name}`, name);
    if (missing !== undefined) throw new Error(missing);
  }
}

/** The folder with the pages of a site built for this relay. */
export async function build(site: Site, relay: string, config: string): Promise<string> {
  const folder = join(here, '.build', site.name);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await cp(join(here, site.name), folder, { recursive: true });
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) await fillIn(join(entry.parentPath, entry.name), relay, config);
  }
  const { copies, command, output = '' } = site;
  if (copies) await cp(require.resolve(copies), join(folder, basename(copies)));
  if (command) {
    const [program = '', ...args] = command.split(' ');
    const path = `${join(here, 'node_modules/.bin')}${delimiter}${process.env.PATH}`;
    const env = { ...process.env, PATH: path, ASTRO_TELEMETRY_DISABLED: '1', LC_ALL: 'C.UTF-8' };
    await run(program, args, { cwd: folder, env });
  }
  return join(folder, output);
}

async function formOf(config: string): Promise<Form> {
  const readSibling = async () => err('there is none');
  const parsed = await inspectConfig(await readFile(config, 'utf8'), { name: config, readSibling });
  const form = parsed.ok && parsed.value.forms.get('contact');
  if (!form) throw new Error(`${config} does not load`);
  return form;
}

/** Pastes what the studio shows, and what commands print. */
async function fillIn(file: string, relay: string, config: string): Promise<void> {
  const source = await readFile(file, 'utf8');
  // The page loads the htmx version installed here.
  let text = pasteSnippets(source, await formOf(config), relay).replace(
    /https:[^"]*\/htmx\.min\.js/,
    '/htmx.min.js',
  );
  for (const [comment, command = ''] of text.matchAll(printMark)) {
    const args = ['--config', config, ...command.split(' '), '--base-url', relay];
    const { stdout } = await run(process.execPath, [join(root, 'dist/relay.cjs'), ...args]);
    text = text.replace(comment, () => stdout.trimEnd());
  }
  await writeFile(file, text.replaceAll('https://forms.example.com', relay));
}
