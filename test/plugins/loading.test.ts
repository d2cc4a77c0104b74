/** Plug-ins are loaded from files and packages; mistakes in one are reported where the config names it. */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { textSource } from '../../packages/config/src/source.ts';
import { createRelay } from '../../packages/runtimes/src/index.ts';
import { inspectConfig, ownServices, pluginsIn } from '../../packages/runtimes/src/inspect.ts';
import { suiteFolder } from '../support/temp_folder.ts';

const folder = suiteFolder();

function write(path: string, text: string): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** A plug-in with one output type, as its author writes it. */
const outputNamed = (type: string, more = '') =>
  `export default (kit) => ({
    name: '${type}',${more}
    outputs: [{ type: '${type}', summary: 'Does nothing.', keys: {}, open: () => ({ target: 'nowhere', send: async () => undefined }) }],
  });`;

const form = (type: string) =>
  `forms:\n  contact:\n    fields: [{name: name}]\n    outputs: [{type: ${type}, mapping: "*"}]\n`;

let configs = 0;

/** Parses a config file in `folder`. */
function parse(text: string, RELAY_PLUGINS = '') {
  configs += 1;
  const path = write(`site/config${configs}.yaml`, text);
  const source = { ...textSource(path, text), pluginFolder: dirname(path) };
  return inspectConfig(text, source, { services: ownServices({ RELAY_PLUGINS }) });
}

