/** Where deliveries can be queued: a folder, or a queue's URL. `cases` includes invalid URLs. */

import { createRelay, must, relayWith } from '../../../test/support/index.ts';
import { parseConfig } from '../../../test/support/parse_config.ts';
import { feature, type Plugin } from '../../core/src/plugin.ts';
import { namesIn, usedIn } from '../../plugin-host/src/bundled_plugin.ts';
import { bundled } from '../../runtimes/src/bundled.ts';
import { inspectConfig } from '../../runtimes/src/inspect.ts';
import { queues } from '../../stores/src/cloudflare/index.ts';
import { folder } from '../../stores/src/folder/index.ts';
import { placeAt, bundled as stores } from '../../stores/src/index.ts';
import { nats, natsAddress } from '../../stores/src/nats/index.ts';
import { sqs } from '../../stores/src/sqs/index.ts';
import { readConfigText } from '../../yaml/src/config_text.ts';
import { textSource } from '../src/source.ts';

test.each([
  ['/var/lib/form-relay', folder],
  ['kept', folder],
  ['./nats://kept', folder],
  ['sqs://sqs.eu-central-1.amazonaws.com/123456789012/kept', sqs],
  ['SQS://localhost:4566/000000000000/kept-1_2', sqs],
  ['nats://a.example/kept', nats],
  ['nats://a.example:4222/kept/', nats],
  ['TLS://a.example,b.example:4222/kept', nats],
  ['queue://KEPT/ASIDE', queues],
  ['nats://[::1]:4222/kept', nats],
])('%s is a place', (name, type) => expect(placeAt(name, stores, 'deliveries')).toEqual({ name, type }));

test('a NATS URL names servers, a stream, and whether TLS is required', () => {
  expect(natsAddress('TLS://a.example,b.example:4222/kept/')).toMatchObject({
    servers: ['a.example', 'b.example:4222'],
    stream: 'kept',
    isTls: true,
  });
});

test.each([
  ['s3://kept', { bucket: 'kept', prefix: '' }],
  ['s3://kept/forms/files', { bucket: 'kept', prefix: 'forms/files/' }],
])('a submission that is too large for a queue is stored in %s', (filesIn, expected) => {
  const sqs = 'sqs://sqs.eu-central-1.amazonaws.com/123456789012/kept';
  const result = parseConfig(`{keep: {in: "${sqs}", files_in: "${filesIn}"}, forms: {}}`, 'webform.yaml');
  expect(result.ok && result.value.shared.get('keep')?.filesIn).toEqual(expected);
});

/** No other relay loads a config with a store that only Cloudflare Workers have. */

const form = `forms:
  contact:
    fields: [{name: name}]
    outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]
`;
const kept = 'keep: {in: "queue://KEPT/ASIDE"}\n';
const counted = 'counted_in: durable-object://COUNTS\n';

test('the relay is not ready, and its log lists each place and what to write there', async () => {
  const relay = await relayWith({ config: `${kept}${counted}${form}` });
  expect((await relay.get('/readyz')).status).toBe(503);
  expect((await relay.submit('contact', 'name=Ada')).status).toBe(500);
  const [told] = relay.logged;
  expect([told?.level, told?.event]).toEqual(['error', 'config_invalid']);
  const words =
    'this store works only on Cloudflare Workers, and the config does not load elsewhere; there, write ';
  expect(told?.problems).toEqual([
    expect.stringContaining(
      `:1:13: keep.in: ${words}a folder such as /var/lib/form-relay, sqs://sqs.eu-central-1.amazonaws.com/123456789012/form-relay, or nats://host`,
    ),
    expect.stringContaining(`:2:13: counted_in: ${words}a folder such as /var/lib/form-relay, nats://`),
  ]);
});

test('on a platform with bindings, the same config loads', async () => {
  const relay = createRelay({
    config: kept + form,
    env: {},
    effects: { log: () => {}, binding: () => ({}) },
    freezes: true,
  });
  onTestFinished(() => relay.close());
  expect((await relay.config.get())?.forms.size).toBe(1);
});

/** Only the parts that a config names are loaded, because most configs name few. */

const url = 'url: "http://localhost/hook"';
const post = `{type: http_post, ${url}, mapping: "*"}`;
const through = 'through: {type: smtp, host: localhost, from: office@localhost}';
const contact = (keys = '', { field = '{name: email, type: email}', output = post } = {}) =>
  `forms: {contact: {fields: [${field}], outputs: [${output}]${keys}}}`;

/** The names of the plug-ins that a relay loads for a config. */
const loadedFor = async (config: string) =>
  usedIn(namesIn(must(await readConfigText(config)).value), bundled).map(({ name }) => name);

