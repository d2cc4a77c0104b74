/** The sites: installed, filled with what the relay prints, and built for production as their owners would. */
import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { err } from '../../packages/base/src/result.ts';
import type { Form } from '../../packages/core/src/form.ts';
import { inspectConfig } from '../../packages/runtimes/src/inspect.ts';
import { pasteSnippets, printMark } from './paste.ts';

export const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../..');
const require = createRequire(import.meta.url);
const run = promisify(execFile);

export interface Site {
  readonly name: string;
  /** Builds it in this folder, and says where in it the pages are. Without it, the sources are the site. */
  readonly build?: (folder: string) => Promise<string>;
  /** The paths of its pages with a form. */
  readonly pages: readonly string[];
}

const generator =
  (program: string, args: readonly string[], output: string): NonNullable<Site['build']> =>
  async (folder) => {
    const path = `${join(here, 'node_modules/.bin')}${delimiter}${process.env.PATH}`;
    const env = { ...process.env, PATH: path, ASTRO_TELEMETRY_DISABLED: '1', LC_ALL: 'C.UTF-8' };
    await run(program, args, { cwd: folder, env });
    return join(folder, output);
  };

const withHtmx =
  (name: 'htmx2' | 'htmx4'): NonNullable<Site['build']> =>
  async (folder) => {
    await cp(require.resolve(`${name}/dist/htmx.min.js`), join(folder, 'htmx.min.js'));
    return folder;
  };

export const sites: readonly Site[] = [
  { name: 'plain', pages: ['tag', 'printed', 'own', 'module'] },
  { name: 'htmx2', build: withHtmx('htmx2'), pages: ['load'] },
  { name: 'htmx4', build: withHtmx('htmx4'), pages: ['load'] },
  {
    name: 'hugo',
    build: generator('hugo', ['--minify', '--quiet'], 'public'),
    pages: ['tag', 'printed', 'layout', 'own'],
  },
  {
    name: 'jekyll',
    build: generator('jekyll', ['build', '--quiet'], '_site'),
    pages: ['tag', 'printed', 'own'],
  },
  { name: 'astro', build: generator('astro', ['build'], 'dist'), pages: ['tag', 'printed', 'own'] },
  {
    name: 'eleventy',
    build: generator('eleventy', ['--quiet'], '_site'),
    pages: ['tag', 'markdown', 'printed', 'own'],
  },
  ...['vite-react', 'vite-vue', 'vite-svelte'].map((name) => ({
    name,
    build: generator('vite', ['build', '--logLevel', 'error'], 'dist'),
    pages: ['tag', 'printed', 'own'],
  })),
];

/** Where generators that npm does not have come from. */
const debian = ['hugo', 'jekyll'];

/** Installs what is missing, and nothing else. */
export async function install(wanted: readonly Site[]): Promise<void> {
  const lock = join(here, 'node_modules/.package-lock.json');
  if (!existsSync(lock) || (await readFile(lock, 'utf8')).length === 0) {
    console.log('Installing the generators in lab/site-generators/node_modules …');
    // `npm ci` refuses a lock file without packages for other platforms, which not every registry has.
    const args = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
    await run('npm', args, { cwd: here });
  }
  const own = join(here, 'node_modules/form-relay');
  if (!existsSync(own)) await symlink(root, own, 'dir');
  const missing = debian.filter((name) => wanted.some((site) => site.name === name) && !isInstalled(name));
  if (missing.length === 0) return;
  const command = `apt-get install -y --no-install-recommends ${missing.join(' ')}`;
  if (process.getuid?.() !== 0) throw new Error(`missing: ${missing.join(', ')}. As root: ${command}`);
  console.log(`${command} …`);
  await run('sh', ['-c', `apt-get update -q && DEBIAN_FRONTEND=noninteractive ${command}`]);
}

function isInstalled(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** The folder with the pages of a site that is built for this relay. */
export async function build(site: Site, relay: string, config: string): Promise<string> {
  const folder = join(here, '.build', site.name);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await cp(join(here, site.name), folder, { recursive: true });
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) await fillIn(join(entry.parentPath, entry.name), relay, config);
  }
  return (await site.build?.(folder)) ?? folder;
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
  // The page has the htmx that is installed here.
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
