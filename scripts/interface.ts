// `npm run interface`: records the types of `form-relay/plugin` in docs/plugins/interface.d.ts. A test compares them.
import { readFileSync, writeFileSync } from 'node:fs';
import { interfaceVersion } from '../packages/core/src/plugin.ts';

export const recordPath = 'docs/plugins/interface.d.ts';

const read = (file: string) => readFileSync(new URL(`../dist/${file}`, import.meta.url), 'utf8');

/** The built declarations of all that `form-relay/plugin` exports and what these name, sorted, without comments. */
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
      for (const [word] of namedIn(statement).matchAll(/[\w$]+/g)) if (declared.has(word)) found.add(word);
  const statements = [...new Set([...found].flatMap((name) => declared.get(name) ?? []))];
  const names = exported.map(([, name = '', as = name]) => (as === name ? as : `${name} as ${as}`));
  return [
    `// The interface for plug-ins, version ${interfaceVersion}. \`npm run interface\` writes this file.`,
    ...statements.map((one) => one.replaceAll(/\$\d+\b/g, '')).toSorted(),
    ...names.toSorted().map((one) => `export type { ${one} };`),
    '',
  ].join('\n');
}

/** The lines of a record that the interface has no more, each after the head of its declaration. */
export function removedFrom(record: string, published: string): readonly string[] {
  const now = new Set(placed(published));
  return placed(record).filter((line) => !now.has(line));
}

function placed(code: string): readonly string[] {
  let head = '';
  return code.split('\n').flatMap((line) => {
    if (line.startsWith('//') || /^\W*$/.test(line)) return [];
    if (/^\w/.test(line)) head = line;
    return head === line ? line : `${head} … ${line.trim()}`;
  });
}

/** Each begins in the first column, where nothing else does. */
const statementsOf = (code: string) =>
  code
    .replaceAll(/^\s*\/\*\*.*?\*\/\n|^\s*\/\/.*\n/gms, '')
    .split(/^(?=(?:declare|interface|type|import|export)\b)/m)
    .map((statement) => statement.trimEnd())
    .filter((statement) => /^(declare|interface|type)\b/.test(statement));

const namesOf = (statement: string): readonly string[] =>
  [
    ...statement.matchAll(
      /^(?:declare )?(?:abstract )?(?:class|const|function|interface|type) ([\w$]+)|, ([\w$]+): typeof /g,
    ),
  ].map(([, first, further]) => first ?? further ?? '');

/** Without names of members and parameters, and texts. */
const namedIn = (statement: string) =>
  statement.replaceAll(/(["'])[^"']*\1|\b[\w$]+\??:|^\s+(?:readonly )?\w+\??(?=[(<])/gm, ' ');

if (process.argv[1] === import.meta.filename) writeFileSync(recordPath, publishedInterface());
