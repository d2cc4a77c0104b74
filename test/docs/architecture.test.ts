import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { tracked } from '../support/tracked.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');

interface Module {
  /** From `packages/`, such as `cli/src/main.ts`; within the relay from its src, such as `features/form_token/token.ts`. */
  readonly path: string;
  /** Without comments. */
  readonly code: string;
  /** Files as paths from src, packages as written. Types count too. */
  readonly imports: readonly string[];
}

function modulesIn(folder: string): readonly Module[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !/(^|\/)built\//.test(path))
    .map((path) => {
      const code = readFileSync(join(root, folder, path), 'utf8').replaceAll(
        /\/\*.*?\*\/|^\s*\/\/[^\n]*/gms,
        '',
      );
      const written = [...code.matchAll(/(?:\bfrom |\bimport\(|\bimport )'([^']+)'/g)].map(
        ([, to = '']) => to,
      );
      const imports = written.map((to) => (to.startsWith('.') ? join(dirname(path), to) : to));
      return { path, code, imports };
    });
}

/** The packages that each package imports. Each imports only those before it, so they form no cycle. */
const packagesImported = {
  element: [],
  relay: ['element'],
  'mail-dns': ['relay'],
  learning: ['relay'],
  page: ['relay'],
  studio: ['element', 'relay'],
  stored: ['relay'],
  inbox: ['learning', 'relay', 'stored', 'studio'],
  cli: ['inbox', 'learning', 'mail-dns', 'page', 'relay', 'stored', 'studio'],
};

const relay = modulesIn('packages/relay/src');
/** The new packages have rules of their own (test/core/architecture.test.ts). */
const packages = modulesIn('packages').filter(({ path }) =>
  Object.hasOwn(packagesImported, path.split('/', 1)[0] ?? ''),
);

const isIn = (folder: string) => (path: string) => path.startsWith(`${folder}/`);

/** `importer -> imported`, for every import that is not allowed. */
const imports = (modules: readonly Module[], forbidden: (from: string, to: string) => boolean) =>
  modules.flatMap(({ path, imports }) =>
    imports.filter((to) => forbidden(path, to)).map((to) => `${path} -> ${to}`),
  );

/** What Node's modules have that reaches nothing outside. */
const harmless: Readonly<Record<string, readonly string[]>> = {
  'node:buffer': ['isUtf8'],
  'node:crypto': [
    'createCipheriv',
    'createDecipheriv',
    'createHash',
    'createHmac',
    'createPrivateKey',
    'createPublicKey',
    'hash',
    'hkdfSync',
    'sign',
    'timingSafeEqual',
    'verify',
  ],
  'node:net': ['BlockList', 'isIP', 'isIPv4', 'isIPv6'],
  'node:path': ['basename', 'dirname', 'isAbsolute', 'join', 'posix'],
  'node:url': ['domainToASCII'],
  'node:vm': ['vm'],
  'node:zlib': ['crc32', 'deflateRawSync', 'inflateRawSync'],
};

const world =
  /(?<!socket\.)\b(?:process|performance|fetch(?!-)|crypto|globalThis|Worker|WebSocket|require|eval|set(?:Timeout|Interval|Immediate))\b|\bDate\.now\b|\bDate\(\)|\bMath\.random\b|\} = (?:Date|Math)\b|\bconsole\.(?=\w)|\bimport\.meta\b/g;

/** What in a module's code reaches the clock, chance, the process, other threads, files or the network. */
function outsideWorld(code: string): readonly string[] {
  const statement = /^import (type )?(.+?) from '([^']+)';$/gms;
  const rest = code.replaceAll(statement, (whole, type, names, from) => {
    const values = names.replaceAll(/\btype \w+/g, '').match(/\w+/g) ?? [];
    const isHarmless = values.every((name: string) => harmless[from]?.includes(name));
    return type || isHarmless ? '' : whole;
  });
  const imported = [...rest.matchAll(/(?:\bfrom |\bimport\(|\bimport )'([^']+)'/g)].map(
    ([, name = '']) => name,
  );
  return [...(rest.match(world) ?? []), ...imported.filter((name) => isBuiltin(name))];
}

