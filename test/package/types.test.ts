/** The package's types need only what docs/install.md says: TypeScript checks them without `skipLibCheck`. */
import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { seams } from '../../packages/core/src/internal.ts';
import { interfaceVersion } from '../../packages/core/src/plugin.ts';
import { interfaceMembers } from '../../packages/plugin-host/src/known_members.ts';
import { words } from '../../packages/schema/src/suggestion.ts';
import { type Change, changeOf, membersOf, publishedInterface, recordPath } from '../../scripts/interface.ts';
import { read } from '../deploy/files.ts';
import { tempFolder } from '../support/temp_folder.ts';

test.each([
  [
    'beside @types/node',
    ['form-relay', 'form-relay/plugin', 'form-relay/metrics', 'form-relay/testing'],
    ['--lib', 'ES2023', '--types', 'node'],
  ],
  ['in a page', ['form-relay/client', 'form-relay/element'], ['--lib', 'ES2023,DOM', '--types', '']],
])('TypeScript accepts the types %s', async (_, names, options) => {
  const uses = names.map((name, index) => `export * as use${index} from '${name}';\n`);
  expect(await typeCheck(uses.join(''), options)).toBe('');
});

test('the interface’s types contain no seams, and nothing about compiled forms', async () => {
  const plugin = (hooks: string) => `import type { MakePlugin } from 'form-relay/plugin';
    const makePlugin: MakePlugin = (kit) => ({
      name: 'mine',
      features: [kit.feature({ name: 'mine', configure: () => (${hooks}) })],
      start: ({ forms }) => { for (const { id, outputs } of forms.values()) console.log(id, outputs[0]?.target); },
    });
    export default makePlugin;`;
  const checked = (hooks: string) => typeCheck(plugin(hooks), ['--lib', 'ES2023', '--types', 'node']);
  expect(await checked("{ view: (view) => (view.form.id === '' ? kit.refused(410, 'gone') : view) }")).toBe(
    '',
  );
  expect(await checked('{ decorateServices: (services) => services }')).toContain('no properties in common');
  expect(await checked('{ afterValidation: () => ({ form }) => form.deliver }')).toContain("'deliver'");
});

const record = read(recordPath);

test('the interface only grows until its next major version', () => {
  const [, major, minor] = /version (\d+)\.(\d+)/.exec(record) ?? [];
  const [ownMajor, ownMinor] = interfaceVersion.split('.');
  const { kind, breaks } = changeOf(record, publishedInterface());
  if (kind === 'major' && major === ownMajor)
    expect(breaks, 'Raise the major `interfaceVersion` (packages/core/src/plugin.ts)').toEqual([]);
  if (kind === 'minor' && major === ownMajor && minor === ownMinor)
    expect(kind, 'Raise the minor `interfaceVersion` (packages/core/src/plugin.ts)').toBe('none');
  expect(kind, 'Then record it: `npm run interface`').toBe('none');
});

test.each<[what: string, from: string | RegExp, to: string, kind: Change['kind'], breaks?: string]>([
  ['a comment', '/** Details of', '/** Further words about', 'comments'],
  [
    'an optional member',
    'readonly says: string;',
    'readonly says: string;\n  readonly more?: string;',
    'minor',
  ],
  ['a further result', 'Message | string | undefined;', 'Message | string | number | undefined;', 'minor'],
  [
    'more in a delivery',
    'interface PluginDelivery {',
    'interface PluginDelivery {\n  readonly more: string;',
    'minor',
  ],
  ['a hook that is gone', /\n.*\n {2}readonly observe\?: .*/, '', 'major', 'Plugin.observe was removed'],
  ['a type that is gone', '  BodyParser,', ' ', 'major', 'BodyParser was removed'],
  [
    'a member to write',
    'interface Opened {',
    'interface Opened {\n  readonly more: string;',
    'major',
    "'more'",
  ],
  [
    'less in a delivery',
    /(interface PluginDelivery \{[^}]*)readonly payload: Payload/,
    '$1readonly payload?: Payload',
    'major',
    'payload',
  ],
  ['a narrower hook', 'before?: HtmlValue', 'before?: Html', 'major', 'HtmlValue'],
  [
    'less of the kit',
    'lines: (payload: Payload) => readonly string[];',
    'lines: (payload: Payload) => string;',
    'major',
    'lines',
  ],
])('%s', (_, from, to, kind, breaks = '') => {
  const changed = record.replace(from, to);
  expect(changed).not.toBe(record);
  const change = changeOf(record, changed);
  expect(change.kind).toBe(kind);
  expect(change.breaks.join('\n')).toContain(breaks);
});

