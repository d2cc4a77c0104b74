/** Alerts as outputs of each type send them, without texts of the owner. */
import { createMemoryLeases } from '../../../../test/support/memory_store.ts';
import { exceptExamples } from '../../../../test/support/parse_config.ts';
import { wholeOf } from '../../../base/src/streamed.ts';
import { account } from '../../../clients/test/aws/aws.ts';
import { textSource } from '../../../config/src/source.ts';
import { corePlugin } from '../../../core/src/core_plugin.ts';
import type { Services, SmtpMessage } from '../../../core/src/services.ts';
import { readSettings } from '../../../core/src/settings.ts';
import { bundled } from '../../../runtimes/src/bundled.ts';
import { catalogue } from '../../../runtimes/src/catalogue.ts';
import { inspectConfig, ownServices } from '../../../runtimes/src/inspect.ts';
import { AlertSender, alertValues } from '../../src/alert_sender.ts';
import type { Notice } from '../../src/monitor.ts';

const url = 'url: "https://hook.example/"';
const keysOf: Readonly<Record<string, string>> = {
  http_post: url,
  webhook: url,
  crm_web2lead: url,
  slack: url,
  email: 'to: owner@example.com, from: relay@example.com',
  smtp: 'host: mail.example.com, to: owner@example.com',
  folder: 'path: /var/lib/alerts',
  s3: 'bucket: alerts',
};

const env: Readonly<Record<string, string>> = {
  ...account,
  TOKEN: '123456:abcdefghijklmnopqrstuvwxyz0123456789',
};

const answer = { status: 200, headers: {}, body: '' };
const textOf = (content: Parameters<typeof wholeOf>[0]) => Buffer.from(wholeOf(content)).toString();

/** Everything that the relay sends for one output: requests, mails and files. */
async function sentBy(output: string): Promise<readonly unknown[]> {
  const sent: unknown[] = [];
  const take = async (one: object) => {
    const { streamed } = one as { readonly streamed?: Parameters<typeof wholeOf>[0] };
    sent.push(streamed ? textOf(streamed) : one);
    return answer;
  };
  const own = ownServices(env);
  const services: Services = {
    ...own,
    now: () => now,
    http: take,
    smtp: take,
    ses: take,
    storeFile: async ({ object }) => void sent.push(textOf(object.content)),
    aws: async () => ({
      ...(await own.aws()),
      http: async (request) => ({ ...(await take(request)), body: Buffer.alloc(0), isCut: false }),
    }),
  };
  const config = `keep: {in: /var/lib/kept}\nalerts: {outputs: [${output}]}\nforms: {contact: {keep: failed, fields: [{name: email}], outputs: [{type: http_post, url: "https://crm.example/", mapping: "*"}]}}`;
  const result = await inspectConfig(config, textSource('webform.yaml', config), { services });
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  expect(exceptExamples(await result.value.warnings())).toEqual([]);
  const alerts = result.value.shared.get('alerts');
  if (!alerts) throw new Error('there are no alerts');
  const sender = new AlertSender(services, readSettings(env), (work) => work());
  await sender.notice(
    sample,
    alerts,
    createMemoryLeases(() => now),
  );
  await sender.close();
  return sent;
}

const now = Date.parse('2030-01-15T12:20:00Z');
const sample: Notice = {
  kind: 'aside',
  forms: ['contact'],
  waiting: 3,
  deadLetters: 1,
  oldestKeptAt: now - 7_200_000,
  reasons: ['the server answered 401'],
};

test.each(Object.keys(keysOf))('%s says what happened, why, and what to do', async (type) => {
  const sent = await sentBy(`{type: ${type}, ${keysOf[type]}}`);
  // Some chats need backslashes before characters that could be markup.
  const said = decodeURIComponent(JSON.stringify(sent).replaceAll('+', ' ')).replaceAll('\\', '');
  expect(said).toContain('contact: 1 dead letter needs your attention');
  expect(said).toContain('the server answered 401');
  expect(said).toContain('relay kept retry');
});

test('every output type of the packages is tested', async () => {
  const families = bundled.filter(({ name }) => !Object.hasOwn(catalogue, name));
  const plugins = await Promise.all(families.map(({ load }) => load()));
  const types = [corePlugin, ...plugins].flatMap(({ outputs = [] }) => outputs.map(({ type }) => type));
  // Type `asker` answers asks, and an alert does not come from an ask.
  expect([...Object.keys(keysOf), 'asker'].toSorted()).toEqual(types.toSorted());
});

describe('a mail', () => {
  const smtp = async (more: string) =>
    (await sentBy(`{type: smtp, ${keysOf.smtp}, ${more}}`))[0] as SmtpMessage;

  test('is a mail with the summary as its subject', async () => {
    const { subject, text } = await smtp('timeout: 5s');
    expect(subject).toBe('Form Relay: contact: 1 dead letter needs your attention');
    expect(text).toBe(
      'contact: 1 dead letter needs your attention\n\nthe server answered 401\n\nDead letters are not retried automatically: fix the cause above, then run relay kept retry. relay kept list shows all queued deliveries.\n',
    );
  });

  test.each([
    ['subject: Mine', 'subject', 'Mine'],
    ['mapping: {why: reason}', 'text', 'why=the server answered 401\n'],
    ['static: {a: b}, mapping: {}', 'text', 'a=b\n'],
    ['mapping: {why: reason}', 'subject', 'Form Relay: contact: 1 dead letter needs your attention'],
    ["text: '{{ .fields.form }}: {{ .labels.event }}'", 'text', 'contact: aside\n'],
  ] as const)('says what its owner wrote: %s', async (more, key, expected) =>
    expect((await smtp(more))[key]).toBe(expected),
  );
});

test('an alert about very many forms names some of them', () => {
  const many = (word: string) => Array.from({ length: 5_000 }, (_, index) => `${word} ${index}`);
  const values = alertValues(
    { ...sample, kind: 'kept', forms: many('form'), reasons: many('reason'), waiting: 15_000 },
    now,
  );
  expect(values.get('summary')).toMatch(/^form 0, form 1, .* and 4990 more: 15000 deliveries/);
  expect([...values.values()].join('').length).toBeLessThan(2_000);
});