/** From the top floor down. A file or folder imports what stands below it, or beside it in its own folder. */
const floors: readonly (readonly string[])[] = [
  ['index.ts'],
  ['runtimes'],
  ['relay.ts'],
  ['send_test'],
  ['dry_run'],
  ['telling/metrics'],
  ['keeping'],
  ['street'],
  ['telling'],
  ['config'],
  ['features'],
  ['pages'],
  ['api_urls.ts'],
  ['form.ts'],
  ['outputs'],
  ['fields'],
  ['memory'],
  ['counting'],
  ['keeping/stores'],
  ['transports'],
  ['bodies'],
  ['schema'],
  ['base', 'messages'],
];

/** The longest of the floors' names that a path begins with. */
const room = (path: string) =>
  floors
    .flat()
    .filter((name) => path === name || path.startsWith(`${name}/`))
    .reduce((longest, name) => (name.length > longest.length ? name : longest), '');
const floorOf = (path: string) => floors.findIndex((rooms) => rooms.includes(room(path)));

/** The files that a file leads back to, through others. */
function circles(): readonly string[] {
  const importsOf = new Map(packages.map(({ path, imports }) => [path, imports]));
  return packages.flatMap(({ path }) => {
    const seen = new Set<string>();
    const open = [...(importsOf.get(path) ?? [])];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (next === path) return [path];
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(...(importsOf.get(next) ?? []));
    }
    return [];
  });
}