/** The problems of a config, as `line:column message`. */
async function problemsOf(text: string, named?: string): Promise<readonly string[]> {
  const parsed = await parse(text, named);
  return parsed.ok ? [] : parsed.error.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

describe('plugins of a config', () => {
  test('are modules relative to the config, and packages installed next to it', async () => {
    write('site/plugins/home_assistant.mjs', outputNamed('home_assistant_here'));
    write('node_modules/form-relay-airtable/package.json', '{"main": "main.mjs"}');
    write('node_modules/form-relay-airtable/main.mjs', outputNamed('airtable'));
    const names = 'plugins: [./plugins/home_assistant.mjs, form-relay-airtable]\n';
    expect(await problemsOf(names + form('home_assistant_here'))).toEqual([]);
    expect(await problemsOf(names + form('airtable'))).toEqual([]);
  });

  test('may be a folder of modules', async () => {
    write('site/all/one.mjs', outputNamed('of_folder'));
    write('site/all/one.test.mjs', 'throw new Error("a test is no plug-in");');
    write('site/all/read.me', '');
    expect(await problemsOf(`plugins: [./all]\n${form('of_folder')}`)).toEqual([]);
    mkdirSync(join(folder, 'site/none'));
    expect(await problemsOf(`plugins: [./none]\n${form('http_post')}`)).toEqual([
      `1:11 the plug-in cannot be loaded: there is no module in the folder ${join(folder, 'site/none')}`,
    ]);
  });

  test('must be in its folder or installed, unless RELAY_PLUGINS names them', async () => {
    const module = write('elsewhere/out.mjs', outputNamed('out'));
    symlinkSync(module, join(folder, 'site/link.mjs'));
    symlinkSync(dirname(module), join(folder, 'site/linked'));
    write('site/node_modules/some/package.json', '{"main": "main.mjs"}');
    const paths = ['../elsewhere/out.mjs', './link.mjs', './linked', './linked/out.mjs', module];
    for (const path of [...paths, 'some/../../../elsewhere/out.mjs', './x/../../elsewhere/out.mjs']) {
      const text = `plugins: ["${path}"]\n${form('out')}`;
      expect(await problemsOf(text), path).toEqual([
        expect.stringContaining("the path is outside the config's folder"),
      ]);
      for (const named of [module, dirname(module)]) expect(await problemsOf(text, named), path).toEqual([]);
    }
  });

  test('are not loaded with RELAY_PLUGINS=none, and keys that they may add are warnings', async () => {
    const ran = join(folder, 'ran');
    write('site/runs.mjs', `import { writeFileSync } from 'node:fs'; writeFileSync('${ran}', '');`);
    const fields = '[{name: a, label: A}, {name: b, label: B, type: color, hue: 3}]';
    const text = `plugins: [./runs.mjs]\nat_top: 1\nkeep: {in: "redis://x"}\nforms: {contact: {of_form: 1, keep: failed, fields: ${fields}, outputs: [{type: home_assistant, x: 1}]}}`;
    const parsed = await parse(text, 'none');
    expect(existsSync(ran)).toBe(false);
    if (!parsed.ok) expect.unreachable(JSON.stringify(parsed.error));
    expect(parsed.value.forms.get('contact')?.fields.map(({ type }) => type)).toEqual(['text', 'text']);
    const warnings = await parsed.value.warnings();
    expect(warnings.map(({ message }) => message)).toContain(
      'found "redis://x"; a plug-in that was not loaded may add it',
    );
    expect(warnings.map(({ code, path }) => `${code} ${path}`).sort()).toEqual(
      [
        ...['at_top', 'forms.contact.fields[1].hue', 'forms.contact.fields[1].type'],
        ...['forms.contact.of_form', 'forms.contact.outputs[0].type', 'keep.in'],
      ].map((path) => `plugin_not_loaded ${path}`),
    );
    const env = { RELAY_PLUGINS: 'none' };
    const relay = createRelay({
      env,
      configFile: write('site/runs.yaml', text),
      services: { log: () => {} },
    });
    expect(await relay.config.get()).toBeUndefined();
    await relay.close();
  });

  test.each<[lists: string, named: string, isMistake: boolean]>([
    ['', 'none', true],
    ['', 'none,./runs.mjs', false],
    ['plugins: [./runs.mjs]\n', 'none', false],
  ])(
    '%j with RELAY_PLUGINS=%s: a key that no plug-in can add is a mistake: %s',
    async (lists, named, isMistake) => {
      const parsed = await parse(`${lists}${form('http_post, url: "https://x.example/"')}at_top: 1`, named);
      expect(parsed.ok).toBe(!isMistake);
    },
  );

  test('are known to the schema although the config has mistakes, even if one plug-in is missing', async () => {
    write('site/known.mjs', outputNamed('known'));
    const errors: string[] = [];
    const text = `plugins: [./known.mjs, ./gone.mjs]\n${form('known').replace('fields', 'feilds')}`;
    const found = await pluginsIn(text, join(folder, 'site'), (error) => errors.push(error));
    expect(found.map(({ name }) => name)).toEqual(['known']);
    expect(errors).toEqual([expect.stringContaining('there is no file')]);
  });

  test('are loaded once, however often they are named', async () => {
    write('site/once.mjs', outputNamed('just_once'));
    expect(
      await problemsOf(
        `plugins: [./once.mjs, ../site/once.mjs, "${folder}/site/once.mjs"]\n${form('just_once')}`,
      ),
    ).toEqual([]);
  });

  const a = (members: string) => `export default (kit) => ({ name: 'a', ${members} });`;
  const featured = (members: string) => a(`features: [{ name: 'b', configure() {}, ${members} }]`);
  const keyed = (keys: string) => outputNamed('a').replace('keys: {}', `keys: { ${keys} }`);
  const text = "kit.key.optional('d', kit.key.text())";
  /** A key of all outputs. */
  const extended = (key: string, types: string) =>
    a(`outputExtensions: [{ name: 'b', keys: { ${key}: ${text} }, types: ${types}, configure: () => {} }]`);
  const needing = (range: string) => outputNamed('later', ` needs: '${range}',`);
  const needs = (range: string) =>
    `"later" needs version ${range} of the plug-in interface, and this relay has 1.0`;

  test.each<[name: string, code: string, says: RegExp | string]>([
    ['missing', '', /^1:11 the plug-in cannot be loaded: there is no file .*\/site\/missing\.mjs$/],
    ['broken', 'export default (kit) => ({', /^1:11 the plug-in cannot be loaded: \w/],
    [
      'thrown',
      "throw new Error('no licence');",
      /^1:11 the plug-in cannot be loaded: no licence \(.*:\d+:\d+\)$/,
    ],
    [
      'no_error',
      'throw undefined;',
      /^1:11 the plug-in cannot be loaded: a value was thrown that is not an Error: undefined$/,
    ],
    [
      'no_default',
      'export const plugin = {};',
      /^1:11 .*no_default\.mjs must export a function that returns a plug-in/,
    ],
    ['nameless', 'export default () => ({ outputs: [] });', /^1:11 .*has no name$/],
    ['nothing', 'export default () => undefined;', /^1:11 .*has no name$/],
    ['misspelled', a('output: []'), 'has an unknown member "output" (did you mean outputs?)'],
    ['half', a("outputs: [{ type: 'a' }]"), 'an output of "a" needs open (function)'],
    ['no_list', a('features: {}'), '`features` of "a" is not a list'],
    ['no_function', a('start: 5'), '`start` of "a" is not a function'],
    [
      'no_method',
      featured("routes: [{ name: 'c', method: 'PUT', answer() {} }]"),
      'expected GET; POST; GET, POST',
    ],
    ['no_place', featured('keys: { forms: {} }'), 'unknown member "forms" (did you mean form?)'],
    ['no_texts', a("messages: { en: 'hello' }"), 'must map languages'],
    [
      'no_other',
      a("messages: { eo: { too_short: { one: 'x' } } }"),
      '`messages.eo.too_short` of "a" needs `count` and `other`, both text',
    ],
    ['no_store', a("stores: [{ schemes: ['a'] }]"), 'needs open (function)'],
    ['inner', a("fields: [{ type: 'b', control: () => '', checkvalue() {} }]"), '(did you mean checkValue?)'],
    ['bare_key', keyed('k: kit.key.text()'), /the key "k" of .* is not a key/],
    ['factory', keyed("k: kit.key.required('d', kit.key.text)"), /the key "k" of .* is not a key/],
    [
      'bad_list',
      keyed("k: kit.key.withDefault(['x'], 'd', kit.key.list(kit.key.text()))"),
      'has a default, which a list or a map cannot have; use kit.key.optional',
    ],
    [
      'default',
      keyed("k: kit.key.withDefault('x', 'd', kit.key.number())"),
      /default of the key "k" of .*: found "x"/,
    ],
    [
      'mapping',
      keyed("mapping: kit.key.required('d', kit.key.text())"),
      'has the key "mapping", which every one already has',
    ],
    [
      'mute',
      a("checks: [{ path: '/x', name: 'c', probe() {} }]"),
      'a check of "a" has an unknown member "path"',
    ],
    ...['captcha', 'min_fill'].map(
      (name) =>
        [
          `feature_${name}`,
          a(`features: [{ name: '${name}', configure() {} }]`),
          `"a" adds the feature "${name}", which "${name}" of the relay has; choose another name`,
        ] satisfies [string, string, string],
    ),
    ...[
      [
        "['nats']",
        '"a" adds the scheme of stores "nats", which "stores" of the relay has; choose another name',
      ],
      ["['shelf', 'shelf']", '"a" adds the scheme of stores "shelf" twice'],
      ["['Shelf']", '`schemes` of a store of "a" must be a list such as [\'redis\']'],
    ].map(
      ([schemes, says = ''], index) =>
        [`store_${index}`, a(`stores: [{ schemes: ${schemes}, open() {} }]`), says] satisfies [
          string,
          string,
          string,
        ],
    ),
    ['slack', outputNamed('slack'), '"slack" adds the name "slack", which "slack" of the relay has'],
    [
      'title',
      featured(`keys: { form: { title: ${text} } }`),
      'adds the key of forms "title", which the relay has',
    ],
    // Keys of all outputs, of the relay's own kinds, and of plug-ins that are not loaded yet.
    [
      'retries',
      extended('retries', "['http_post']"),
      'adds the key of outputs "retries", which the relay has',
    ],
    [
      'cc',
      extended('cc', 'undefined'),
      'adds the key of outputs "cc", which "mail_headers" of the relay has',
    ],
    ['cc', extended('cc', "['smtp']"), 'adds the key of outputs "cc", which "mail_headers" of the relay has'],
    ['when', extended('when', "['slack']"), 'adds the key of outputs "when", which "when" of the relay has'],
    ['later', needing('^2.0'), `${needs('^2.0')}; update the relay`],
    ['earlier', needing('^0.9'), `${needs('^0.9')}; update the plug-in`],
    ['minor', needing('^1.1'), `${needs('^1.1')}; update the relay`],
    ['range', needing('>=1'), '`needs` of "later" must be a range such as ^1.0, not >=1'],
    [
      'clash',
      outputNamed('http_post'),
      'adds the output type "http_post", which the relay has; choose another name',
    ],
  ])('%s.mjs is a mistake at its position', async (name, code, says) => {
    if (code) write(`site/${name}.mjs`, code);
    const [problem] = await problemsOf(`plugins: [./${name}.mjs]\n${form('http_post')}`);
    expect(problem).toMatch(/^1:1?1 /);
    expect(problem).toMatch(says);
  });

  test('are loaded on the next attempt after a fix', async () => {
    write('site/mended.mjs', 'export default () => { throw new Error("not yet"); };');
    expect((await problemsOf(`plugins: [./mended.mjs]\n${form('mended')}`))[0]).toContain('not yet');
    write('site/mended.mjs', outputNamed('mended'));
    expect(await problemsOf(`plugins: [./mended.mjs]\n${form('mended')}`)).toEqual([]);
  });

  test('with the same name are a mistake', async () => {
    write('site/one.mjs', outputNamed('same'));
    write('site/other.mjs', outputNamed('different').replace("name: 'different'", "name: 'same'"));
    expect(await problemsOf(`plugins: [./one.mjs, ./other.mjs]\n${form('same')}`)).toEqual([
      '1:1 "same" adds the name "same", which the plug-in "same" has; choose another name',
    ]);
  });

  test.each([
    ['a promise', async () => ({ name: 'late' }), 'the default export returns a promise'],
    [
      'a type that a bundled plug-in has, which no form uses',
      () => ({
        name: 'own',
        outputs: [{ type: 'slack', summary: '', keys: {}, open: () => ({ target: 't', send() {} }) }],
      }),
      '"own" adds the output type "slack", which "slack" of the relay has; choose another name',
    ],
  ])('createRelay accepts no plug-in with %s', (_, plugin, says) =>
    expect(() => createRelay({ plugins: [plugin as never] })).toThrow(says),
  );

  test('may be packages that only support import', async () => {
    write('node_modules/modern/package.json', '{"exports": {".": {"import": {"default": "./main.mjs"}}}}');
    write('node_modules/modern/main.mjs', outputNamed('modern_output'));
    expect(await problemsOf(`plugins: [modern]\n${form('modern_output')}`)).toEqual([]);
    write('site/bare.mjs', outputNamed('bare'));
    expect((await problemsOf(`plugins: [bare.mjs]\n${form('bare')}`))[0]).toContain(
      'for a file, write ./bare.mjs',
    );
  });

  test('say what to do if they are not installed', async () => {
    expect(await problemsOf(`plugins: [form-relay-nowhere]\n${form('a')}`)).toEqual([
      '1:11 the plug-in cannot be loaded: no package of this name is installed; npm install form-relay-nowhere',
    ]);
  });
});

describe('options of a plug-in', () => {
  const crm = `export default (kit, options) => ({
    name: 'crm',
    options: {
      token: kit.key.required('The key.', kit.key.secret()),
      region: kit.key.withDefault('eu', 'Where.', kit.key.oneOf(['eu', 'us'])),
      wait: kit.key.optional('How long.', kit.key.duration()),
    },
    messages: { en: { crm: JSON.stringify(options) } },
    outputs: [{ type: 'crm', summary: '', keys: {}, open: () => ({ target: 'crm', send: async () => {} }) }],
  });`;
  const listed = (entry: string) => `plugins: [${entry}]\n${form('crm')}`;
  const services = { ...ownServices({}), env: (name: string) => (name === 'T' ? 'abc' : undefined) };
  const parseWith = (entry: string) => {
    const text = listed(entry);
    const path = write('site/options.yaml', text);
    return inspectConfig(text, { ...textSource(path, text), pluginFolder: dirname(path) }, { services });
  };

  test('are read by its own schema, with the environment', async () => {
    write('site/crm.mjs', crm);
    const parsed = await parseWith(
      `{use: ./crm.mjs, with: {token: '{{ env "T" }}', wait: '{{ env "W" | default "10s" }}'}}`,
    );
    if (!parsed.ok) expect.unreachable(JSON.stringify(parsed.error));
    const { registry, env } = parsed.value;
    const said = { token: 'abc', region: 'eu', wait: 10_000 };
    expect(registry.messagesIn('en').crm).toBe(JSON.stringify(said));
    expect(env).toContainEqual({ name: 'T', path: ['plugins', 0, 'with', 'token'], isNeeded: true });
  });

  test.each([
    ['{use: ./crm.mjs, with: {token: abc}}', /^1:42 a secret belongs in the environment/],
    ['{use: ./crm.mjs}', /^1:11 token is missing$/],
    ['./crm.mjs', /^1:11 token is missing$/],
    [
      `{use: ./crm.mjs, with: {token: '{{ env "T" }}', regoin: us}}`,
      /^1:59 unknown key \(did you mean region\?\)$/,
    ],
    [`{use: ./crm.mjs, with: {token: '{{ env "T" }}', region: mars}}`, /^1:67 .*expected eu or us/],
    [`{use: ./crm.mjs, with: {token: '{{ .fields.name }}'}}`, /^1:43 options are read once/],
    ['{use: ./plain.mjs, with: {token: abc}}', /^1:30 "plain" has no options$/],
    ['{with: {token: abc}}', /^1:11 use is missing$/],
    ['{use: ./crm.mjs, with: [token]}', /^1:28 found a list; expected a map of options$/],
    [
      `{use: ./crm.mjs, with: {token: '{{ env "T" }}'}}, {use: ./crm.mjs, with: {token: '{{ env "T" }}', region: us}}`,
      /^1:61 "crm" is already listed, with other options/,
    ],
  ])('%s is a mistake at its position', async (entry, expected) => {
    write('site/crm.mjs', crm);
    write('site/plain.mjs', outputNamed('plain'));
    const parsed = await parseWith(entry);
    if (parsed.ok) expect.unreachable();
    const [{ line, column, message } = expect.unreachable()] = parsed.error;
    expect(`${line}:${column} ${message}`).toMatch(expected);
  });

  test('may name the plug-in, so that one module is used twice', async () => {
    write(
      'site/chat.mjs',
      `export default (kit, { as = 'chat' }) => ({ name: as, options: { as: kit.key.required('Its type.', kit.key.text()) },
        outputs: [{ type: as, summary: '', keys: {}, open: () => ({ target: as, send: async () => {} }) }] });`,
    );
    const twice = 'plugins: [{use: ./chat.mjs, with: {as: red}}, {use: ./chat.mjs, with: {as: blue}}]\n';
    for (const type of ['red', 'blue']) expect(await problemsOf(twice + form(type))).toEqual([]);
  });
});

describe('a config that is not a file', () => {
  const module = write('far/trusted.mjs', outputNamed('trusted'));

  test.each(['../../etc/x.mjs', '/etc/x.mjs', 'form-relay-airtable'])('cannot name %s', async (name) => {
    const source = textSource('s3://bucket/webform.yaml', '');
    const parsed = await inspectConfig(`plugins: ["${name}"]\n${form('http_post')}`, source);
    expect(!parsed.ok && parsed.error[0]?.message).toContain(
      'this config is not a file, so it cannot load code',
    );
  });

  test('has the plug-ins of RELAY_PLUGINS, and may name them', async () => {
    for (const names of ['', `plugins: ["${module}"]\n`]) {
      const env = { CONFIG_INLINE: names + form('trusted'), RELAY_PLUGINS: module };
      const relay = createRelay({ env, services: { log: () => {} } });
      expect([...((await relay.config.get())?.forms.keys() ?? [])]).toEqual(['contact']);
      await relay.close();
    }
  });

  test('does not load if RELAY_PLUGINS names a missing module', async () => {
    const logged: unknown[] = [];
    const env = { CONFIG_INLINE: form('http_post'), RELAY_PLUGINS: './gone.mjs' };
    const relay = createRelay({ env, services: { log: (...line) => void logged.push(line) } });
    expect(await relay.config.get()).toBeUndefined();
    expect(JSON.stringify(logged)).toContain('RELAY_PLUGINS: ./gone.mjs cannot be loaded: there is no file');
    await relay.close();
  });
});
