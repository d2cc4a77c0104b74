import { createHmac } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { featureContract, type TriedRelay, tryRelay } from 'form-relay/testing';
import { expect, onTestFinished, test } from 'vitest';

/** The parameters of `PostCheckoutSessions` that are used, from Stripe's OpenAPI document. Others are not allowed. */
const parameters: Readonly<Record<string, RegExp>> = {
  mode: /^(payment|setup|subscription)$/,
  client_reference_id: /^.{1,200}$/,
  success_url: /^https?:/,
  cancel_url: /^https?:/,
  expires_at: /^\d{10}$/,
  'line_items[0][quantity]': /^\d+$/,
  'line_items[0][price_data][currency]': /^[a-z]{3}$/,
  'line_items[0][price_data][unit_amount]': /^\d+$/,
  'line_items[0][price_data][product_data][name]': /^.{1,5000}$/,
  'metadata[form_relay]': /^.{1,500}$/,
  'metadata[form]': /^.{1,500}$/,
  'adaptive_pricing[enabled]': /^(true|false)$/,
};

/** A fake Stripe, which rejects what its document does not allow, and records the sessions that it made. */
async function startStripe() {
  const sessions: Record<string, string>[] = [];
  const server = http.createServer(async (request, response) => {
    const sent = Object.fromEntries(new URLSearchParams(Buffer.concat(await request.toArray()).toString()));
    const { authorization, 'idempotency-key': key, 'content-type': type } = request.headers;
    const leftMs = Number(sent.expires_at) * 1_000 - Date.now();
    const isSound =
      `${request.method} ${request.url}` === 'POST /v1/checkout/sessions' &&
      type === 'application/x-www-form-urlencoded' &&
      authorization === 'Bearer sk_test_1' &&
      key === sent.client_reference_id &&
      leftMs > 30 * 60_000 &&
      leftMs <= 86_400_000 &&
      Object.entries(sent).every(([name, value]) => parameters[name]?.test(value)) &&
      Object.keys(parameters).every((name) => name in sent);
    if (isSound) sessions.push(sent);
    const body = isSound
      ? { id: 'cs_1', url: 'https://checkout.stripe.com/c/pay/cs_1' }
      : { error: { code: 'parameter_unknown', message: 'Received unknown parameter' } };
    response.writeHead(isSound ? 200 : 400, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { sessions, api: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const env = {
  STRIPE_SECRET_KEY: 'sk_test_1',
  STRIPE_WEBHOOK_SECRET: 'whsec_1',
  OTHER_SECRET: 'whsec_1',
  PUBLIC_URL: 'https://forms.example',
};
const sum = { name: 'sum', type: 'number', required: true, min: 0.5, step: 'any' };
const formWith = (stripe: object, more: object = {}) => ({
  fields: [{ name: 'name' }, sum],
  payment: { stripe: { amount: 'sum', currency: 'eur', ...stripe } },
  ...more,
});
const newFolder = () => mkdtempSync(join(tmpdir(), 'payment-'));
const topOf = (folder: string) => ({ keep: { in: folder }, counted_in: folder });

async function open(forms: Readonly<Record<string, object>>, folder = newFolder()) {
  const relay = await tryRelay({ forms, top: topOf(folder), env });
  onTestFinished(() => relay.close());
  return relay;
}

async function start(stripe: object = {}, more: object = {}) {
  const { sessions, api } = await startStripe();
  const other = formWith({ api, webhook_secret: '{{ env "OTHER_SECRET" }}' });
  const folder = newFolder();
  const forms = { paid: formWith({ api, ...stripe }, more), second: formWith({ api }), other };
  const relay = await open(forms, folder);
  return { relay, sessions, folder, other };
}

interface Sending {
  readonly type?: string;
  readonly session?: object;
  readonly form?: string;
  readonly secret?: string;
  readonly ageMs?: number;
  /** Replaces the event. */
  readonly body?: string;
}

/** Sends an event about a session, signed like Stripe's. */
async function send(relay: TriedRelay, sent: Readonly<Record<string, string>> = {}, sending: Sending = {}) {
  const { type = 'completed', session, form = 'paid', secret = 'whsec_1', ageMs = 0 } = sending;
  const { client_reference_id, 'metadata[form_relay]': form_relay, 'metadata[form]': of } = sent;
  const amounts = { amount_total: 1250, currency: 'eur', payment_status: 'paid' };
  const object = { client_reference_id, metadata: { form_relay, form: of }, ...amounts, ...session };
  const event = { id: 'evt_1', type: `checkout.session.${type}`, data: { object } };
  const { body = JSON.stringify(event) } = sending;
  const at = Math.floor((Date.now() - ageMs) / 1_000);
  const signature = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
  const headers = { 'stripe-signature': `t=${at},v1=${'0'.repeat(64)},v1=${signature},v0=1` };
  return (await relay.fetch(`/api/v1/payment/${form}`, { method: 'POST', headers, body })).status;
}

const logged = (relay: TriedRelay, event: RegExp) =>
  relay.logged.filter((line) => event.test(String(line.event))).length;

const contract = {
  ...{ name: 'payment', env, top: () => topOf(newFolder()), passes: [] },
  form: formWith({ api: 'http://127.0.0.1:9' }),
  stops: [{ sum: '12.345' }, { sum: '12.50' }],
};
test.each([...featureContract(contract)])('$name', ({ run }) => run());

test('a submission is delivered once when it is paid, however often the event is sent', async () => {
  const { relay, sessions } = await start({}, { keep: 'always' });
  const { status, text } = await relay.submit('paid', { name: 'Ada', sum: '12.50' });
  expect(status).toBe(200);
  expect(JSON.parse(text).redirect).toBe('https://checkout.stripe.com/c/pay/cs_1');
  const [session] = sessions;
  expect(await send(relay, session, { session: { payment_status: 'unpaid' } })).toBe(200);
  expect(relay.delivered).toEqual([]);
  const later = [1, 2, 3].map(() => send(relay, session, { type: 'async_payment_succeeded' }));
  expect(await Promise.all(later)).toEqual([200, 200, 200]);
  await expect.poll(() => relay.delivered).toEqual([{ name: ['Ada'], sum: ['12.50'] }]);
  expect(await send(relay, session)).toBe(200);
  expect(relay.delivered).toHaveLength(1);
  expect([logged(relay, /^payment_received$/), logged(relay, /^payment_unmatched$/)]).toEqual([1, 0]);
});

test.each<[what: string, status: number, sending: Sending]>([
  ['that is forged', 400, { secret: 'whsec_2' }],
  ['that is replayed later', 400, { ageMs: 301_000 }],
  ...['null', '[]', '{}', '{"type":"a","data":null}', '{"data":{"object":{}}}', 'no JSON', ''].map(
    (body): [string, number, Sending] => [`whose body is ${body}`, 400, { body }],
  ),
  ['for another amount', 409, { session: { amount_total: 1 } }],
  ['in another currency', 409, { session: { currency: 'usd' } }],
  ['about another submission', 409, { session: { client_reference_id: 'another' } }],
  ['for another endpoint', 200, { form: 'other' }],
  ['about something else that is sold', 200, { session: { metadata: null } }],
  ['of another type', 200, { type: 'created' }],
])('an event %s delivers nothing, and the right one still does', async (_, status, sending) => {
  const { relay, sessions } = await start();
  await relay.submit('paid', { name: 'Ada', sum: '12.5' });
  expect(await send(relay, sessions[0], sending)).toBe(status);
  expect(logged(relay, /^payment_(unmatched|event_refused)$|error/)).toBe(status === 200 ? 0 : 1);
  expect(relay.delivered).toEqual([]);
  expect(await send(relay, sessions[0])).toBe(200);
  await expect.poll(() => relay.delivered.length).toBe(1);
});

test('the endpoint of another form works, too, and so does the form’s own after it', async () => {
  const { relay, sessions } = await start();
  await relay.submit('paid', { name: 'Ada', sum: '12.5' });
  const at = (form: string) => send(relay, sessions[0], { form });
  expect([await at('second'), await at('paid'), await at('second')]).toEqual([200, 200, 200]);
  await expect.poll(() => relay.delivered.length).toBe(1);
  expect(logged(relay, /^payment_unmatched$/)).toBe(0);
  expect(relay.logged.find(({ event }) => event === 'payment_received')?.form).toBe('paid');
});

test('a payment for a form that is gone waits for the form', async () => {
  const { relay, sessions, folder } = await start();
  await relay.submit('paid', { name: 'Ada', sum: '12.5' });
  await relay.close();
  const without = await open({ left: formWith({}) }, folder);
  expect(await send(without, sessions[0], { form: 'left' })).toBe(200);
  await expect.poll(() => logged(without, /^kept_put_off$/)).toBe(1);
  expect(logged(without, /^payment_unmatched$/)).toBe(0);
});

test('places are reserved, and free again once the session has expired', async () => {
  const { relay, sessions } = await start({}, { places: 1 });
  const submit = async (name: string) => (await relay.submit('paid', { name, sum: '12.5' })).status;
  expect([await submit('Ada'), await submit('Grace')]).toEqual([200, 403]);
  const expired = { type: 'expired', session: { payment_status: 'unpaid' } };
  expect([await send(relay, sessions[0], expired), await send(relay, sessions[0], expired)]).toEqual([
    200, 200,
  ]);
  expect([await submit('Grace'), await submit('Hedy')]).toEqual([200, 403]);
  expect([await send(relay, sessions[0]), await send(relay, sessions[1])]).toEqual([409, 200]);
  await expect.poll(() => relay.delivered).toEqual([{ name: ['Grace'], sum: ['12.5'] }]);
});

test.each([
  ['eur', '12.5', '1250'],
  ['eur', '12.345', undefined],
  ['jpy', '500', '500'],
  ['jpy', '500.5', undefined],
  ['kwd', '5.12', '5120'],
  ['kwd', '5.124', undefined],
  ['isk', '5', '500'],
  ['isk', '5.5', undefined],
])('in %s, %s is %s', async (currency, sum, units) => {
  const { relay, sessions } = await start({ currency });
  expect((await relay.submit('paid', { sum })).status).toBe(units ? 200 : 422);
  expect(sessions[0]?.['line_items[0][price_data][unit_amount]']).toBe(units);
});

test('the total is the one that the relay computes, and 0 requires no payment', async () => {
  const total = { name: 'total', type: 'computed', formula: 'seats * 24.75' };
  const fields = [{ name: 'seats', type: 'number', required: true }, total];
  const more = { expires: '2h', success_url: 'https://a.example/', cancel_url: 'https://b.example/' };
  const { relay, sessions } = await start({ amount: 'total', ...more }, { fields });
  expect((await relay.submit('paid', { seats: '2', total: '0.01' })).status).toBe(200);
  expect(sessions[0]).toMatchObject({
    'line_items[0][price_data][unit_amount]': '4950',
    success_url: more.success_url,
    cancel_url: more.cancel_url,
  });
  expect(Math.abs(Number(sessions[0]?.expires_at) - Date.now() / 1_000 - 7_200)).toBeLessThan(60);
  expect((await relay.submit('paid', { seats: '0' })).status).toBe(200);
  expect([sessions.length, relay.delivered]).toEqual([1, [{ seats: ['0'], total: ['0'] }]]);
  expect((await relay.submit('paid', { seats: '-1' })).status).toBe(422);
});

test('browsers are redirected to Stripe, and back to a page with the result', async () => {
  const { relay, sessions } = await start();
  const headers = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' };
  const sent = await relay.fetch('/api/v1/submit/paid?as=page', { method: 'POST', headers, body: 'sum=1' });
  expect([sent.status, sent.headers.get('location')]).toEqual([
    303,
    'https://checkout.stripe.com/c/pay/cs_1',
  ]);
  const page = await relay.fetch('/api/v1/form/paid?as=page', { headers });
  expect(page.headers.get('content-security-policy')).toMatch(/form-action 'self' https:/);
  const back = async (address = '') => {
    const answer = await relay.fetch(address.replace(env.PUBLIC_URL, ''), { headers });
    return [answer.status, answer.headers.get('content-type'), await answer.text()];
  };
  const text = 'text/html; charset=utf-8';
  expect(await back(sessions[0]?.success_url)).toEqual([200, text, expect.stringContaining('Thank you')]);
  expect(await back(sessions[0]?.cancel_url)).toEqual([402, text, expect.stringContaining('was cancelled')]);
});

test('a dry run does not call Stripe', async () => {
  const forms = { paid: formWith({ api: 'http://127.0.0.1:9' }) };
  const relay = await tryRelay({ forms, top: topOf(newFolder()), env, dryRun: true });
  onTestFinished(() => relay.close());
  expect((await relay.submit('paid', { sum: '12.5' })).status).toBe(200);
  expect(logged(relay, /error|payment/)).toBe(0);
});
