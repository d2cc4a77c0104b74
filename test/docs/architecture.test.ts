import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { seams } from '../../packages/core/src/internal.ts';
import { tracked } from '../support/tracked.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');

interface Module {
  /** Relative to `packages/` or `apps/`, such as `cli/src/main.ts`. */
  readonly path: string;
  /** Without comments. */
  readonly code: string;
  /** Files as paths relative to `packages/`, packages as written. Includes type imports. */
  readonly imports: readonly string[];
}

function modulesIn(folder: string): readonly Module[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !/(^|\/)(built|node_modules|test)\//.test(path))
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

const packages = [...modulesIn('packages'), ...modulesIn('apps')];
const ownerOf = (path: string) => path.split('/', 1)[0] ?? '';

const isIn = (folder: string) => (path: string) => path.startsWith(`${folder}/`);

test('each class in a stylesheet is used by code', () => {
  const units = readdirSync(join(root, 'catalogue'))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(root, 'catalogue', file), 'utf8'));
  const all = [...packages.map(({ code }) => code), ...units].join('\n');
  // The editor's own classes, and those derived from a `width`, a code's name or a colour's number.
  const others = /^(cm|tok)-|^field-(third|two-thirds)$|^form-receipt$|^badge-[1-7]$/;
  const unused = ['packages', 'apps'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /(src|app)\/.*\.css$/.test(path) && !path.includes('node_modules'))
      .flatMap((path) => {
        const rules = readFileSync(join(root, folder, path), 'utf8').replaceAll(/\/\*.*?\*\//gs, '');
        return [...rules.matchAll(/\.([a-z][\w-]+)/gi)].map(([, name = '']) => `${path}: ${name}`);
      })
      .filter((found) => {
        const [, name = ''] = found.split(': ');
        return !others.test(name) && !new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(all);
      }),
  );
  expect(unused).toEqual([]);
});

/** `importer -> imported` for every forbidden import. */
const imports = (modules: readonly Module[], forbidden: (from: string, to: string) => boolean) =>
  modules.flatMap(({ path, imports }) =>
    imports.filter((to) => forbidden(path, to)).map((to) => `${path} -> ${to}`),
  );

/** Members of Node's modules that have no side effects. */
const harmless: Readonly<Record<string, readonly string[]>> = {
  'node:buffer': ['isUtf8'],
  'node:crypto': [
    ...['createCipheriv', 'createDecipheriv', 'createHash', 'createHmac', 'createPrivateKey'],
    ...['createPublicKey', 'hash', 'hkdfSync', 'sign', 'timingSafeEqual', 'verify'],
  ],
  'node:net': ['BlockList', 'isIP', 'isIPv4', 'isIPv6'],
  'node:path': ['basename', 'dirname', 'isAbsolute', 'join', 'posix'],
  'node:url': ['domainToASCII'],
  'node:vm': ['vm'],
  'node:zlib': ['crc32', 'deflateRawSync', 'inflateRawSync'],
};

const world =
  /(?<!socket\.)\b(?:process|performance|fetch(?!-)|crypto|globalThis|Worker|WebSocket|require|eval|set(?:Timeout|Interval|Immediate))\b|\bDate\.now\b|\bDate\(\)|\bMath\.random\b|\} = (?:Date|Math)\b|\bconsole\.(?=\w)|\bimport\.meta\b/g;

/** Uses of the clock, randomness, the process, threads, files or the network in a module's code. */
function outsideWorld(code: string): readonly string[] {
  const statement = /^import (type )?(.+?) from '([^']+)';$/gms;
  // Functions that the core takes from Node on first use: hashes, and IP addresses.
  const late = /\bprocess\.getBuiltinModule\('node:(?:crypto|net)'\)|\bcrypto(?=\(\)| = \(\))/g;
  const rest = code.replaceAll(late, '').replaceAll(statement, (whole, type, names, from) => {
    const values = names.replaceAll(/\btype \w+/g, '').match(/\w+/g) ?? [];
    const isHarmless = values.every((name: string) => harmless[from]?.includes(name));
    return type || isHarmless ? '' : whole;
  });
  const imported = [...rest.matchAll(/(?:\bfrom |\bimport\(|\bimport )'([^']+)'/g)].map(
    ([, name = '']) => name,
  );
  return [...(rest.match(world) ?? []), ...imported.filter((name) => isBuiltin(name))];
}

