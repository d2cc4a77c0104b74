/** Every documented key, option and variable has an effect: a value changes output, or a test is named. */
import { readdirSync, readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { openTerminal, type Terminal } from '../../packages/cli/test/terminal.ts';
import keysByName from '../../packages/runtimes/src/bundled_keys.json' with { type: 'json' };
import { catalogue } from '../../packages/runtimes/src/catalogue.ts';
import { startHttpSink, startRelay, startSmtpSink } from '../support/index.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

type Keys = Readonly<Record<string, unknown>>;
interface Probe {
  readonly $: unknown;
  /** Other keys of the same block. */
  readonly with?: Keys;
  /** Keys of the field itself. */
  readonly keys?: Keys;
  readonly body?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Top-level keys of the config. */
  readonly config?: Keys;
  /** The value to compare with, for a required key. */
  readonly or?: unknown;
  /** The key that has the value, if the row is about a part of it. */
  readonly as?: string;
  /** Keys of the output to remove. */
  readonly drop?: readonly string[];
}

const table = load(read('test/effects/effects.yaml')) as Readonly<Record<string, Keys>>;

/** A valid value for each field type, and its required keys. */
const fields: Readonly<Record<string, readonly [value: string, keys?: Keys]>> = {
  select: ['5', { options: ['5'] }],
  checkboxes: ['5', { options: ['5'] }],
  checkbox: ['true'],
  country: ['FR'],
  consent: ['on', { label: 'Yes' }],
  tel: ['+4930901820'],
  grid: ['a', { rows: ['x'], options: ['a'] }],
  repeat: ['x', { fields: [{ name: 'x' }] }],
};
const outputs: Readonly<Record<string, Keys>> = {
  http_post: { url: '$sink/' },
  webhook: { url: '$sink/' },
  slack: { url: '$sink/' },
  email: { host: '127.0.0.1', port: '$smtp', to: 'a@b.example' },
};

const [http, smtp] = [await startHttpSink(), await startSmtpSink()];
afterAll(() => Promise.all([http.close(), smtp.close()]));

const ofScript = { accept: 'text/html;profile=form-relay' };

/** The behaviour of a relay with this config: forms, answers, deliveries. */
async function seen(config: object, body: string, env: Readonly<Record<string, string>>) {
  const text = JSON.stringify(config)
    .replaceAll('$sink', http.origin)
    .replaceAll('"$smtp"', `"${smtp.port}"`);
  const now = Date.UTC(2030, 0, 1);
  const relay = await startRelay({
    config: text,
    env,
    effects: { now: () => now, uuid: () => 'id', random: () => 0 },
  });
  const [posts, mails] = [http.requests.length, smtp.mails.length];
  const shown = [];
  for (const path of ['x?f=q', 'x?as=page', 'other'])
    shown.push(await relay.get(`/api/v1/form/${path}`, { origin: 'https://b.example' }));
  shown.push(await relay.get('/api/v1/form/x', ofScript));
  expect(relay.logged.flatMap(({ problems = [] }) => problems)).toEqual([]);
  for (const headers of [
    {},
    { 'hx-request': 'true' },
    { accept: 'text/html' },
    { 'accept-language': 'de' },
    { origin: 'https://b.example' },
  ] as Record<string, string>[])
    shown.push(await relay.submit('x', body, headers));
  shown.push(await relay.submit('x', '{"f": "5"}', { 'content-type': 'application/json' }));
  await relay.close();
  return [
    ...shown.map(({ status, headers, text }) => [
      status,
      headers.get('location'),
      headers.get('content-language'),
      text,
    ]),
    ...http.requests
      .slice(posts)
      .map(({ method, url, headers, body }) => [method, url, headers['x-a'], body]),
    ...smtp.mails.slice(mails).map(({ raw, envelope }) => [envelope, raw]),
  ].map((one) => JSON.stringify(one).replaceAll(/[\w+=/-]{20,}|boundary|(?<=Date: )[^\\]*/g, '#'));
}

/** The config with this key's value, or without it. */
function configOf(section: string, row: string, probe: Probe, has: boolean) {
  const { $, or, as: key = row, with: siblings = {}, keys, drop = [], config = {} } = probe;
  const own = has ? { [key]: $ } : or === undefined ? {} : { [key]: or };
  const [type = '', isOutput] = [section.split(' ')[0], section in outputs || section === 'Outputs'];
  const isSpam = section === 'Spam';
  const isForm = ['Form', 'Config', 'Look', 'Classes', 'Spam', 'Captcha'].includes(section);
  const isField = !isOutput && !isForm;
  const common = section === 'Fields' || type === 'text';
  const needs = isField ? (keys ?? fields[type]?.[1]) : {};
  const field = { name: 'f', ...(isField && !common && { type }), ...needs, ...(isField && own) };
  const whole = { ...outputs[section in outputs ? section : 'http_post'] } as Record<string, unknown>;
  for (const one of drop) delete whole[one];
  const outputType = section === 'email' ? 'smtp' : section in outputs ? section : 'http_post';
  const output = {
    type: outputType,
    ...whole,
    ...(outputType !== 'slack' && { mapping: '*' }),
    ...(isOutput && { ...siblings, ...own }),
  };
  const form = {
    fields: [field, ...((isField && (siblings.fields as readonly object[])) || [])],
    outputs: [output],
    ...(isForm && !isSpam && siblings),
    ...(isForm && section !== 'Config' && !isSpam && own),
    ...(isSpam && { spam: { ...siblings, ...own } }),
  };
  return { ...config, ...(section === 'Config' && own), forms: { x: form } };
}

const rows = Object.entries(table).flatMap(([section, keys]) =>
  Object.entries(keys).map(([key, entry]) => [section, key, entry] as const),
);
const isNamed = (entry: unknown): entry is string =>
  typeof entry === 'string' && /^\S+\.test\.ts \| /.test(entry);

test.each(rows.filter(([, , entry]) => !isNamed(entry)))(
  '%s: %s has an effect',
  async (section, key, entry) => {
    const isMap = typeof entry === 'object' && entry !== null && '$' in entry;
    const probe = (isMap ? entry : { $: entry }) as Probe;
    const body = probe.body ?? `f=${encodeURIComponent(fields[section]?.[0] ?? '5')}`;
    const run = (has: boolean) =>
      seen(
        configOf(section, key, probe, has),
        body,
        Object.fromEntries(
          Object.entries(probe.env ?? {}).map(([name, value]) => [name, value.replace('$sink', http.origin)]),
        ),
      );
    const before = await run(false);
    expect(await run(false)).toEqual(before);
    expect(await run(true)).not.toEqual(before);
  },
);

test.each(rows.filter(([, , entry]) => isNamed(entry)))('%s: the named test of %s exists', (_, __, entry) => {
  const [file = '', title = ''] = String(entry).split(' | ');
  expect(read(file)).toContain(title);
});

/** Names in the reference's lists and tables, by heading. */
function documented(): readonly string[] {
  let heading = '';
  return read('docs/reference.md')
    .split('\n')
    .flatMap((line) => {
      heading = /^#+ (.*)/.exec(line)?.[1] ?? heading;
      const [, key, name = key] = /^(?:- `([^`]+)`(?= \(|:)|\| `([^`]+)` \|)/.exec(line) ?? [];
      return name === undefined ? [] : `${heading} ${name}`;
    });
}

/** Whether a key belongs to a unit of the catalogue, whose own test names it. */
const isOfUnit = (documented: string): boolean => {
  const [, section = '', key = ''] = /^(.*) ([^\s.[]+)[^\s]*$/.exec(documented) ?? [];
  const place = { Form: 'form', Spam: 'spam', Config: 'top', Fields: 'field' }[section];
  return Object.keys(catalogue)
    .flatMap((name) => keysByName[name as keyof typeof keysByName].owns)
    .some(
      (owned) =>
        [`fieldType ${section}`, `outputType ${section}`, place && `${place} ${key}`].includes(owned) ||
        (documented.startsWith('Fields options[].') && owned === `option ${documented.split('[].')[1]}`) ||
        (/^(field|output) (\S+) /.exec(owned)?.[2] === key && owned.split(' ').includes(section)),
    );
};

test('every key and variable in the reference has a row, and no other has one', () => {
  const wanted = documented().filter((one) => !isOfUnit(one));
  expect(rows.map(([section, key]) => `${section} ${key}`).sort()).toEqual(wanted.toSorted());
});

/** Options in each command's help, such as `kept list --due`. */
async function options(run: Terminal['run'], path: readonly string[] = []): Promise<readonly string[]> {
  const { stdout } = await run(`relay ${path.join(' ')} --help`);
  const part = (name: string) => new RegExp(`^${name}:\\n((?: {2}.*\\n?)+)`, 'm').exec(stdout)?.[1] ?? '';
  const own = [...part('Options').matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, option = '']) => option);
  const below = [...part('Commands').matchAll(/^ {2}(\w+)/gm)].flatMap(([, name = '']) =>
    name === 'help' ? [] : [name],
  );
  const more = await Promise.all(below.map((name) => options(run, [...path, name])));
  return [
    ...own.filter((one) => !/^--(help|version)$/.test(one)).map((one) => [...path, one].join(' ')),
    ...more.flat(),
  ];
}

