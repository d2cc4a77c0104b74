import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tracked } from './support/tracked.ts';

/** Packages that each package imports: a new edge needs a decision. */
const imported: Readonly<Record<string, string>> = {
  element: 'base',
  base: '',
  ui: '',
  schema: 'base',
  yaml: 'base schema',
  // The small inline script in forms belongs to the element.
  core: 'base element schema yaml',
  'plugin-host': 'base core more-outputs schema yaml',
  config: 'base core plugin-host schema yaml',
  'client-configs': 'base config core queue schema yaml',
  clients: 'base core schema',
  'more-fields': 'base core element schema',
  files: 'base core schema',
  'more-outputs': 'base clients core schema yaml',
  spam: 'base core element schema',
  stores: 'base clients core schema',
  queue: 'base core pages schema stores',
  capacity: 'base clients core schema stores yaml',
  agents: 'base capacity core schema spam stores',
  'visitor-mails': 'base capacity clients core element more-outputs pages schema stores',
  changes: 'base capacity core more-outputs pages schema senders stored stores',
  approvals: 'base changes core more-outputs pages queue schema stores visitor-mails',
  senders: 'base capacity clients core files pages schema stores yaml',
  ask: 'base capacity core more-outputs pages schema senders stores visitor-mails yaml',
  pages: 'base core element schema',
  languages: 'base core schema',
  'form-data': 'base core languages more-fields pages schema spam',
  telemetry: 'base core runtimes',
  stored: 'base clients core more-outputs queue schema stores yaml',
  learning: 'base core more-outputs runtimes schema spam stored yaml',
  'mail-dns': 'base clients core schema visitor-mails yaml',
  page: 'base config core files languages runtimes schema spam yaml',
  inbox: 'base canary config core learning more-outputs queue schema spam stored ui visitor-mails',
  runtimes:
    'agents approvals ask base canary capacity catalogue changes client-configs clients config core files form-data languages mail-dns more-fields more-outputs pages plugin-host queue schema senders spam stored stores visitor-mails yaml',
  testing: 'base core plugin-host runtimes stores',
  doctor: 'base core runtimes schema yaml',
  'dry-run': 'base clients core learning more-outputs pages queue runtimes schema spam visitor-mails yaml',
  canary: 'base core dry-run page queue schema spam stores',
  report: 'base canary core more-outputs schema stored',
  starters: 'base clients core page plugin-host runtimes schema yaml',
  studio:
    'base clients config core doctor dry-run element pages plugin-host queue runtimes schema starters ui visitor-mails yaml',
  mcp: 'ask base config core doctor dry-run more-outputs pages queue runtimes schema spam stored yaml',
  cli: 'ask base canary capacity client-configs config core doctor dry-run element form-data inbox languages learning mcp page pages plugin-host queue report runtimes schema senders spam starters stored studio telemetry yaml',
};

interface Import {
  readonly from: string;
  readonly to: string;
}

const sources = tracked.filter((path) => /^(packages|apps)\/[\w-]+\/(src|app|edit)\/.*\.tsx?$/.test(path));
const packageOf = (path: string) => path.split('/')[1] ?? '';

/** The file of this repository that an import refers to; any other import as written. */
function target(from: string, written: string): string {
  if (written.startsWith('.')) return join(dirname(from), written);
  const [, name, path] = /^@form-relay\/([\w-]+)\/(.+)$/.exec(written) ?? [];
  const file = `packages/${name}/src/${path}.ts`;
  return name && existsSync(file) ? file : written;
}

const imports: readonly Import[] = sources.flatMap((from) => {
  const code = readFileSync(from, 'utf8').replaceAll(/\/\*.*?\*\/|^\s*\/\/[^\n]*/gms, '');
  return [
    ...code.matchAll(
      /^(?:import|export) (?:type )?(?:(?:\{[^}]*\}|\* as \w+|\w+|\*)(?: from )?)?'([^']+)';$|\bimport\('([^']+)'\)/gm,
    ),
  ].map(([, written, late]) => ({ from, to: target(from, written ?? late ?? '') }));
});

test('packages import each other in one direction, as the table says', () => {
  const found = new Map(sources.map((path) => [packageOf(path), new Set<string>()]));
  for (const { from, to } of imports) {
    const [, other] = /^(?:packages|apps|@form-relay)\/([\w-]+)/.exec(to) ?? [];
    if (other !== undefined && other !== packageOf(from)) found.get(packageOf(from))?.add(other);
  }
  const asTable = [...found].map(([name, others]) => [name, [...others].toSorted().join(' ')]);
  expect(Object.fromEntries(asTable)).toEqual(imported);
});

test('only the command line starts apps', () => {
  const apps = new Set(sources.filter((path) => path.startsWith('apps/')).map(packageOf));
  const importers = imports.flatMap(({ from, to }) => {
    const [, other = ''] = /^@form-relay\/([\w-]+)/.exec(to) ?? [];
    return apps.has(other) ? [from] : [];
  });
  expect([...new Set(importers)].toSorted()).toEqual(
    'commands/dev commands/inbox commands/mcp commands/mcp_http commands/open_inbox local_relay'
      .split(' ')
      .map((name) => `packages/cli/src/${name}.ts`),
  );
});

test('the composition of a relay fits on a page, and files of the core are short', () => {
  const lines = (path: string) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== '').length;
  expect(lines('packages/runtimes/src/relay.ts')).toBeLessThanOrEqual(150);
  expect(sources.filter((path) => packageOf(path) === 'core' && lines(path) > 300)).toEqual([]);
});