describe('rules', () => {
  test('1. packages import each other by name, in one direction, as in the table', () => {
    const isInside = (to: string) => /\.tsx?$/.test(to) && !to.startsWith('..');
    expect(imports(packages, (from, to) => isInside(to) && ownerOf(from) !== ownerOf(to))).toEqual([]);
    const others = new Map<string, Set<string>>();
    for (const { path, imports } of packages) {
      // The list of bundled plug-ins loads any package.
      if (path === 'runtimes/src/bundled.ts') continue;
      const named = imports.filter((to) => to.startsWith('@form-relay/')).map((to) => to.split('/')[1] ?? '');
      others.set(ownerOf(path), new Set([...(others.get(ownerOf(path)) ?? []), ...named]));
    }
    const rows = [...page.matchAll(/^\| (\[[\w-]+\]\((?:packages|apps)\/.*?) \|/gm)].map(([, cell = '']) =>
      [...cell.matchAll(/\((?:packages|apps)\/([\w-]+)\)/g)].map(([, name = '']) => name),
    );
    expect(rows.flat().toSorted()).toEqual([...others.keys()].toSorted());
    const rowOf = (name: string) => rows.findIndex((row) => row.includes(name));
    const upwards = [...others].flatMap(([name, imported]) =>
      [...imported].filter((to) => rowOf(to) > rowOf(name)).map((to) => `${name} -> ${to}`),
    );
    expect(upwards).toEqual([]);
  });

  test.each([
    ['nodemailer', 'clients/src'],
    ['pdfkit', 'more-outputs/src/pdf'],
    ['bidi-js', 'more-outputs/src/pdf'],
    ['@nats-io', 'stores/src/nats'],
    ['js-yaml', 'yaml/src'],
    ['commander', 'cli/src'],
    ['@modelcontextprotocol', 'mcp/src', 'cli/src'],
    ['zod', 'mcp/src'],
    ['parse5', 'page/src/check'],
  ])('only code that needs it imports %s', (library, ...folders) => {
    const users = imports(packages, (_, to) => to.split('/')[0] === library);
    expect(users).not.toEqual([]);
    expect(users.filter((user) => !folders.some((folder) => isIn(folder)(user)))).toEqual([]);
  });

  test('5. code that takes submissions touches the outside world only through Services', () => {
    const pipeline = packages.filter(({ path }) =>
      // Commands run in a terminal.
      /^(base|schema|yaml|core|config|plugin-host|pages|spam|senders|more-fields)\/src\/(?!.*(command|terminal)\.ts$)/.test(
        path,
      ),
    );
    const touches = pipeline.flatMap(({ path, code }) =>
      outsideWorld(code).map((what) => `${path}: ${what}`),
    );
    expect([...new Set(touches)].toSorted()).toEqual([
      'base/src/text_file.ts: node:fs',
      'base/src/text_file.ts: node:util',
      'base/src/with_timeout.ts: setTimeout',
      // An alias of the key `required`.
      'core/src/fields/field.ts: require',
      // A word in its descriptions.
      'core/src/settings.ts: require',
      // A new nonce for each `kit.seal`, which has no access to services.
      'plugin-host/src/kit.ts: crypto',
      'plugin-host/src/kit.ts: globalThis',
      'plugin-host/src/kit.ts: node:crypto',
      // A word in its message.
      'plugin-host/src/kit.ts: process',
      'plugin-host/src/load_plugins.ts: node:fs',
      'plugin-host/src/load_plugins.ts: node:module',
      'plugin-host/src/load_plugins.ts: node:path',
      'plugin-host/src/load_plugins.ts: node:url',
      // Node's own, for resolving packages.
      'plugin-host/src/load_plugins.ts: require',
      // A word in its descriptions.
      'senders/src/receipt/index.ts: require',
      'spam/src/lists/read_list.ts: setImmediate',
    ]);
  });

  test('each seam is in the table, with the single package that uses it', () => {
    const rows = [...page.matchAll(/^\| (`[^|]*`) \| ([\w-]+) \| [^|]+ \|$/gm)].flatMap(
      ([, names = '', user]) => [...names.matchAll(/`(\w+)`/g)].map(([, name]) => `${name}: ${user}`),
    );
    // Code that passes them on, or reads them from all plug-ins.
    const bundled = packages.filter(
      ({ path }) => !/^(core|config|plugin-host|runtimes|dry-run)\//.test(path),
    );
    const usersOf = (name: string) =>
      bundled.flatMap(({ path, code }) => {
        const taken = /(?:const )?\{[^{}]*\}(?=:? [\w ]*[=,)]|\) =>| = \w)/g;
        return new RegExp(`(?<![.\\w])${name}(?:: |,\n|\\()`).test(code.replaceAll(taken, ''))
          ? ownerOf(path)
          : [];
      });
    expect(seams.length).toBeLessThanOrEqual(15);
    const found = seams.flatMap((name) => [...new Set(usersOf(name))].map((user) => `${name}: ${user}`));
    expect(found.toSorted()).toEqual(rows.toSorted());
  });

  test('packages import nothing from outside themselves except the version', () => {
    expect(imports(packages, (_, to) => to.startsWith('..'))).toEqual([
      'base/src/version.ts -> ../package.json',
      'inbox/vite.config.ts -> ../scripts/bundled_licences.ts',
      'studio/build.ts -> ../scripts/bundled_licences.ts',
    ]);
  });
});

