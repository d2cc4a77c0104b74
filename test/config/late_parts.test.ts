/** What a config names is read for it; what it does not name is not, since most name little of it. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { err } from '../../packages/core/src/base/result.ts';
import type { ParseResult } from '../core/parse_config.ts';

const url = 'url: "http://localhost/hook"';
const post = `{type: http_post, ${url}, mapping: "*"}`;
const through = 'through: {type: smtp, host: localhost, from: office@localhost}';
const contact = (keys = '', { field = '{name: email, type: email}', output = post } = {}) =>
  `forms: {contact: {fields: [${field}], outputs: [${output}]${keys}}}`;

test.each<[string, string, readonly string[], readonly string[]]>([
  ['nothing of it', contact(), [], []],
  ['keep', `keep: {in: /var/lib/kept}\n${contact(', keep: failed')}`, ['keep'], []],
  ['kept_message', contact(', kept_message: We have it.'), ['keep'], ['kept_message_unused']],
  ['alerts', `alerts: {outputs: [${post}]}\n${contact()}`, ['alerts'], ['alerts_of_nothing']],
  ['doubt', contact(', spam: {doubt: tag}'), ['doubt'], []],
  ['signals', contact(', spam: {signals: {links: 3}}'), ['doubt'], ['signals_without_doubt']],
  ['a field type', contact('', { field: '{name: cv, type: file}' }), ['file'], ['files_go_nowhere']],
  ['an output type', contact('', { output: `{type: slack, ${url}}` }), ['slack'], []],
  [
    'a mail to the visitor',
    contact(`, confirmation_mail: {to: email, subject: Thanks, text: We have it., ${through}}`),
    ['mails'],
    ['visitor_mail_unguarded'],
  ],
])('a config that names %s', async (_, config, expected, warnings) => {
  const { result, read } = await parse(config);
  expect(read).toEqual(expected);
  expect(result.ok ? (await result.value.warnings()).map(({ code }) => code) : result.error).toEqual(
    warnings,
  );
});

const slack = (type: string) => contact('', { output: `{${url}, type: ${type}}` });

test.each([
  ['in other letters', slack('"sl\\x61ck"')],
  ['in letters of four digits', slack('"sl\\u0061ck"')],
  ['in letters of eight', slack('"sl\\U00000061ck"')],
  ['on two lines', slack('"sl\\\n  ack"')],
  ['on two lines, as Windows ends them', slack('"sl\\\r\n  ack"')],
])('a name that is written %s is found', async (_, config) => {
  const { result, read } = await parse(config);
  expect(result.ok && (await result.value.warnings())).toEqual([]);
  expect(read).toContain('slack');
});

const parts = {
  keep: '../../packages/relay/src/features/keep/keep_keys.ts',
  alerts: '../../packages/relay/src/config/alerts_form.ts',
  doubt: '../../packages/relay/src/features/doubt/doubt_keys.ts',
  file: '../../packages/relay/src/fields/file.ts',
  slack: '../../packages/relay/src/outputs/slack.ts',
  mails: '../../packages/relay/src/features/visitor_mails/visitor_mail_keys.ts',
};

/** By a relay that has read no config yet: what comes of it, and which parts it read for it. */
async function parse(config: string): Promise<{ result: ParseResult; read: readonly string[] }> {
  const read: string[] = [];
  vi.resetModules();
  for (const [part, path] of Object.entries(parts)) {
    vi.doMock(path, async (original) => {
      read.push(part);
      return original<object>();
    });
  }
  onTestFinished(() => {
    for (const path of Object.values(parts)) vi.doUnmock(path);
    vi.resetModules();
  });
  const { parseInLanguages } = await import('../core/parse_config.ts');
  const result = await parseInLanguages(config, 'webform.yaml', async () => err('there is no such file'));
  return { result, read };
}
