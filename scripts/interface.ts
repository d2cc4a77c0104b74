// `npm run interface`: records the types of `form-relay/plugin` in docs/plugins/interface.d.ts. A test compares them.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { interfaceVersion } from '../packages/core/src/plugin.ts';

export const recordPath = 'docs/plugins/interface.d.ts';

const read = (file: string) => readFileSync(new URL(`../dist/${file}`, import.meta.url), 'utf8');

/** The built declarations of everything that `form-relay/plugin` exports or refers to, sorted. */
export function publishedInterface(): string {
  const entry = read('plugin.d.mts');
  const code = [...entry.matchAll(/from "\.\/(.*)\.mjs"/g)]
    .map(([, file]) => read(`${file}.d.mts`))
    .join('\n');
  const exported = [...(/export type \{([^}]*)\}/.exec(entry)?.[1] ?? '').matchAll(/(\w+)(?: as (\w+))?/g)];
  const declared = new Map<string, string[]>();
  for (const one of statementsOf(code))
    for (const name of namesOf(one)) declared.set(name, [...(declared.get(name) ?? []), one]);
  const found = new Set(exported.map(([, name = '']) => name));
  for (const name of found)
    for (const statement of declared.get(name) ?? [])
      for (const [word] of namedIn(bare(statement)).matchAll(/[\w$]+/g))
        if (declared.has(word)) found.add(word);
  const inKit = new Map<string, string>();
  const kit = (declared.get('kit')?.[0] ?? '').replaceAll(/: typeof (\w+);/g, (whole, name: string) => {
    const type = typeIn(declared.get(name)?.[0] ?? '');
    if (type !== undefined) inKit.set(name, type);
    return type === undefined ? whole : `: ${type};`;
  });
  const statements = new Set(
    [...found].flatMap((name) =>
      name === 'kit' ? [kit] : inKit.has(name) ? [] : (declared.get(name) ?? []),
    ),
  );
  const names = exported.map(([, name = '', as = name]) => (as === name ? as : `${name} as ${as}`));
  return [
    `// The interface for plug-ins, version ${interfaceVersion}. \`npm run interface\` writes this file.`,
    ...[...statements]
      .map((one) => short(one.replaceAll(/\$\d+\b/g, '')))
      .toSorted((one, other) => (namesOf(one)[0] ?? '').localeCompare(namesOf(other)[0] ?? '')),
    `export type {\n${wrapped(names.toSorted())}\n};\n`,
  ].join('\n');
}

/**
 * How an interface differs from the recorded one: not at all, in comments only, by additions, or by changes
 * that may break plug-ins.
 */
export interface Change {
  readonly kind: 'none' | 'comments' | 'minor' | 'major';
  readonly breaks: readonly string[];
}

/** A change is major if a name or member is gone, or a plug-in for the record no longer compiles. */
export function changeOf(record: string, published: string): Change {
  if (record === published) return { kind: 'none', breaks: [] };
  const [before, now] = [bare(record), bare(published)];
  if (before === now) return { kind: 'comments', breaks: [] };
  const members = membersOf(published);
  const gone = [...membersOf(record)]
    .filter((member) => !members.has(member))
    .map((one) => `${one} was removed`);
  const breaks = gone.length > 0 ? gone : misfits(before, now);
  return { kind: breaks.length > 0 ? 'major' : 'minor', breaks };
}

/** Exported names, and members of each interface: `Hooks.view`, or `kit…text` in a group. */
export function membersOf(record: string): ReadonlySet<string> {
  const names = [...(/^export type \{([^}]*)\}/m.exec(record)?.[1] ?? '').matchAll(/(\w+),/g)].map(
    ([, name = '']) => name,
  );
  const members = statementsOf(bare(record)).flatMap((one) =>
    [...one.matchAll(/^( {2}| {4})(?:readonly |static |get )*'?([\w~]+)'?\??(?=[:(<])/gm)].map(
      ([, indent = '', member]) => `${namesOf(one)[0]}${indent.length === 2 ? '.' : '…'}${member}`,
    ),
  );
  return new Set([...names, ...members]);
}

/** Makes methods compare strictly, and removes private members, which are never compatible. */
const strict = (code: string) =>
  code
    .replaceAll(/^( +)(?:readonly )?([\w]+)(\??)(<.*>)?\((.*)\): (.*);$/gm, '$1$2$3: $4($5) => $6;')
    .replaceAll('#private;', 'isPrivate: true;');