describe('invariants', () => {
  test('1. what imports stands above what it imports', () => {
    const isUpwards = (from: string, to: string) =>
      /\.tsx?$/.test(to) &&
      !to.startsWith('..') &&
      room(from) !== room(to) &&
      floorOf(to) < floorOf(from) &&
      !isBeside(from, to);
    // The two of the ground know each other.
    const isBeside = (from: string, to: string) =>
      [room(from), room(to)].every((name) => ['base', 'messages'].includes(name));
    expect(imports(relay, isUpwards)).toEqual([]);
    expect(relay.filter(({ path }) => floorOf(path) < 0)).toEqual([]);
  });

  test('1. packages import each other by name, in one direction, and only what is exported', () => {
    const owner = (path: string) => path.split('/', 1)[0] ?? '';
    expect(imports(packages, (from, to) => /\.tsx?$/.test(to) && owner(from) !== owner(to))).toEqual([]);
    const order = Object.keys(packagesImported);
    const imported = order.map((name) => {
      const modules = packages.filter(({ path }) => owner(path) === name);
      const others = modules.flatMap(({ imports }) => imports.filter((to) => to.startsWith('@form-relay/')));
      return [name, [...new Set(others.map((to) => to.split('/')[1]))].toSorted()];
    });
    expect(Object.fromEntries(imported)).toEqual(packagesImported);
    expect(new Set(packages.map(({ path }) => owner(path)))).toEqual(new Set(order));
    const cycles = Object.entries(packagesImported).flatMap(([name, others]) =>
      others
        .filter((other) => order.indexOf(other) >= order.indexOf(name))
        .map((other) => `${name} -> ${other}`),
    );
    expect(cycles).toEqual([]);
    const shown = [...page.matchAll(/^\| \[[\w-]+\]\(packages\/([\w-]+)\)/gm)].map(([, name]) => name);
    expect(shown).toEqual(order);
  });

  test('1. the relay offers only names that another package imports', () => {
    const list = /^(?:import|export) (?:type )?\{([^}]*)\} from '([^']+)';$/gm;
    const named = ({ code }: Module) =>
      [...code.matchAll(list)].flatMap(([, names = '', from = '']) =>
        [...names.matchAll(/(\w+)(?: as \w+)?(?=,|\s*$)/g)].map(([, name]) => ({ name, from })),
      );
    const imported = new Set(packages.flatMap(named).map(({ name, from }) => `${from} ${name}`));
    const offered = packages
      .filter(({ path }) => isIn('relay/exports')(path))
      .flatMap((module) =>
        named(module).map(({ name }) => `@form-relay/relay/${basename(module.path, '.ts')} ${name}`),
      );
    expect(offered.length).toBeGreaterThan(100);
    expect(offered.filter((name) => !imported.has(name))).toEqual([]);
  });

  test('2. no file leads back to itself, types included', () => {
    expect(circles()).toEqual([]);
  });

  test.each(['outputs', 'fields', 'features/captcha'])(
    '3. only the index of %s imports the single ones',
    (folder) => {
      const index = relay.find(({ path }) => path === `${folder}/index.ts`);
      const single = index?.imports.filter(isIn(folder)) ?? [];
      expect(single).not.toEqual([]);
      expect(imports(relay, (from, to) => from !== index?.path && single.includes(to))).toEqual([]);
    },
  );

  test.each([
    ['nodemailer', 'relay/src/transports'],
    ['pdfkit', 'relay/src/transports/pdf'],
    ['bidi-js', 'relay/src/transports/pdf'],
    ['@nats-io', 'relay/src/keeping/stores/nats'],
    ['js-yaml', 'relay/src/config'],
    ['commander', 'cli/src'],
    ['papaparse', 'cli/src/rules'],
    ['postal-mime', 'cli/src/rules'],
    ['qrcode', 'cli/src'],
    ['@modelcontextprotocol', 'cli/src'],
    ['zod', 'cli/src'],
    ['parse5', 'page/src/check', 'cli/src/rules'],
  ])('4. only what needs it imports %s', (library, ...folders) => {
    const users = imports(packages, (_, to) => to.split('/')[0] === library);
    expect(users).not.toEqual([]);
    expect(users.filter((user) => !folders.some((folder) => isIn(folder)(user)))).toEqual([]);
  });

  test('5. the street touches the outside world through Effects alone', () => {
    const street = packages.filter(
      ({ path }) =>
        /^((relay|page|studio|mail-dns)\/src|cli\/src\/(archive|kept|rules|webhook|doctor))\//.test(path) &&
        !/^(relay\/src\/((relay|index|fields\/pattern\/pattern_thread|base\/uuids|telling\/metrics\/(metrics|metrics_server))\.ts|(transports|keeping\/stores|counting|runtimes)\/)|studio\/src\/(browser\/|(recipes|templates)\.ts))/.test(
          path,
        ),
    );
    const touches = street.flatMap(({ path, code }) => outsideWorld(code).map((what) => `${path}: ${what}`));
    expect([...new Set(touches)].toSorted()).toEqual([
      'relay/src/base/soon.ts: setImmediate',
      'relay/src/base/soon.ts: setTimeout',
      'relay/src/schema/lists/keyed_hash.ts: crypto',
      'relay/src/schema/lists/keyed_hash.ts: node:crypto',
      'relay/src/telling/journal/open_journal.ts: setTimeout',
      'relay/src/telling/log.ts: setTimeout',
      'relay/src/telling/pretty_format.ts: node:util',
      'relay/src/telling/stderr.ts: node:fs',
      'relay/src/telling/stderr.ts: process',
    ]);
  });

  test('6. packages import nothing from outside themselves but the version', () => {
    expect(imports(packages, (_, to) => to.startsWith('..'))).toEqual([
      'relay/src/base/version.ts -> ../package.json',
    ]);
  });

  test('7. no Unicode property stands in the literal of a regular expression that Lambda loads', () => {
    const literal = /(?<![\\`])\\p\{/;
    const users = relay.filter(({ path, code }) => literal.test(code) && !path.startsWith('dry_run/'));
    expect(users.map(({ path }) => path)).toEqual([]);
  });
});

test('the map shows the floors as they are held here, and every folder of src stands on one', () => {
  const rows = [...page.matchAll(/^\| (`[^|]*) \|/gm)].map(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+?)\/?`/g)].map(([, name = '']) => name),
  );
  expect(rows.slice(0, floors.length)).toEqual(floors);
});

test('every folder of the repository has its place in the table', () => {
  const [, table = ''] = /^## Around the packages$(.*?)^## /ms.exec(page) ?? [];
  const named = [...table.matchAll(/\]\(([\w-]+)\)/g)].map(([, name]) => name);
  const folders = tracked.filter((path) => /^[^.].*\//.test(path)).map((path) => path.split('/', 1)[0]);
  expect([...named, 'packages'].toSorted()).toEqual([...new Set(folders)].toSorted());
});

const papers = tracked.filter((path) => /^((docs|examples)\/.*|[^/]*)\.md$/.test(path));

test.each(papers)('%s names only files that exist', (paper) => {
  const text = readFileSync(join(root, paper), 'utf8');
  const links = [...text.matchAll(/\]\((?!https?:|tel:|#)([^)#]+)/g)].map(([, to = '']) =>
    join(dirname(paper), to),
  );
  const paths = [...text.matchAll(/`((?:packages|test|scripts|docs|examples)\/[\w./-]+)`/g)].map(
    ([, to = '']) => to,
  );
  const missing = [...links, ...paths].filter(
    (path) => !existsSync(join(root, path)) && !/\/(dist|built)\b/.test(path),
  );
  expect(missing.map((path) => relative('', path))).toEqual([]);
});
