import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { loadUnit } from '../../packages/plugin-host/src/catalogue_unit.ts';
import { catalogue } from '../../packages/runtimes/src/catalogue.ts';
import { unitNames } from '../../scripts/catalogue_units.ts';

const files = readdirSync('catalogue').filter((file) => file.endsWith('.ts'));
const languages = readdirSync('packages/languages/src/words').flatMap((file) =>
  file.endsWith('.json') ? file.replace('.json', '') : [],
);
const installed = Object.keys({
  ...JSON.parse(readFileSync('package.json', 'utf8')).dependencies,
  ...JSON.parse(readFileSync('catalogue/package.json', 'utf8')).dependencies,
});

const nonEmptyLines = (file: string) =>
  readFileSync(`catalogue/${file}`, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '').length;

test('a unit imports only the plug-in interface, npm packages, Node and its own files', () => {
  const others = files
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) =>
      [
        ...readFileSync(`catalogue/${file}`, 'utf8').matchAll(
          /^(?:import|export)\b[^;]*? from '([^']+)'|\bimport\('([^']+)'\)|^import '([^']+)'/gm,
        ),
      ].map(([, from, late, plain]) => `${file}: ${from ?? late ?? plain}`),
    )
    .filter((one) => !/: (form-relay\/plugin|node:[\w/]+|\.\/(built\/)?\w+(\.page)?\.(ts|json))$/.test(one))
    .filter((one) => !installed.some((name) => one.split(': ')[1]?.startsWith(name)));
  expect(others).toEqual([]);
});

const units = unitNames().map((name) => ({
  name,
  load: catalogue[name] as NonNullable<(typeof catalogue)[string]>,
}));

test.each(units)('$name has a description, a test, and texts in all languages', async ({ name, load }) => {
  const plugin = (await loadUnit(load)).plugin();
  expect(plugin.summary).toMatch(/^[A-Z].*\.$/);
  expect(existsSync(`catalogue/${name}.test.ts`)).toBe(true);
  const { text_of_plugin: _, ...english } = plugin.messages?.en ?? {};
  for (const language of Object.keys(english).length > 0 ? languages : [])
    expect(Object.keys(plugin.messages?.[language] ?? {}), `${name} in ${language}`).toEqual(
      expect.arrayContaining(Object.keys(english)),
    );
});

test('no unit is longer than 400 lines', () => {
  const long = files.filter((file) => !file.endsWith('.test.ts') && nonEmptyLines(file) > 400);
  expect(long).toEqual([]);
});
