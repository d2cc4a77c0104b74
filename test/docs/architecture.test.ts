import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');

interface Module {
  /** From src, such as `checks/token.ts`. */
  readonly path: string;
  /** Without comments. */
  readonly code: string;
  /** Files as paths from src, packages as written. Types count too. */
  readonly imports: readonly string[];
}

const modules: readonly Module[] = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => {
    const code = readFileSync(join(root, 'src', path), 'utf8').replaceAll(
      /\/\*.*?\*\/|^\s*\/\/[^\n]*/gms,
      '',
    );
    const written = [...code.matchAll(/(?:\bfrom |\bimport\(|\bimport )'([^']+)'/g)].map(([, to = '']) => to);
    return {
      path,
      code,
      imports: written.map((to) => (to.startsWith('.') ? join(dirname(path), to) : to)),
    };
  });

const isIn = (folder: string) => (path: string) => path.startsWith(`${folder}/`);

/** `importer -> imported`, for every import that is not allowed. */
const imports = (forbidden: (from: string, to: string) => boolean): readonly string[] =>
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
    const isHarmless = names.match(/\w+/g).every((name: string) => harmless[from]?.includes(name));
    return type || isHarmless ? '' : whole;
  });
  const imported = [...rest.matchAll(/(?:\bfrom |\bimport\(|\bimport )'([^']+)'/g)].map(
    ([, name = '']) => name,
  );
  return [...(rest.match(world) ?? []), ...imported.filter((name) => isBuiltin(name))];
}

/** From the top floor down. A file or folder imports what stands below it, or beside it in its own folder. */
const floors: readonly (readonly string[])[] = [
  ['tools'],
  ['index.ts'],
  ['runtimes'],
  ['relay.ts'],
  ['metrics'],
  ['keeping'],
  ['street'],
  ['observers', 'answers'],
  ['views'],
  ['checks', 'gates'],
  ['config'],
  ['form.ts'],
  ['visitor_mails'],
  ['outputs'],
  ['signals'],
  ['fields', 'captchas'],
  ['memory'],
  ['stores'],
  ['transports'],
  ['bodies'],
  ['settings'],
  ['schema'],
  ['template'],
  ['lists'],
];

/** The first part of a path from src: a folder, or a file that stands alone. */
const room = (path: string) => path.split('/', 1)[0] ?? '';
/** Files that no floor names are the ground: the nouns that everybody may import. */
const floorOf = (path: string) => floors.findIndex((rooms) => rooms.includes(room(path)));
const isGround = (path: string) => floorOf(path) < 0;