const probes = [
  ['form html', 'x', '--lang de'],
  ['explain', 'x f=1', '--key NO_KEY'],
];
const probed = probes.map(([command, , option]) => `${command} ${option?.split(' ')[0]}`);

test.each(probes)('relay %s %s prints something different with %s', async (name, rest, option) => {
  const command = `${name} ${rest}`;
  const text =
    'forms: {x: {languages: [en, de], fields: [{name: f, required: true}], outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]}}';
  const { run } = await openTerminal({ files: { 'webform.yaml': text } });
  expect(await run(`relay ${command} ${option}`)).not.toEqual(await run(`relay ${command}`));
});

const erase = 'packages/stored/test/erase.test.ts';
const learn = 'packages/cli/test/rules.test.ts';
/** Tests that pass an option in another way. */
const elsewhere: Readonly<Record<string, string>> = {
  'link --qr': 'packages/cli/test/link.test.ts | --qr writes the URL of the page',
  'mcp --values':
    'apps/mcp/test/submissions.test.ts | without --values, nothing written by a visitor is shown',
  'mcp --team': 'apps/mcp/test/http.test.ts | needs a token that the provider issued',
  'places --forget': 'packages/capacity/test/command.test.ts | and lets a value register again',
  'places --json': 'packages/capacity/test/command.test.ts | if part of the count is damaged',
  'doctor --write': 'packages/doctor/test/stores.test.ts | and written to only with --write',
  'receipt verify --file': 'packages/cli/test/transcripts/receipt.txt | $CODE --file cv=missing.pdf',
  'receipt verify --keys': 'packages/cli/test/transcripts/receipt.txt | verify --keys keys.json',
  'archive erase --identity': `${erase} | opens sealed submissions with their key`,
  'archive erase --mentions': `${erase} | and only those of a form with --form`,
  'archive erase --record': `${erase} | a person is erased from a bucket`,
  'archive erase --dry-run': `${erase} | removes nothing without confirmation or with --dry-run`,
  'rules learn --verdicts': `${learn} | and the current model stays`,
  'rules learn --identity': `${learn} | and the current model stays`,
  'rules learn --until': `${learn} | and the current model stays`,
  'rules learn --messages': `${learn} | messages are read from JSON lines`,
  ...Object.fromEntries(
    ['Leads --output', 'email --field', 'leads --feature', 'nats --store', 'doctor --command'].map((made) => [
      `plugin new ${made.split(' ')[1]}`,
      `test/plugins/authors.test.ts | ${made}`,
    ]),
  ),
  'ask --answer-to': 'packages/ask/test/ask.test.ts | address --answer-to',
  'ask --id': 'packages/ask/test/ask.test.ts | address --id',
  'ask --wait': 'packages/ask/test/ask.test.ts | --wait',
  'mcp --ask': "packages/ask/test/ask.test.ts | options: ['--ask']",
  'inbox --store': "apps/inbox/test/work.test.ts | ['--store', 'store']",
  'demo --keep': 'packages/cli/test/demo.test.ts | relay demo --keep accepts only a new folder',
  'dev --no-open': 'packages/cli/test/open_browser.test.ts | dev --no-open',
  'inbox --no-open': 'packages/cli/test/open_browser.test.ts | inbox --no-open',
  'plugin new --typescript': 'test/plugins/authors.test.ts | --typescript',
  'plugin new --package': 'test/plugins/authors.test.ts | --package',
  'plugin list --json': 'test/plugins/authors.test.ts | plugin list --json',
};