test('every folder of the repository is on the page', () => {
  const [, text = ''] = /^(Beside the packages: .*?)^## /ms.exec(page) ?? [];
  const named = [...text.matchAll(/\]\(([\w-]+)\)/g)].map(([, name]) => name);
  const folders = tracked.filter((path) => /^[^.].*\//.test(path)).map((path) => path.split('/', 1)[0]);
  expect([...named, 'apps', 'catalogue', 'packages'].toSorted()).toEqual([...new Set(folders)].toSorted());
});

const papers = tracked.filter((path) => /^((docs|examples)\/.*|[^/]*)\.md$/.test(path));

test.each(papers)('%s names only existing files', (paper) => {
  const text = readFileSync(join(root, paper), 'utf8');
  const links = [...text.matchAll(/\]\((?!https?:|tel:|#)([^)#]+)/g)].map(([, to = '']) =>
    join(dirname(paper), to),
  );
  const paths = [...text.matchAll(/`((?:packages|apps|test|scripts|docs|examples)\/[\w./-]+)`/g)].map(
    ([, to = '']) => to,
  );
  const missing = [...links, ...paths].filter(
    (path) => !existsSync(join(root, path)) && !/\/(dist|built)\b/.test(path),
  );
  expect(missing.map((path) => relative('', path))).toEqual([]);
});

const readmes = tracked.filter((path) => /^(packages|apps)\/[\w-]+\/README\.md$/.test(path));

test.each(readmes)('%s names existing files and folders', (paper) => {
  const named = readFileSync(join(root, paper), 'utf8').matchAll(/`(?:[\w-]+\/)*([\w-]+(?:\.tsx?|\/))`/g);
  const missing = [...named]
    .map(([, name = '']) => name)
    .filter((name) => name !== 'built/' && !tracked.some((path) => path.includes(`/${name}`)));
  expect(missing).toEqual([]);
});
