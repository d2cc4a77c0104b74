import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { tracked } from './support/tracked.ts';

/** The packages that each package may import. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  base: [],
  schema: ['base'],
  yaml: ['base', 'schema'],
  // The few lines of script that forms carry.
  core: ['base', 'schema', 'yaml', 'element'],
  config: ['base', 'schema', 'yaml', 'core'],
  clients: ['base', 'schema', 'core'],
  'more-fields': ['core', 'element'],
  files: ['core', 'clients'],
  'more-outputs': ['core', 'clients'],
  spam: ['core', 'element'],
  queue: ['core', 'clients'],
  capacity: ['core', 'clients', 'queue'],
  'visitor-mails': ['core', 'clients', 'capacity', 'element', 'more-outputs', 'pages', 'queue'],
  senders: ['core', 'capacity'],
  pages: ['core', 'element'],
  languages: ['core'],
  telemetry: ['core', 'clients'],
};
const foundations = ['base', 'schema', 'yaml', 'core', 'config', 'clients'];
const families = Object.keys(mayImport).filter((name) => !foundations.includes(name));

interface Import {
  readonly from: string;
  readonly to: string;
  readonly isType: boolean;
}

const sources = tracked.filter((path) => /^(packages|apps)\/[\w-]+\/src\/.*\.ts$/.test(path));
const packageOf = (path: string) => path.split('/')[1] ?? '';

/** A file of this repository that an import names; the import as written for anything else. */
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
      /^(?:import|export) (type )?(?:(\{[^}]*\}|\* as \w+|\w+|\*)(?: from )?)?'([^']+)';$|\bimport\('([^']+)'\)/gm,
    ),
  ].map(([, type, names = '', written, late]) => ({
    from,
    to: target(from, written ?? late ?? ''),
    isType:
      type !== undefined ||
      (names.startsWith('{') &&
        names
          .slice(1, -1)
          .split(',')
          .every((name) => name.trim() === '' || name.trim().startsWith('type '))),
  }));
});

test('packages import each other in one direction', () => {
  const wrong = imports.filter(({ from, to }) => {
    const allowed = mayImport[packageOf(from)];
    const [, other] = /^(?:packages|@form-relay)\/([\w-]+)/.exec(to) ?? [];
    return allowed && other !== undefined && other !== packageOf(from) && !allowed.includes(other);
  });
  expect(wrong).toEqual([]);
});

test('families use only what every plug-in can use', () => {
  const open = ['packages/core/src/kit.ts', 'packages/core/src/index.ts'];
  const wrong = imports.filter(
    ({ from, to }) => families.includes(packageOf(from)) && packageOf(to) === 'core' && !open.includes(to),
  );
  expect(wrong).toEqual([]);
});

test('no file imports itself through others', () => {
  const valuesOf = new Map<string, Import[]>();
  for (const one of imports)
    if (!one.isType) valuesOf.set(one.from, [...(valuesOf.get(one.from) ?? []), one]);
  const circles = sources.filter((path) => {
    const seen = new Set<string>();
    const open = (valuesOf.get(path) ?? []).map(({ to }) => to);
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (next === path) return true;
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(...(valuesOf.get(next) ?? []).map(({ to }) => to));
    }
    return false;
  });
  expect(circles).toEqual([]);
});

test('the composition of a relay fits on a page, and no file of the core needs scrolling for long', () => {
  const lines = (path: string) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== '').length;
  expect(lines('packages/runtimes/src/relay.ts')).toBeLessThanOrEqual(150);
  const long = sources.filter((path) => packageOf(path) === 'core' && lines(path) > 300);
  expect(long).toEqual([]);
});