/** The compiler's errors when a plug-in for one interface is used with the other. */
function misfits(before: string, now: string): readonly string[] {
  const folder = mkdtempSync(resolve('node_modules/.interface-'));
  try {
    writeFileSync(join(folder, 'before.d.ts'), strict(before));
    writeFileSync(join(folder, 'now.d.ts'), strict(now));
    writeFileSync(
      join(folder, 'use.ts'),
      `import type * as before from './before.d.ts'; import type * as now from './now.d.ts';
      export const plugin = (made: before.MakePlugin): now.MakePlugin => made;
      export const output = (made: before.OutputType): now.OutputType => made;
      export const field = (made: before.FieldType): now.FieldType => made;`,
    );
    const options =
      '--noEmit --ignoreConfig --strict --skipLibCheck --module preserve --target es2023 --types node'.split(
        ' ',
      );
    const tsc = resolve('node_modules/typescript/bin/tsc');
    execFileSync(process.execPath, [tsc, ...options, 'use.ts'], { cwd: folder, encoding: 'utf8' });
    return [];
  } catch (error) {
    const { stdout } = error as { readonly stdout: string };
    return stdout.split('\n').filter(Boolean);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const comments = /^ *\/\*\*[\s\S]*?\*\/\n|^ *\/\/.*\n/gm;
const bare = (code: string) => code.replaceAll(comments, '');

/** Statements start in the first column, after their comment. Names of bundled files are not part of them. */
const statementsOf = (code: string) =>
  code
    .replaceAll(/^\/\/#.*\n/gm, '')
    .split(
      /(?<=^(?:\}|[^\s/ ].*[;}])\n)(?=\/\*\*)|^(?=(?:declare|interface|type|import|export)\b)(?<!\*\/\n)/m,
    )
    .map((statement) => statement.trimEnd())
    .filter((statement) => /^(declare|interface|type)\b/m.test(statement));

const namesOf = (statement: string): readonly string[] =>
  [
    ...statement.matchAll(
      /^(?:declare )?(?:abstract )?(?:class|const|function|interface|type) ([\w$]+)|, ([\w$]+): typeof /gm,
    ),
  ].map(([, first, further]) => first ?? further ?? '');

/** Removes names of members and parameters, and string literals. */
const namedIn = (statement: string) =>
  statement.replaceAll(/(["'])[^"']*\1|\b[\w$]+\??:|^\s+(?:readonly )?\w+\??(?=[(<])/gm, ' ');

/** The type of a function that the kit exports under its own name. */
function typeIn(statement: string): string | undefined {
  const code = bare(statement);
  const [, type] = /^declare const \w+: ([\s\S]*);$/.exec(code) ?? [];
  const [, generics = '', given, result] =
    /^declare function \w+(<.*?>)?\(([\s\S]*)\): (.*);$/.exec(code) ?? [];
  return type ?? (result === undefined ? undefined : `${generics}(${given}) => ${result}`);
}

/** Puts object types with a few members on one line, and comments, too. */
function short(statement: string): string {
  const oneLine = statement
    .replaceAll(
      /\/\*\*\n([\s\S]*?)\n *\*\//g,
      (_, lines: string) => `/** ${lines.replaceAll(/^ *\* ?/gm, '').replaceAll('\n', ' ')} */`,
    )
    .replaceAll(
      /(?<!^(?:interface|declare class) .*)\{\n((?: +(?:readonly )?[\w?]+: [^{}\n]*;\n)+) *\}/gm,
      (whole, lines: string) => {
        const inside = lines.trim().replaceAll(/;\n */g, '; ').replace(/;$/, '');
        return inside.length < 100 ? `{ ${inside} }` : whole;
      },
    );
  return oneLine.replaceAll(/^( *type \w+ =)\n/gm, '$1 ');
}

function wrapped(names: readonly string[]): string {
  const lines = [''];
  for (const name of names) {
    const line = lines.at(-1) ?? '';
    if (line.length + name.length > 110) lines.push(`  ${name},`);
    else lines[lines.length - 1] = line === '' ? `  ${name},` : `${line} ${name},`;
  }
  return lines.join('\n');
}

if (process.argv[1] === import.meta.filename) writeFileSync(recordPath, publishedInterface());
