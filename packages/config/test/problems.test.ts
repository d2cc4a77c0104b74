import { secretValues } from '@form-relay/mcp/bounds';
import { filesNamedIn } from '@form-relay/yaml/files_named';
import { describe, expect, test } from 'vitest';
import { inspectInLanguages, parseConfig } from '../../../test/support/parse_config.ts';
import { readSettings } from '../../core/src/settings.ts';
import { words } from '../../schema/src/suggestion.ts';

/** The problems of a config with this many of them, one a line. */
function problemsOf(count: number) {
  const keys = Array.from({ length: count }, (_, index) => `wrong${index}: 1\n`);
  const result = parseConfig(`forms: {}\n${keys.join('')}`, 'webform.yaml');
  return result.ok ? [] : result.error;
}

test.each([202, 1000])('the last of %i reported problems counts the rest', (count) => {
  const problems = problemsOf(count);
  expect(problems).toHaveLength(201);
  expect(problems.slice(0, 200).map(({ path }) => path)).toEqual(
    Array.from({ length: 200 }, (_, index) => `wrong${index}`),
  );
  expect(problems.at(-1)).toMatchObject({ line: 202, message: `${count - 200} more problems from here on` });
});

/** "Did you mean" as a change of the file: applied, it mends the problem. */

/** `«wrong»` stands for the word found, which is the only mistake. */
const cases: Readonly<Record<string, readonly [yaml: string, meant: string]>> = {
  'a key': ['forms: {a: {fields: [{«nmae»: email}], outputs: $out}}', 'name'],
  'a key that other tools call so': ['forms: {a: {fields: [{name: b, «title»: B}], outputs: $out}}', 'label'],
  'a flag': ['forms: {a: {fields: [{name: b, required: «yes»}], outputs: $out}}', 'true'],
  'a duration': [
    'forms: {a: {fields: [{name: b}], outputs: [{timeout: «10 seconds», type: http_post, url: "http://localhost", mapping: "*"}]}}',
    '10s',
  ],
  'a field of a mapping': [
    'forms: {a: {fields: [{name: email}], outputs: [{type: http_post, url: "http://localhost", mapping: {to: «emial»}}]}}',
    'email',
  ],
  'a field of a template, but not the same word beside it': [
    'forms: {a: {fields: [{name: email}], outputs: [{type: http_post, url: "http://localhost", static: {to: "emial {{ trim .fields.«emial» }}"}}]}}',
    'email',
  ],
  'a path of a template': [
    'forms: {a: {fields: [{name: email}], outputs: [{type: http_post, url: "http://localhost", static: {to: "{{ «.filds.email» }}"}}]}}',
    '.fields.email',
  ],
};

const out = '[{type: http_post, url: "http://localhost", mapping: "*"}]';

async function problemsOfMeant(yaml: string) {
  const parsed = await inspectInLanguages(yaml, 'webform.yaml');
  return parsed.ok ? await parsed.value.warnings() : parsed.error;
}

describe('a word that was probably meant mends', () => {
  test.each(Object.entries(cases))('%s', async (_, [marked, near]) => {
    const [before = '', found = '', after = ''] = marked.replace('$out', out).split(/[«»]/);
    const problems = await problemsOfMeant(before + found + after);
    const lines = before.split('\n');
    expect(problems.map(({ meant }) => meant)).toEqual([
      { text: near, line: lines.length, column: (lines.at(-1) ?? '').length + 1, length: found.length },
    ]);
    expect(await problemsOfMeant(before + near + after)).toEqual([]);
  });
});

/** If a config or environment names what an earlier version read, the error says since when it is gone, why, and what to use. */

const byRule =
  'a rule of your stylesheet does the same; leave it out, and style this part by its own class (docs/styling.md)';
const ofHtmx = '`relay form html` prints no forms for htmx; leave it out';

const closed = 'a full form is closed; leave it out; for a waiting list, offer a second form, or more places';

