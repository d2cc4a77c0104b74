/**
 * Sentences start with a word that names their subject (CONTRIBUTING.md): in docs, descriptions, messages, comments and
 * titles of tests. `npx vitest run test/english -t docs` lists the lines of the docs that do not.
 */
import { readFileSync } from 'node:fs';
import { openingsInMarkdown, openingsInSource, type Sentence } from './support/openings.ts';
import { tracked } from './support/tracked.ts';

/** How many such openings each folder may still have. The numbers may only shrink. */
const allowed: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  docs: {},
  messages: {},
  comments: {},
  titles: {},
};

const written = tracked.filter((path) => !/(?:^|\/)(?:built|dist)\//.test(path));
const papers = written.filter((path) => path.endsWith('.md'));
const sources = written.filter((path) => /\.(?:[cm]?js|tsx?)$/.test(path));
const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const isTest = (path: string) => /(?:^|\/)test\/|\.test\./.test(path);
const folderOf = (path: string) => /^(?:packages|apps)\/[\w-]+/.exec(path)?.[0] ?? path.split('/')[0] ?? '';

/** The lines of all folders that exceed their number. */
function tooMany(kind: string, paths: readonly string[], find: (path: string) => readonly Sentence[]) {
  const lines = new Map<string, string[]>();
  for (const path of paths)
    for (const { line, text } of find(path)) {
      const folder = folderOf(path);
      lines.set(folder, [...(lines.get(folder) ?? []), `${path}:${line}: ${text.slice(0, 120)}`]);
    }
  return [...lines].flatMap(([folder, all]) => (all.length > (allowed[kind]?.[folder] ?? 0) ? all : []));
}

test('docs: each sentence names its subject first', () => {
  const bad = tooMany('docs', papers, (path) => openingsInMarkdown(read(path)));
  expect(bad, bad.join('\n')).toEqual([]);
});

test.each(['messages', 'comments', 'titles'] as const)('%s: sentences name their subject first', (kind) => {
  const bad = tooMany(kind, sources, (path) => openingsInSource(read(path), isTest(path))[kind]);
  expect(bad, bad.join('\n')).toEqual([]);
});

test.each([
  ['Whoever reads this.', 1],
  ['# What it costs', 0],
  ['**What it costs.**', 0],
  ['What is a form?', 0],
  ['The relay\nIt is.', 0],
  ['A form. It is\nsent.', 1],
  ['- a\n- Those that come', 1],
  ['| What | Why |\n| --- | --- |\n| Of it | `It` |', 1],
  ['```\nIt is code.\n```', 0],
])('in %j, %i sentences open wrongly', (text, count) => expect(openingsInMarkdown(text)).toHaveLength(count));

test.each([
  ['// It is so.', 'comments', 1],
  ["const a = 'it is damaged: b';", 'messages', 1],
  ["const a = 'one two';", 'messages', 0],
  ['const a = <p>What it does. Then {b}</p>;', 'messages', 1],
  ['const a = /"/; // Its end', 'comments', 1],
] as const)('in %s, %s have %i such openings', (text, kind, count) =>
  expect(openingsInSource(text, false)[kind]).toHaveLength(count),
);
