/** The promises of `sign`, from a submission to what a receiver gets. */

import { createDryRun } from '@form-relay/dry-run/dry_run';
import { Webhook } from 'standardwebhooks';
import { httpSink, relayWith, type SunkRequest } from '../../../test/support/index.ts';
import type { startRelay, TestRelay } from '../../../test/support/relay.ts';

const secretOf = (fill: number, bytes = 32) => `whsec_${Buffer.alloc(bytes, fill).toString('base64')}`;
const [newSecret, oldSecret] = [secretOf(0xa5), secretOf(0x5a, 24)];
const env = { HOOK_SECRET: newSecret, OLD_HOOK_SECRET: oldSecret };

const withOne = `{secret: '{{ env "HOOK_SECRET" }}'}`;

const config = (url: string, more: string) => `
forms:
  contact:
    fields: [{name: name}, {name: text, type: textarea}]
    outputs: [{type: webhook, url: "${url}/hook", mapping: "*", ${more}}]
`;

async function relayTo(url: string, sign: string, options: Partial<Parameters<typeof startRelay>[0]> = {}) {
  return await relayWith({ env, config: config(url, `sign: ${sign}`), ...options });
}

const submit = (relay: TestRelay, text = 'Zoë & Co.\r\n"quoted"') =>
  relay.submit('contact', Object.entries({ name: 'Ada', text }));

const reasonOf = ({ logged }: TestRelay) => logged.find(({ event }) => event === 'delivery_failed')?.reason;

/** Verifies the request as a receiver with this secret would. Throws if it is not genuine. */
const verify = (secret: string, { bytes, headers }: SunkRequest): unknown =>
  new Webhook(secret).verify(bytes, headers as Record<string, string>);

const headerOf = ({ headers }: SunkRequest, name: string): string => String(headers[name]);

test('the received request is signed, to the byte', async () => {
  const sink = await httpSink();
  const relay = await relayTo(sink.origin, withOne);
  expect((await submit(relay)).status).toBe(200);
  const [request] = sink.requests;
  if (!request) throw new Error('nothing came');
  expect(verify(newSecret, request)).toEqual({ name: 'Ada', text: 'Zoë & Co.\r\n"quoted"' });
  expect(() => verify(oldSecret, request)).toThrow('No matching signature');
  expect(headerOf(request, 'webhook-signature')).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/);
  // Receivers recognise a repeated delivery by this id.
  expect(headerOf(request, 'webhook-id')).toMatch(/^[\w-]+-0$/);
  expect(headerOf(request, 'webhook-id')).toBe(headerOf(request, 'idempotency-key'));
});

test('each attempt has the same id, its own timestamp, and a matching signature', async () => {
  let tries = 0;
  const sink = await httpSink({
    answer: () => {
      tries += 1;
      return tries < 3 ? { status: 503, headers: { 'retry-after': '2' } } : {};
    },
  });
  const relay = await relayTo(sink.origin, `${withOne}, retries: 2`);
  expect((await submit(relay)).status).toBe(200);
  const of = (name: string) => sink.requests.map((request) => headerOf(request, name));
  expect(sink.requests).toHaveLength(3);
  expect(new Set(of('webhook-id')).size).toBe(1);
  expect(new Set(of('webhook-timestamp')).size).toBe(3);
  expect(new Set(of('webhook-signature')).size).toBe(3);
  for (const request of sink.requests) verify(newSecret, request);
});

test('a redirect passes the signature on within its origin, but never to another', async () => {
  const other = await httpSink();
  const sink = await httpSink({
    answer: ({ url }) =>
      url === '/hook'
        ? { status: 308, headers: { location: '/moved' } }
        : { status: 307, headers: { location: `${other.origin}/elsewhere` } },
  });
  const relay = await relayTo(sink.origin, withOne);
  expect((await submit(relay)).status).toBe(200);
  expect(sink.requests.map(({ url }) => url)).toEqual(['/hook', '/moved']);
  for (const request of sink.requests) verify(newSecret, request);
  const [elsewhere] = other.requests;
  expect(Object.keys(elsewhere?.headers ?? {}).filter((name) => name.startsWith('webhook-'))).toEqual([]);
  expect(JSON.stringify(other.requests)).not.toMatch(/v1,/);
});

test.each([
  ['is not set', undefined, '`sign.secret` rendered empty; is its environment variable set?'],
  [
    'is another text',
    'hunter2-hunter2-hunter2-hunter2',
    '`sign.secret` is not a signing secret, which is whsec_ followed by base64 of 24 to 64 bytes',
  ],
  ['is too short', secretOf(0x77, 23), '`sign.secret` has a signing secret of 23 bytes; expected 24 to 64'],
  ['is too long', secretOf(0x77, 65), '`sign.secret` has a signing secret of 65 bytes; expected 24 to 64'],
])(
  'an invalid secret fails the delivery without being shown: a variable that %s',
  async (_, value, reason) => {
    const sink = await httpSink();
    const relay = await relayTo(sink.origin, withOne, {
      env: value === undefined ? {} : { HOOK_SECRET: value },
    });
    expect((await submit(relay)).status).toBe(500);
    expect(reasonOf(relay)).toBe(reason);
    expect(sink.requests).toEqual([]);
    if (value !== undefined) expect(JSON.stringify(relay.logged)).not.toContain(value.slice(0, 12));
  },
);

describe('relay explain and the studio', () => {
  async function shown(given: Record<string, string>) {
    const reports: string[] = [];
    const { handle } = createDryRun({
      config: config('https://hooks.example.com', `sign: ${withOne}`),
      env: given,
      services: { log: () => {}, now: () => 1_893_456_000_123 },
      onReport: (report) => reports.push(JSON.stringify(report)),
    });
    await handle({
      method: 'POST',
      path: '/api/v1/submit/contact',
      query: '',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: Buffer.from('name=Ada&text=Hello'),
      id: 'request-1',
    });
    return JSON.parse(reports[0] ?? '{}');
  }

  test('show the signature as it would be, but never the secret', async () => {
    const report = await shown(env);
    const { bytes }: { bytes: string } = report.outputs[0].sent[0];
    const [head = '', body = ''] = bytes.split('\r\n\r\n');
    const signature = new Webhook(newSecret).sign('request-1-0', new Date(1_893_456_000_000), body);
    expect(head.split('\r\n').filter((line) => line.startsWith('webhook-'))).toEqual([
      'webhook-id: request-1-0',
      'webhook-timestamp: 1893456000',
      `webhook-signature: ${signature}`,
    ]);
    expect(JSON.stringify(report)).not.toContain(newSecret.slice('whsec_'.length, 20));
  });
});