const keys: [key: string, why: string][] = [
  [
    'keep.seal_to',
    'the relay cannot retry what it cannot read; leave it out, and set KEEP_SECRET, which encrypts what is kept for the relay',
  ],
  [
    'keep.then',
    'what no output took waits for you, and is never lost; leave it out; relay kept drop --aside --older-than 14d --yes deletes',
  ],
  [
    'bounces',
    'mail providers show and report bounces themselves; leave it out, and have your provider report them',
  ],
  [
    'spam.behaviour',
    'it watched visitors, and was hardly used; leave it out; the other signals of doubt go on, and proof_of_work asks a visitor’s browser',
  ],
  [
    'spam.signals.blocklist.networks',
    'proxies and firewalls block networks before they cost anything; leave it out, and block them there; rate_limit slows down the rest',
  ],
  ['spam.signals.behaviour', 'it watched visitors, and was hardly used; leave it out'],
  ...['httpbl', 'rspamd', 'stopforumspam', 'akismet'].map((name): [string, string] => [
    `spam.signals.${name}`,
    'visitors waited for a third party, which read what they typed; leave it out, and use learned or blocklist, or let the program behind a webhook ask it',
  ]),
  ['spam.signals.price_bait', 'it knew one campaign alone; leave it out; repeated finds what comes again'],
  ['spam.tag_subject', 'filters of mail know X-Form-Doubt; leave it out: subjects begin with [Spam?]'],
  ['spam.signals.disposable', 'blocklist reads the same list; name the file under domains of blocklist'],
  ['spam.proof_field', 'ALTCHA’s widget has the same name; leave it out: the field is altcha'],
  [
    'spam.without_script',
    'whoever has no script types a number; leave it out; against bots that can do so, use a captcha',
  ],
  ['spam.challenge', 'a harder puzzle asks no visitor for anything; leave it out'],
  [
    'captcha.only_in_doubt',
    'doubted visitors solve a puzzle that asks them for nothing; leave out captcha for that puzzle alone, or this key to ask everybody',
  ],
  ['journal', 'the log says the same; leave it out, and read the log (docs/logs.md)'],
  ['stats', 'it was hardly used; leave it out; for pages, use the analytics of your site'],
  [
    'resume',
    'it was hardly used; leave it out, and ask for less or in steps (docs/fields.md); browsers fill in names and addresses by themselves',
  ],
  [
    'origins_unknown',
    'browsers hide origins of people, too; leave it out: submissions without an origin are taken',
  ],
  ...words(
    'title note field_note group group_legend step_title progress required range output check_label invalid summary errors confirmation',
  ).map((part): [string, string] => [`classes.${part}`, byRule]),
  ['classes.legend', 'legends have the class names of labels; leave it out, or name them in label'],
  [
    'remember',
    'browsers fill in names and addresses themselves; leave it out, and set autocomplete on such fields',
  ],
  [
    'fields.remember',
    'browsers fill in names and addresses themselves; leave it out, or write autocomplete: off for what browsers must not keep',
  ],
  ['messages.skipped_time', 'an hour that clocks skip is taken; leave it out'],
  ['when_full', closed],
  ['outputs.waiting', closed],
  ['messages.file_sending', 'the list of chosen files says enough; leave it out'],
  ['messages.waiting_list', 'a full form is closed; leave it out'],
  ['messages.challenge_captcha', 'who is challenged solves a puzzle, or types a number; leave it out'],
  ['messages.without_script', ofHtmx],
  ['messages.without_script_link', ofHtmx],
  ['messages.without_script_label', ofHtmx],
  ['messages.without_script_option', ofHtmx],
];

const lists = ['outputs', 'fields'];

/** `{spam: {signals: {links: 1}}}` for `spam.signals.links`. */
const nested = ([key = '', ...rest]: readonly string[]): Readonly<Record<string, unknown>> => {
  const value = rest.length === 0 ? 1 : nested(rest);
  return { [key]: lists.includes(key) ? [value] : value };
};

test.each(keys)('the key %s', async (key, why) => {
  const part = nested(key.split('.'));
  const configs = [part, { forms: { contact: part } }];
  const problems = await Promise.all(
    configs.map((config) => inspectInLanguages(JSON.stringify(config), 'webform.yaml')),
  );
  const said = problems.flatMap((result) => (result.ok ? [] : result.error));
  expect(said.filter(({ code }) => code === 'key_removed')).not.toEqual([]);
  for (const { message } of said.filter(({ code }) => code === 'key_removed'))
    expect(message).toBe(`removed in 0.2.0, because ${why}`);
});

