/** The parts that a config names are loaded for it; all others are not, since most configs name few. */
import { expect, test } from 'vitest';
import { must } from '../../../test/support/must.ts';
import { bundled } from '../../runtimes/src/bundled.ts';
import { readConfigText } from '../../yaml/src/config_text.ts';
import { usedIn } from '../src/bundled_plugin.ts';

const url = 'url: "http://localhost/hook"';
const post = `{type: http_post, ${url}, mapping: "*"}`;
const through = 'through: {type: smtp, host: localhost, from: office@localhost}';
const contact = (keys = '', { field = '{name: email, type: email}', output = post } = {}) =>
  `forms: {contact: {fields: [${field}], outputs: [${output}]${keys}}}`;

/** The names of the plug-ins that a relay loads for a config. */
const loadedFor = async (config: string) =>
  usedIn(must(await readConfigText(config)).value, bundled).map(({ name }) => name);

test.each<[string, string, readonly string[]]>([
  ['nothing of it', contact(), []],
  ['keep', `keep: {in: /var/lib/kept}\n${contact(', keep: failed')}`, ['queue']],
  ['kept_message', contact(', kept_message: We have it.'), ['queue']],
  ['alerts', `alerts: {outputs: [${post}]}\n${contact()}`, ['mail_words', 'queue']],
  ['doubt', contact(', spam: {doubt: tag}'), ['proof_of_work', 'min_fill', 'spam_score']],
  ['signals', contact(', spam: {signals: {links: 3}}'), ['min_fill', 'spam_score']],
  ['a field type', contact('', { field: '{name: cv, type: file}' }), ['files']],
  ['an output type', contact('', { output: `{type: slack, ${url}}` }), ['slack']],
  [
    'a condition of a thanks',
    contact(', thanks: [{when: {field: email, matches: "^a"}, text: Hello}]'),
    ['thanks', 'pattern'],
  ],
  [
    'a mail to the visitor',
    contact(`, confirmation_mail: {to: email, subject: Thanks, text: We have it., ${through}}`),
    ['visitor_mails'],
  ],
])('a config that names %s', async (_, config, expected) => {
  expect(await loadedFor(config)).toEqual(expected);
});

const slack = (type: string) => contact('', { output: `{${url}, type: ${type}}` });

test.each([
  ['in other letters', slack('"sl\\x61ck"')],
  ['in letters of four digits', slack('"sl\\u0061ck"')],
  ['in letters of eight', slack('"sl\\U00000061ck"')],
  ['on two lines', slack('"sl\\\n  ack"')],
  ['on two lines, as Windows ends them', slack('"sl\\\r\n  ack"')],
])('a name that is written %s is found', async (_, config) => {
  expect(await loadedFor(config)).toEqual(['slack']);
});
