/** Reference pages are complete: every command, every path, and only names that the library exports. */
import { ownCommand, ownSummaries } from '../../packages/cli/src/commands.ts';
import { RequestContext } from '../../packages/core/src/http/resolve.ts';
import { scripts, styles } from '../../packages/pages/src/index.ts';
import { bundledRegistry } from '../../packages/runtimes/src/inspect.ts';
import * as metrics from '../../packages/telemetry/src/metrics/index.ts';
import * as library from '../support/bare_relay.ts';
import { blocksOf, papers, read } from './papers.ts';

test('docs/command-line.md has each command once', async () => {
  const named = [...read('docs/command-line.md').matchAll(/^- `relay ([a-z -]+?)(?: [A-Z].*)?`:/gm)];
  const own = await Promise.all(ownSummaries.map(({ name }) => ownCommand(name)));
  const commands = own.flatMap((one) =>
    one?.commands ? one.commands.map(({ name }) => `${one.name} ${name}`) : (one?.name ?? ''),
  );
  commands.push('help');
  expect(named.map(([, name]) => name).toSorted()).toEqual(commands.toSorted());
});

test('docs/http.md lists each path with its methods, and no other', async () => {
  const registry = await bundledRegistry();
  const rows = [...read('docs/http.md').matchAll(/^- `([A-Z, ]+) (\/(?:api|llms)\S*)`:/gm)];
  const found = rows.map(([, allowed, path = '']) => {
    const { endpoint } = new RequestContext({ method: 'GET', path, query: '', headers: {} }, '', registry);
    expect([path, endpoint?.method]).toEqual([path, allowed]);
    return { path, ...endpoint };
  });
  const named = found.flatMap(({ path, publicRoute }) => (publicRoute ? [] : [path.split('/')[3]]));
  const addresses = [...new Set(named)];
  expect(addresses.toSorted()).toEqual(['form', 'submit', ...registry.routes.keys()].toSorted());
  expect(new Set(found.flatMap(({ publicRoute }) => publicRoute ?? []))).toEqual(
    new Set(registry.publicRoutes),
  );
  const assets = found.flatMap(({ path }) => /\/(\w+\.(?:js|css))$/.exec(path)?.[1] ?? []);
  expect(assets.toSorted()).toEqual(
    [...Object.keys(scripts).map((name) => `${name}.js`), ...Object.keys(styles)].toSorted(),
  );
});

test('files that pages import from the package exist', () => {
  const lines = papers
    .flatMap(blocksOf)
    .flatMap(({ text }) => [...text.matchAll(/import \{ (.*) \} from 'form-relay(\/metrics)?'/g)]);
  expect(lines.length).toBeGreaterThan(3);
  for (const [line, names = '', part] of lines) {
    const there = Object.keys(part ? metrics : library);
    expect(there, line).toEqual(expect.arrayContaining(names.split(', ')));
  }
});
