import { existsSync, readdirSync, readFileSync } from 'node:fs';
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
    const code = readFileSync(join(root, 'src', path), 'utf8').replaceAll(/\/\*.*?\*\/|^\s*\/\/.*$/gms, '');
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

describe('invariants', () => {
  test('1. checks and outputs do not know each other', () => {
    expect(imports((from, to) => isIn('checks')(from) && isIn('outputs')(to))).toEqual([]);
    expect(imports((from, to) => isIn('outputs')(from) && isIn('checks')(to))).toEqual([]);
  });

  test('2. only app.ts imports respond.ts', () => {
    expect(imports((_, to) => to === 'respond.ts')).toEqual(['app.ts -> respond.ts']);
  });

  test.each(['outputs', 'fields', 'captchas'])(
    '3. only the index of %s imports the single ones',
    (folder) => {
      const index = modules.find(({ path }) => path === `${folder}/index.ts`);
      expect(index?.imports).not.toEqual([]);
      expect(imports((from, to) => from !== index?.path && !!index?.imports.includes(to))).toEqual([]);
    },
  );

  test('4. templates know neither config, outputs, checks nor HTML', () => {
    const others = /^(config|outputs|checks|html)\//;
    expect(imports((from, to) => isIn('template')(from) && others.test(to))).toEqual([]);
  });

  test.each([
    ['undici', 'clients'],
    ['nodemailer', 'clients'],
    ['js-yaml', 'config'],
    ['commander', 'cli'],
    ['parse5', 'page_check'],
  ])('5. only what needs it imports %s', (library, folder) => {
    const users = imports((_, to) => to.split('/')[0] === library);
    expect(users).not.toEqual([]);
    expect(users.filter((user) => !isIn(folder)(user))).toEqual([]);
  });

  test('6. the street touches the outside world through Effects alone', () => {
    const street = modules.filter(
      ({ path }) =>
        !/^(relay\.ts|(html|playground)\/browser(_code\.ts|\/)|(clients|runtimes|cli)\/)/.test(path),
    );
    const world =
      /\b(process\.|Date\.now\(|new Date\(\)|fetch\(|Math\.random|createServer|node:(fs|https|tls|dns|child_process))/;
    expect(street.filter(({ code }) => world.test(code)).map(({ path }) => path)).toEqual([]);
  });

  test('7. runtimes know nothing of the street', () => {
    const street =
      /^(submit|respond|form|outcome)\.ts|^(checks|outputs|fields|captchas|template|config|html)\//;
    expect(imports((from, to) => isIn('runtimes')(from) && street.test(to))).toEqual([]);
  });

  test('8. src imports nothing from outside itself but its version', () => {
    expect(imports((_, to) => to.startsWith('..'))).toEqual(['version.ts -> ../package.json']);
  });

  test('9. no Unicode property stands in the literal of a regular expression that Lambda loads', () => {
    const literal = /(?<![\\`])\\p\{/;
    const elsewhere = /^(cli|doctor|dry_run|page_check|playground|html\/browser)\//;
    const users = modules.filter(({ path, code }) => literal.test(code) && !elsewhere.test(path));
    expect(users.map(({ path }) => path)).toEqual([]);
  });
});

test('the map names every file and folder of src, and nothing else', () => {
  const named = [...page.matchAll(/^\| `src\/([^`]+?)\/?` \|/gm)].map(([, name]) => name);
  expect(named.toSorted()).toEqual(readdirSync(join(root, 'src')).toSorted());
});

const markdownIn = (folder: string, recursive = true) =>
  readdirSync(join(root, folder), { recursive, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => join(folder, path));

const papers = [...markdownIn('.', false), ...markdownIn('docs'), ...markdownIn('examples')];

test.each(papers)('%s names only files that exist', (paper) => {
  const text = readFileSync(join(root, paper), 'utf8');
  const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, to = '']) =>
    join(dirname(paper), to),
  );
  const paths = [...text.matchAll(/`((?:src|test|scripts|docs|examples)\/[\w./-]+)`/g)].map(
    ([, to = '']) => to,
  );
  const missing = [...links, ...paths].filter((path) => !existsSync(join(root, path)));
  expect(missing.map((path) => relative('', path))).toEqual([]);
});