/** The files that a file leads back to, through others. */
function circles(): readonly string[] {
  const importsOf = new Map(modules.map(({ path, imports }) => [path, imports]));
  return modules.flatMap(({ path }) => {
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
  test('1. what imports stands above what it imports, and nobody imports the tools', () => {
    const isFile = (path: string) => path.endsWith('.ts');
    const isUpwards = (from: string, to: string) => {
      if (!isFile(to) || room(from) === room(to)) return false;
      return isGround(from) ? !isGround(to) : !isGround(to) && floorOf(to) <= floorOf(from);
    };
    expect(imports(isUpwards)).toEqual([]);
  });

  test('2. no file leads back to itself, types included', () => {
    expect(circles()).toEqual([]);
  });

  test.each(['outputs', 'fields', 'captchas'])(
    '3. only the index of %s imports the single ones',
    (folder) => {
      const index = modules.find(({ path }) => path === `${folder}/index.ts`);
      expect(index?.imports).not.toEqual([]);
      expect(imports((from, to) => from !== index?.path && !!index?.imports.includes(to))).toEqual([]);
    },
  );

  test.each([
    ['undici', 'transports'],
    ['nodemailer', 'transports'],
    ['@nats-io', 'stores/nats'],
    ['js-yaml', 'config'],
    ['commander', 'tools/cli'],
    ['parse5', 'tools/page_check'],
  ])('4. only what needs it imports %s', (library, folder) => {
    const users = imports((_, to) => to.split('/')[0] === library);
    expect(users).not.toEqual([]);
    expect(users.filter((user) => !isIn(folder)(user))).toEqual([]);
  });

  test('5. the street touches the outside world through Effects alone', () => {
    const street = modules.filter(
      ({ path }) =>
        !/^((relay|index|pattern_thread|uuids|metrics\/(own_process|server))\.ts|(views|tools\/playground)\/(browser|element|files|guard|steps)(_code\.ts|\/)|(transports|stores|runtimes|tools\/(cli|conformance))\/)/.test(
          path,
        ),
    );
    const touches = street.flatMap(({ path, code }) => outsideWorld(code).map((what) => `${path}: ${what}`));
    expect([...new Set(touches)].toSorted()).toEqual([
      'in_time.ts: setTimeout',
      'lists/keyed_hash.ts: crypto',
      'lists/keyed_hash.ts: node:crypto',
      'observers/line_writer.ts: setTimeout',
      'observers/pretty_format.ts: node:util',
      'observers/stderr.ts: node:fs',
      'observers/stderr.ts: process',
      'turns.ts: setImmediate',
    ]);
  });

  test.each([
    'const now = Date.now;',
    'const at = new Date();',
    'const { env } = process;',
    'performance.now()',
    'setTimeout(next, 5)',
    'const { random } = Math;',
    'const get = fetch;',
    'crypto.randomUUID()',
    "console.log('x')",
    "new Worker('./x.ts')",
    "import { connect } from 'node:net';",
    "import { connect, isIP } from 'node:net';",
    "import net from 'node:net';",
    "import * as net from 'node:net';",
    "import { readFile } from 'fs/promises';",
    "await import('node:fs')",
  ])('5. %s touches it', (code) => {
    expect(outsideWorld(code)).not.toEqual([]);
  });

  test('6. src imports nothing from outside itself but its version', () => {
    expect(imports((_, to) => to.startsWith('..'))).toEqual(['version.ts -> ../package.json']);
  });

  test('7. no Unicode property stands in the literal of a regular expression that Lambda loads', () => {
    const literal = /(?<![\\`])\\p\{/;
    const elsewhere = /^(tools|views\/(browser|element))\//;
    const users = modules.filter(({ path, code }) => literal.test(code) && !elsewhere.test(path));
    expect(users.map(({ path }) => path)).toEqual([]);
  });
});

test('the map shows the floors as they are held here, and every folder of src stands on one', () => {
  const rows = [...page.matchAll(/^\| (`[^|]*) \|/gm)].map(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+?)\/?`/g)].map(([, name = '']) => name),
  );
  expect(rows).toEqual(floors);
  const folders = readdirSync(join(root, 'src')).filter((name) => !name.endsWith('.ts'));
  expect(folders.filter((name) => !floors.flat().includes(name))).toEqual(['messages']);
});

test('every folder of the repository has its place in the table', () => {
  const [, table = ''] = /^## Around `src`$(.*?)^## /ms.exec(page) ?? [];
  const named = [...table.matchAll(/\]\(([\w-]+)\)/g)].map(([, name]) => name);
  const ignored = readFileSync(join(root, '.gitignore'), 'utf8').split('\n');
  const folders = readdirSync(root, { withFileTypes: true })
    .filter((one) => one.isDirectory() && !one.name.startsWith('.') && !ignored.includes(`${one.name}/`))
    .map(({ name }) => name);
  expect([...named, 'src'].toSorted()).toEqual(folders.toSorted());
});

const markdownIn = (folder: string, recursive = true) =>
  readdirSync(join(root, folder), { recursive, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => join(folder, path));

const papers = [...markdownIn('.', false), ...markdownIn('docs'), ...markdownIn('examples')];

test.each(papers)('%s names only files that exist', (paper) => {
  const text = readFileSync(join(root, paper), 'utf8');
  const links = [...text.matchAll(/\]\((?!https?:|tel:|#)([^)#]+)/g)].map(([, to = '']) =>
    join(dirname(paper), to),
  );
  const paths = [...text.matchAll(/`((?:src|test|scripts|docs|examples)\/[\w./-]+)`/g)].map(
    ([, to = '']) => to,
  );
  const missing = [...links, ...paths].filter((path) => !existsSync(join(root, path)));
  expect(missing.map((path) => relative('', path))).toEqual([]);
});
