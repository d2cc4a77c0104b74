/** Samples in the manual load; links in it lead to existing pages. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openTerminal } from '../../packages/cli/test/terminal.ts';
import { exceptExamples, inspect, parseConfig } from '../support/parse_config.ts';
import { tracked } from '../support/tracked.ts';
import { anchorsOf, type Block, blocksOf, papers, pathOf, proseOf, read } from './papers.ts';
import { wholes } from './wholes.ts';

const yaml = papers.flatMap(blocksOf).filter(({ language }) => /^ya?ml$/.test(language));
const place = ({ paper, line }: Block) => `${paper}:${line}`;
const ofKind = (kind: string) =>
  yaml.filter((block) => block.kind === kind).map((block) => [place(block), block] as const);

describe.each(Object.entries(wholes))('yaml %s', (kind, toConfig) => {
  test.for(ofKind(kind))('%s loads without a warning', async ([, { text }]) => {
    const config = toConfig(text);
    expect(config).toMatch(
      /^(#.*\n|\n|cache_ttl: .*\n|(languages?|time_zone|counted_in): .*\n|(agents|classes|messages|keep|alerts|pdf|inbox|archive|spam|origins|rate_limit|look):.*\n( .*\n)*)*forms:/,
    );
    const { problems } = await inspect(config, 'webform.yaml');
    // In this test, TRUSTED_PROXIES is not set, and files named by a config are empty.
    const isOfPlace = /^inbox\.url$|\.signals\.(blocklist|learned)\./;
    const others = exceptExamples(problems).filter(
      ({ code, path }) => !isOfPlace.test(path) && code !== 'model_lacks',
    );
    expect(others).toEqual([]);
  });
});

test.each(['bootstrap', 'tailwind'])('docs/styling/%s.yaml loads', (name) =>
  expect(parseConfig(wholes.top?.(read(`docs/styling/${name}.yaml`)) ?? '', 'webform.yaml').ok).toBe(true),
);

test('every yaml block has a kind', () => {
  const kinds = [...Object.keys(wholes), 'other'];
  expect(yaml.filter(({ kind }) => !kinds.includes(kind)).map(place)).toEqual([]);
});

test.each(papers)('%s links to files and headings that exist', (paper) => {
  const links = [...proseOf(paper).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
  const broken = links.filter(([, to = '', anchor]) => {
    const target = to === '' ? paper : join(dirname(paper), to);
    return !existsSync(pathOf(target)) || (anchor !== undefined && !anchorsOf(target).has(anchor));
  });
  expect(broken.map(([link]) => link)).toEqual([]);
});

test.each(tracked.filter((path) => /^(?:deploy|examples)\/.*(?<!\.md)$/.test(path)))(
  '%s names files and headings that exist',
  (path) => {
    const named = /(?<![\w./-])(?:docs|deploy|examples|packages|scripts)\/[\w./-]*\w\.\w+(?:#([\w-]+))?/g;
    const missing = [...read(path).matchAll(named)].filter(([link, anchor]) => {
      const [target = ''] = link.split('#');
      return !existsSync(pathOf(target)) || (anchor !== undefined && !anchorsOf(target).has(anchor));
    });
    expect(missing.map(([link]) => link)).toEqual([]);
  },
);

test('every page of the manual is in the table of contents', () => {
  const contents = proseOf('docs/README.md');
  const pages = papers
    .filter((paper) => /^docs\/(?!decisions\/|README)/.test(paper))
    .map((paper) => paper.replace(/^docs\//, ''));
  expect(pages.filter((page) => !contents.includes(`](${page})`))).toEqual([]);
});

/** `relay …` in shell blocks, and in inline code. */
const commandLines = (paper: string): readonly string[] => [
  ...blocksOf(paper)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => text.replaceAll('\\\n', ' ').split(/[\n|]/))
    .flatMap((line) => /^\s*(?:[A-Z_]+=\S*\s+)*(?:relay|node dist\/relay\.cjs) (.*)/.exec(line)?.[1] ?? []),
  ...[...proseOf(paper).matchAll(/`relay ([^`]+)`/g)].map(([, line = '']) => line),
];

/** The command in a line, up to a comment, a redirection or the next command. */
function callOf(line: string) {
  const [call = ''] = line.split(/ [#&]| \d?>|;/);
  const words = call
    .replace(/^--config \S+ /, '')
    .trim()
    .split(/\s+/);
  const isGroup = [
    'form',
    'config',
    'webhook',
    'receipt',
    'archive',
    'rules',
    'kept',
    'keep',
    'key',
    'plugin',
  ].includes(words[0] ?? '');
  return {
    /** For example `config validate`. */
    command: words.slice(0, isGroup ? 2 : 1).join(' '),
    options: words.filter((word) => word.startsWith('--')).map((word) => word.replace(/=.*/, '')),
  };
}

const calls = new Map<string, Set<string>>();
// Authors of plug-ins add commands of their own.
const ofUsers = papers.filter((path) => !path.startsWith('docs/plugins/'));
for (const { command, options } of ofUsers.flatMap(commandLines).map(callOf))
  calls.set(command, new Set([...(calls.get(command) ?? []), ...options]));

test.for([...calls])('relay %s exists, with all options named in the manual', async ([command, options]) => {
  const { stdout } = await (await openTerminal()).run(`relay ${command} --help`);
  expect(stdout.split('\n')[0]).toContain(`Usage: relay ${command}`);
  const known = new Set(stdout.match(/--[a-z-]+/g));
  expect([...options].filter((option) => !known.has(option))).toEqual([]);
});
