/** Pages to look things up in are whole: every command, every address, and only names that the library exports. */
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isAssetName } from '../../packages/relay/src/api_urls.ts';
import { methods, routeOf } from '../../packages/relay/src/street/route.ts';
import * as metrics from '../../packages/telemetry/src/metrics/index.ts';
import * as library from '../core/relay.ts';
import { blocksOf, papers, pathOf, read } from './papers.ts';

test('docs/command-line.md has each command once', () => {
  const named = [...read('docs/command-line.md').matchAll(/^\| `relay ([a-z -]+?)(?: [A-Z].*)?` \|/gm)];
  const commands = readdirSync(pathOf('packages/cli/src/commands'))
    .map((file) => file.replace('.ts', '').replaceAll('_', ' '))
    .filter((name) => !name.endsWith(' options'));
  expect(named.map(([, name]) => name).toSorted()).toEqual(commands.toSorted());
});

test('docs/http.md has each address with its methods, and no other', () => {
  const rows = [...read('docs/http.md').matchAll(/^\| `(\/api\S*)` \| ([A-Z, ]+) \|/gm)];
  const found = rows.map(([, path = '', allowed]) => {
    const route = routeOf(path);
    expect([path, route && methods[route.name]]).toEqual([path, allowed]);
    return route?.name === 'asset' ? route.asset : route?.name;
  });
  const assets = [
    'form.js',
    'files.js',
    'steps.js',
    'guard.js',
    'range.js',
    'computed.js',
    'repeat.js',
    'tel.js',
    'ranking.js',
    'signature.js',
    'stats.js',
    'remember.js',
    'resume.js',
    'places.js',
    'form.css',
  ].filter(isAssetName);
  const expected = [...Object.keys(methods).filter((name) => name !== 'asset'), ...assets];
  expect(found.toSorted()).toEqual(expected.toSorted());
});

test('what pages import from the package is there', () => {
  const lines = papers
    .flatMap(blocksOf)
    .flatMap(({ text }) => [...text.matchAll(/import \{ (.*) \} from 'form-relay(\/metrics)?'/g)]);
  expect(lines.length).toBeGreaterThan(3);
  for (const [line, names = '', part] of lines) {
    const there = Object.keys(part ? metrics : library);
    expect(there, line).toEqual(expect.arrayContaining(names.split(', ')));
  }
});
