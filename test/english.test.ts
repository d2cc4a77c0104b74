/**
 * A sentence opens with a word that names its subject (CONTRIBUTING.md), in docs, descriptions, messages, comments and titles of
 * tests. `npx vitest run test/english -t docs` lists the lines of the docs that do not.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openingsInMarkdown, openingsInSource, type Sentence } from './support/openings.ts';
import { tracked } from './support/tracked.ts';

/** How many openings each folder may still have. The numbers only shrink. */
const allowed: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  docs: {
    '.github': 1,
    'README.md': 1,
    docs: 153,
  },
  messages: {
    'apps/inbox': 39,
    'apps/mcp': 15,
    'apps/studio': 31,
    catalogue: 24,
    examples: 4,
    lab: 23,
    'packages/agents': 18,
    'packages/approvals': 2,
    'packages/ask': 8,
    'packages/base': 3,
    'packages/canary': 1,
    'packages/capacity': 8,
    'packages/changes': 8,
    'packages/cli': 24,
    'packages/client-configs': 5,
    'packages/clients': 3,
    'packages/config': 1,
    'packages/core': 15,
    'packages/doctor': 3,
    'packages/dry-run': 6,
    'packages/files': 1,
    'packages/form-data': 2,
    'packages/learning': 3,
    'packages/more-fields': 8,
    'packages/more-outputs': 7,
    'packages/page': 8,
    'packages/pages': 13,
    'packages/plugin-host': 11,
    'packages/queue': 19,
    'packages/report': 2,
    'packages/schema': 12,
    'packages/senders': 20,
    'packages/spam': 26,
    'packages/starters': 4,
    'packages/stored': 23,
    'packages/stores': 16,
    'packages/telemetry': 2,
    'packages/testing': 5,
    'packages/visitor-mails': 8,
    'packages/yaml': 1,
    scripts: 3,
  },
  comments: {
    'apps/inbox': 2,
    'apps/studio': 3,
    catalogue: 1,
    docs: 15,
    examples: 1,
    lab: 1,
    'packages/capacity': 1,
    'packages/changes': 3,
    'packages/client-configs': 1,
    'packages/clients': 2,
    'packages/config': 3,
    'packages/core': 12,
    'packages/form-data': 1,
    'packages/more-outputs': 2,
    'packages/plugin-host': 4,
    'packages/runtimes': 3,
    'packages/schema': 2,
    'packages/spam': 4,
    'packages/stored': 2,
    'packages/stores': 10,
    'packages/testing': 8,
    'packages/visitor-mails': 1,
    scripts: 8,
    test: 15,
  },
  titles: {
    'apps/inbox': 1,
    'apps/mcp': 1,
    'apps/studio': 1,
    catalogue: 1,
    'packages/approvals': 3,
    'packages/capacity': 1,
    'packages/client-configs': 1,
    'packages/core': 1,
    'packages/doctor': 1,
    'packages/more-outputs': 1,
    'packages/pages': 1,
    'packages/queue': 3,
    'packages/senders': 3,
    'packages/spam': 1,
    'packages/stores': 1,
    'packages/testing': 1,
    'packages/yaml': 1,
    test: 5,
  },
};

const written = tracked.filter((path) => !/(?:^|\/)(?:built|dist)\//.test(path));
const papers = written.filter((path) => path.endsWith('.md'));
const sources = written.filter((path) => /\.(?:[cm]?js|tsx?)$/.test(path));
const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const isTest = (path: string) => /(?:^|\/)test\/|\.test\./.test(path);
const folderOf = (path: string) => /^(?:packages|apps)\/[\w-]+/.exec(path)?.[0] ?? path.split('/')[0] ?? '';

/** The folders with more openings than they may have, each with its lines. */
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

test.each(['messages', 'comments', 'titles'] as const)(
  '%s: each sentence names its subject first',
  (kind) => {
    const bad = tooMany(kind, sources, (path) => openingsInSource(read(path), isTest(path))[kind]);
    expect(bad, bad.join('\n')).toEqual([]);
  },
);

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
])('in %j, %i opens wrong', (text, count) => {
  expect(openingsInMarkdown(text)).toHaveLength(count);
});

test.each([
  ['// It is so.', 'comments', 1],
  ["const a = 'it is damaged: b';", 'messages', 1],
  ["const a = 'one two';", 'messages', 0],
  ['const a = <p>What it does. Then {b}</p>;', 'messages', 1],
  ['const a = /"/; // Its end', 'comments', 1],
] as const)('in %s, the %s have %i', (text, kind, count) => {
  expect(openingsInSource(text, false)[kind]).toHaveLength(count);
});
