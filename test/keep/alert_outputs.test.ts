/** What outputs of each type make of an alert, without a word of its owner about it. */
import { describe, expect, test } from 'vitest';
import { alertOf, alertValues } from '../../packages/queue/src/alert_text.ts';
import type { Notice } from '../../packages/queue/src/incidents.ts';
import { outputTypeNames } from '../../packages/relay/src/outputs/index.ts';
import { buildPayload } from '../../packages/relay/src/outputs/payload.ts';
import { scopeOf } from '../core/scope.ts';
import { exceptExamples, parseConfig, warningsIn } from '../core/parse_config.ts';

const url = 'url: "https://hook.example/"';
const keysOf: Readonly<Record<string, string>> = {
  http_post: url,
  webhook: url,
  crm_web2lead: url,
  slack: url,
  discord: url,
  teams: url,
  google_chat: url,
  mattermost: url,
  email: 'to: owner@example.com, from: relay@example.com',
  smtp: 'host: mail.example.com, to: owner@example.com',
  ntfy: 'topic: mine',
  telegram: `token: '{{ env "TOKEN" }}', chat_id: "7"`,
  matrix: `homeserver: "https://matrix.example", token: '{{ env "TOKEN" }}', room: "!a:matrix.example"`,
  folder: 'path: /var/lib/alerts',
  s3: 'bucket: alerts',
};

const env = (name: string) => (name === 'TOKEN' ? '123456:abcdefghijklmnopqrstuvwxyz0123456789' : undefined);

function messageOf(output: string, notice: Partial<Notice> = {}) {
  const config = `keep: {in: /var/lib/kept}\nalerts: {outputs: [${output}]}\nforms: {contact: {keep: failed, fields: [{name: email}], outputs: [{type: http_post, url: "https://crm.example/", mapping: "*"}]}}`;
  const result = parseConfig(config, 'webform.yaml');
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  expect(exceptExamples(warningsIn(result.value, config, 'webform.yaml'))).toEqual([]);
  const { form } = present(result.value.alerts);
  const whole = { ...sample, ...notice };
  const values = alertValues(alertOf(whole.kind, [whole]), now);
  const submission = {
    values: new Map([...values].map(([name, value]) => [name, [value]])),
    receivedAt: now,
  };
  const scope = scopeOf(form.id, submission, { env }, form.fields);
  const [made] = form.outputs;
  const payload = buildPayload(present(made).plan, submission.values, scope);
  const job = {
    id: 'alert-1-0',
    requestId: 'alert-1',
    formId: form.id,
    files: new Map(),
    payload,
    ...submission,
  };
  return present(present(made).message)(job, scope);
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('it is not there');
  return value;
}

const now = Date.parse('2030-01-15T12:20:00Z');
const sample: Notice = {
  kind: 'aside',
  forms: ['contact'],
  key: 'contact',
  waiting: 3,
  aside: 1,
  oldestKeptAt: now - 7_200_000,
  whys: [{ code: 'http_status', words: 'the server answered 401' }],
  deleted: 0,
};

test.each(outputTypeNames)('%s says what happened, why, and what to do', (type) => {
  const message = messageOf(`{type: ${type}, ${keysOf[type]}}`) as unknown as Record<string, unknown>;
  const said = decodeURIComponent(JSON.stringify(message).replaceAll('+', ' '));
  expect(said).toContain('contact: 1 delivery waits for you');
  expect(said).toContain('the server answered 401');
  expect(said).toContain('relay kept retry');
});

describe('a mail', () => {
  const smtp = (more: string) =>
    messageOf(`{type: smtp, ${keysOf.smtp}, ${more}}`) as unknown as {
      subject: string;
      text: string;
      html: string;
    };

  test('is a letter, with a subject that says it all', () => {
    const { subject, text } = smtp('timeout: 5s');
    expect(subject).toBe('Form Relay: contact: 1 delivery waits for you');
    expect(text).toBe(
      'contact: 1 delivery waits for you\n\nthe server answered 401\n\nWhat waits for you is not tried again by itself: mend what the reason says, then run relay kept retry. relay kept list shows what waits.\n',
    );
  });

  test.each([
    ['subject: Mine', 'subject', 'Mine'],
    ['mapping: {why: reason}', 'text', 'why=the server answered 401\n'],
    ['static: {a: b}, mapping: {}', 'text', 'a=b\n'],
    ['mapping: {why: reason}', 'subject', 'Form Relay: contact: 1 delivery waits for you'],
    ["text: '{{ .fields.form }}: {{ .labels.event }}'", 'text', 'contact: aside\n'],
  ] as const)('says what its owner wants: %s', (more, key, expected) => {
    expect(smtp(more)[key]).toBe(expected);
  });
});

test('what was deleted meanwhile is no good news', () => {
  const over = { kind: 'delivered', waiting: 0, aside: 0, deleted: 2 } as const;
  expect(alertValues(alertOf('delivered', [{ ...sample, ...over }]), now).get('summary')).toBe(
    'contact: nothing waits any more; 2 deliveries were deleted, since the time was over',
  );
});

test('of very many forms, an alert names some', () => {
  const many = Array.from({ length: 5_000 }, (_, index) => ({
    ...sample,
    forms: [`form ${index}`],
    whys: [{ code: 'a', words: `reason ${index}` }],
  }));
  const values = alertValues(alertOf('kept', many), now);
  expect(values.get('summary')).toMatch(/^form 0, form 1, .* and 4990 more: 15000 deliveries/);
  expect([...values.values()].join('').length).toBeLessThan(2_000);
});