describe('the hooks of the interface', () => {
  /** The functions among a type's members, which a plug-in implements and the relay calls. */
  const functions = (type: string) => {
    const [, body = ''] = new RegExp(`^interface ${type}\\b.*\\{\\n([\\s\\S]*?)^\\}`, 'm').exec(record) ?? [];
    return [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??(?:\(|: (?:\(.*=>|Middleware|Observer))/gm)].map(
      ([, name = '']) => name,
    );
  };
  const members = (type: string) =>
    [...membersOf(record)].flatMap((one) => (one.startsWith(`${type}.`) ? one.slice(type.length + 1) : []));

  test('a new one needs a decision here: there are at most 48', () => {
    const hooks = {
      plugin: functions('Plugin'),
      output: [...functions('OutputType'), ...functions('PluginOutput'), ...functions('Opened')],
      field: [...functions('FieldType'), ...functions('PluginField')],
      feature: [
        ...functions('Feature'),
        ...functions('Hooks'),
        ...functions('Route'),
        ...functions('BodyParser'),
      ],
      // `fieldHooks` override those of the field's type.
      extension: [
        ...functions('FieldExtension'),
        ...functions('OutputExtension'),
        ...functions('OutputHooks'),
      ],
      store: functions('StoreType'),
      program: [...functions('Command'), ...functions('Check')],
    };
    expect(hooks).toEqual({
      plugin: words('validate start readiness observe'),
      output: words('problems open send probe close takesFile'),
      field: words(
        'samples problems hint offered takesSeveral normalizeValue canonical store words json derive takeFiles further control checkValue check',
      ),
      feature: words(
        'configureTop configure onRequest beforeValidation check afterValidation aroundDelivery view markup close answer parse',
      ),
      extension: words('changeKeys configure configure accepts wrapTransport'),
      store: words('problem open'),
      program: words('run probe'),
    });
    expect(Object.values(hooks).flat().length).toBeLessThanOrEqual(48);
  });

  test('there are at most 15 seams, each listed in ARCHITECTURE.md with its user', () => {
    const [, table = ''] = /## Seams\n([\s\S]*?)\n## /.exec(read('ARCHITECTURE.md')) ?? [];
    const rows = [...table.matchAll(/^\| (`.*?) \| [\w-]+ \|/gm)].flatMap(([, names = '']) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    );
    expect(rows.toSorted()).toEqual([...seams].toSorted());
    expect(seams.length).toBeLessThanOrEqual(15);
  });

  test.each<[part: keyof typeof interfaceMembers, types: readonly string[]]>([
    ['plugin', ['Plugin']],
    ['output', ['OutputType', 'PluginOutput']],
    ['opened', ['Opened']],
    ['field', ['FieldType', 'PluginField']],
    ['feature', ['Feature']],
    ['featureKeys', ['FeatureKeys']],
    ['hooks', ['Hooks']],
    ['fieldExtension', ['FieldExtension']],
    ['outputExtension', ['OutputExtension']],
    ['outputHooks', ['OutputHooks']],
    ['store', ['StoreType']],
    ['command', ['Command']],
    ['check', ['Check']],
    ['route', ['Route']],
    ['body', ['BodyParser']],
  ])('the relay reads the members of the types: %s', (part, types) =>
    expect(interfaceMembers[part].known.toSorted()).toEqual(types.flatMap(members).toSorted()),
  );
});

async function typeCheck(source: string, options: readonly string[]): Promise<string> {
  const folder = tempFolder();
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
  symlinkSync(resolve('.'), join(folder, 'node_modules/form-relay'));
  symlinkSync(resolve('node_modules/@types/node'), join(folder, 'node_modules/@types/node'));
  writeFileSync(join(folder, 'use.mts'), source);
  const words = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', ...options, 'use.mts'];
  const tsc = resolve('node_modules/typescript/bin/tsc');
  const said = await promisify(execFile)(process.execPath, [tsc, ...words], { cwd: folder }).catch(
    ({ stdout }) => ({ stdout }),
  );
  return said.stdout;
}

test('the manual says what they need', () => {
  const page = read('docs/install.md');
  for (const name of ['@types/node', '@cloudflare/workers-types']) expect(page).toContain(`\`${name}\``);
});