test.each<[string, string, readonly string[]]>([
  ['nothing of it', contact(), []],
  ['keep', `keep: {in: /var/lib/kept}\n${contact(', keep: failed')}`, ['stores', 'queue']],
  ['kept_message', contact(', kept_message: We have it.'), ['queue']],
  ['alerts', `alerts: {outputs: [${post}]}\n${contact()}`, ['mail_words', 'queue']],
  ['doubt', contact(', spam: {doubt: tag}'), ['proof_of_work', 'min_fill', 'spam_score']],
  ['signals', contact(', spam: {signals: {links: 3}}'), ['min_fill', 'spam_score']],
  ['a field type', contact('', { field: '{name: cv, type: file}' }), ['files']],
  ['an output type', contact('', { output: `{type: slack, ${url}}` }), ['slack']],
  ['a condition', contact(', thanks: [{when: {field: email, matches: a}, text: Hi}]'), ['thanks', 'pattern']],
  [
    'a mail to the visitor',
    contact(`, confirmation_mail: {to: email, subject: Thanks, text: We have it., ${through}}`),
    ['visitor_mails'],
  ],
])('a config that names %s', async (_, config, expected) =>
  expect(await loadedFor(config)).toEqual(expected),
);

const slack = (type: string) => contact('', { output: `{${url}, type: ${type}}` });

test.each([
  ['in other letters', slack('"sl\\x61ck"')],
  ['in letters of four digits', slack('"sl\\u0061ck"')],
  ['in letters of eight', slack('"sl\\U00000061ck"')],
  ['on two lines', slack('"sl\\\n  ack"')],
  ['on two lines, as Windows ends them', slack('"sl\\\r\n  ack"')],
])('a name written as %s is found', async (_, config) => expect(await loadedFor(config)).toEqual(['slack']));

/** If the relay accepts less than its forms ask for, the forms tell visitors (UPLOAD_BUDGET). */

const config = `
languages: [en, de]
forms:
  apply:
    max_body: 5MB
    fields: [{name: cv, label: CV, type: file, max_size: 3MB}, {name: note, label: Note}]
    outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]
  photo:
    max_body: 600KB
    fields: [{name: photo, label: Photo, type: file, max_size: 512KB}]
    outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]
  letter:
    fields: [{name: note, label: Note}]
    outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]
`;

async function formsOf(UPLOAD_BUDGET: string) {
  const { get } = await relayWith({ config, env: { UPLOAD_BUDGET } });
  return async (path: string) => {
    const { text } = await get(`/api/v1/form/${path}`);
    const [, size] = /data-max-size="(\d+)"/.exec(text) ?? [];
    const [, limit] = /data-files-limit="(\d+)"/.exec(text) ?? [];
    return { text, size: Number(size), limit: Number(limit) };
  };
}

test('no form asks for larger files than the budget allows, in any of its languages', async () => {
  const form = await formsOf('1000000');
  for (const [path, button] of [
    ['apply', 'Send'],
    ['apply?lang=de', 'Senden'],
  ] as const) {
    const { text, size, limit } = await form(path);
    expect(text).toContain(`>${button}</button>`);
    expect(size).toBe(1_000_000);
    // The rest is for the values of fields.
    expect(limit).toBe(1_000_000 - 65_536);
  }
});

test.each([5 * 2 ** 20, 64_000_000])(
  'with a budget of %i bytes, files may be as large as the form says',
  async (room) => {
    const form = await formsOf(String(room));
    expect(await form('apply')).toMatchObject({ size: 3 * 2 ** 20, limit: 5 * 2 ** 20 - 65_536 });
  },
);

test('a form whose files fit is unchanged next to one whose files do not', async () => {
  const [little, much] = [await formsOf('1000000'), await formsOf('64000000')];
  expect((await little('letter')).text).toBe((await much('letter')).text);
  expect(await little('photo')).toMatchObject({ size: 512 * 2 ** 10, limit: 540 * 2 ** 10 });
});

test.each<[string, string, RegExp]>([
  ['a wrong value', contact(', keep: often'), /found "often"; expected /],
  ['a misspelled key of the form', contact(', kepe: failed'), /did you mean keep\?/],
  ['a misspelled key of an output', contact('', { output: `{type: slack, ulr: a}` }), /did you mean url\?/],
])('a config with %s is checked once', async (_, config, expected) => {
  let times = 0;
  const counting: Plugin = {
    name: 'counting',
    features: [
      feature({
        name: 'counting',
        configureTop: () => {
          times += 1;
          return undefined;
        },
        configure: () => undefined,
      }),
    ],
  };
  const parsed = await inspectConfig(config, textSource('webform.yaml', config), { plugins: [counting] });
  expect(parsed.ok ? '' : parsed.error.map(({ message }) => message).join('\n')).toMatch(expected);
  expect(times).toBe(1);
});