test.each(Object.entries(elsewhere))('the named test of %s exists', (_, entry) => {
  const [file = '', title = ''] = entry.split(' | ');
  expect(read(file)).toContain(title);
});

/** Options that no test uses yet. */
const untested = [
  ...[
    'inbox --listen',
    'inbox --identity',
    'rules mark --form',
    'rules learn --form',
    'rules learn --json',
    'kept deliver --json',
  ],
];

const isChoice = /^(kept|archive) \w+ --(in|form|since|until|older-than|due|aside)$/;

test('every option of every command is used in a test, or its test is named', async () => {
  const { run } = await openTerminal();
  const files = readdirSync('.', { recursive: true, encoding: 'utf8' }).filter((path) =>
    /^(packages|apps|test)\/(?!effects|.*node_modules).*\.(test\.ts|txt)$/.test(path),
  );
  const texts = files.map((path) => readFileSync(path, 'utf8'));
  const isRun = (option: string) => {
    const [flag, ...path] = option.split(' ').reverse();
    // A group's commands select entries with the same options.
    const command = isChoice.test(option) ? `${path.at(-1)} \\w+` : path.reverse().join(' ');
    const line = new RegExp(`\\b${command}\\b[^]{0,160}${flag}\\b`);
    return texts.some((text) => line.test(text));
  };
  expect(
    (await options(run)).filter(
      (option) => !isRun(option) && !probed.includes(option) && !(option in elsewhere),
    ),
  ).toEqual(untested);
});