test.each([
  [
    'WORKERS',
    'one core answers more than a site needs; unset it; for more cores, start several copies (docs/copies.md)',
  ],
  ['LOG_FORMAT', 'programs read the log; unset it; to read it yourself, pipe it through jq (docs/logs.md)'],
  [
    'AWS_USE_FIPS_ENDPOINT',
    'it was hardly used; unset it; for FIPS endpoints, set AWS_ENDPOINT_URL_S3 and its siblings',
  ],
  [
    'AWS_USE_DUALSTACK_ENDPOINT',
    'it was hardly used; unset it; for endpoints with IPv6, set AWS_ENDPOINT_URL_S3 and its siblings',
  ],
])('the variable %s', (name, why) => {
  expect(() => readSettings({ [name]: '1' })).toThrow(`${name}: removed in 0.2.0, because ${why}`);
  for (const off of ['', 'false']) expect(() => readSettings({ [name]: off })).not.toThrow();
});

/** Secrets of a config, which assistants never read, and the files that it names. */

test.each<[what: string, config: string, secrets: readonly string[]]>([
  ['values under secret keys', 'password: longpw\ntitle: longti', ['longpw']],
  ['none of five characters, which stand everywhere', 'password: short', []],
  ['no template', `password: '{{ env "PASSWORD" }}'`, []],
  ['no username, which many share', 'a: {username: somebody, password: longpassword}', ['longpassword']],
  ['each once', 'a: {password: longpw}\nb: [{token: longpw}]', ['longpw']],
  ['numbers', 'a:\nb: {password: 1234567, token: true, secret: }', ['1234567']],
  [
    'values of headers',
    'outputs: [{headers: {X-Key: abcdef, Accept: text/html, CONTENT-LENGTH: "1234567", X-Accept: ghijkl}}]',
    ['abcdef', 'ghijkl'],
  ],
  ['headers of other names elsewhere', 'accept: {password: longpw}', ['longpw']],
  [
    'what stands after a scheme',
    'headers: {Authorization: Bearer   abcdef, X-A: "1 abcdefg", X-B: a ghi jkl}',
    ['Bearer   abcdef', 'abcdef', '1 abcdefg', 'a ghi jkl'],
  ],
  [
    'credentials in addresses',
    'urls: [HTTPS://u.ser-1:pa:ss/x, HTTPS://u.ser-1:passwd@a.example, "a+b://longname@a.example:1/x@y"]',
    ['u.ser-1', 'passwd', 'longname'],
  ],
  [
    'no address within a text',
    'urls: ["see https://username:password@a.example", "1s://username@a.example"]',
    [],
  ],
  ['none of what is no YAML', 'password: [longpw', []],
])('of a config are hidden %s', (_, config, secrets) => {
  expect(secretValues(config)).toEqual(secrets);
});

test.each<[what: string, config: string, beside: readonly string[], fonts: readonly string[]]>([
  ['fonts', 'pdf: {fonts: [a.ttf], title: b}\nhtml: {fonts: [c]}', [], ['a.ttf']],
  [
    'lists of all forms',
    'spam: {signals: {words: {block: words.txt, x: {y: z}}, quick: a}}',
    ['words.txt'],
    [],
  ],
  [
    'lists of a form',
    'forms: {a: {spam: {signals: {words: {block: words.txt}}, other: {words: {block: b}}}, pam: {signals: {words: {block: c}}}}}',
    ['words.txt'],
    [],
  ],
  ['none of what is no YAML', 'pdf: {fonts: [a.ttf]', [], []],
])('a config names %s', (_, config, beside, fonts) => {
  const { fonts: ofFonts, ...others } = filesNamedIn(config);
  expect(ofFonts).toEqual(new Set(fonts));
  expect(new Set(Object.values(others).flatMap((some) => [...some]))).toEqual(new Set(beside));
});
