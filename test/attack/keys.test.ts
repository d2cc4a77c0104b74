/** A form that servers submit: only a complete key is accepted, and no key is leaked. */
import { billing, keyed, shop } from '../../packages/senders/test/stage.ts';
import { answersIn, exchange } from './stage.ts';

const body = '{"name":"Ada"}';

/** A POST with these header lines, one character per byte. */
const post = (lines: readonly string[], path = '/api/v1/submit/order') =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: forms.test',
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    ...lines,
    '',
    body,
  ].join('\r\n');

const wrong: readonly (readonly [name: string, header: string])[] = [
  ['another key', `Bearer ${billing.replace('0', 'O')}`],
  ['a key that is cut short', `Bearer ${billing.slice(0, -1)}`],
  ['the beginning of a key', `Bearer ${billing.slice(0, 10)}`],
  ['a key and more', `Bearer ${billing}x`],
  ['a key and a space inside', `Bearer ${billing.slice(0, 9)} ${billing.slice(9)}`],
  ['a key in quotes', `Bearer "${billing}"`],
  ['two keys', `Bearer ${billing}, Bearer ${shop}`],
  ['a key in other letters', `Bearer ${billing.toLowerCase()}`],
  ['a key twice', `Bearer ${billing}${billing}`],
  ['a key after a tab', `Bearer \t${billing}`],
  ['no key', 'Bearer'],
  ['no key after a space', 'Bearer '],
  ['the name of the variable', 'Bearer KEY_BILLING'],
  ['undefined', 'Bearer undefined'],
  ['a name of every object', 'Bearer __proto__'],
  ['bytes beyond ASCII', `Bearer ${billing}\xff\xfe`],
  ['a very long key', `Bearer ${'A'.repeat(8_000)}`],
];

test.each(wrong)('%s is answered 401, and delivers nothing', async (_, header) => {
  const { sink, logged, ...relay } = await keyed();
  const [answer] = answersIn(await exchange(relay, post([`Authorization: ${header}`])));
  expect(answer?.status).toBe(401);
  expect(answer?.head).toMatch(/^www-authenticate: Bearer$/im);
  expect(answer?.body).not.toMatch(/frk_|KEY_/);
  expect(JSON.stringify(logged)).not.toMatch(/frk_/);
  expect(sink.requests).toEqual([]);
});

test.each([
  ['Basic', `Basic ${Buffer.from(`key:${billing}`).toString('base64')}`],
  ['Token', `Token ${billing}`],
  ['no scheme', billing],
  ['a scheme that ends with Bearer', `XBearer ${billing}`],
  ['Bearer with a tab', `Bearer\t${billing}`],
  ['Bearer without a space', `Bearer${billing}`],
])('%s grants nothing: it counts as a visitor’s submission', async (_, header) => {
  const { sink, ...relay } = await keyed();
  const [answer] = answersIn(await exchange(relay, post([`Authorization: ${header}`])));
  expect([answer?.status, answer?.body]).toEqual([
    400,
    expect.stringContaining('application/x-www-form-urlencoded'),
  ]);
  expect(sink.requests).toEqual([]);
});

test('with two Authorization headers, only the first counts', async () => {
  const { sink, ...relay } = await keyed();
  const lines = [`Authorization: Bearer ${shop}x`, `Authorization: Bearer ${shop}`];
  expect(answersIn(await exchange(relay, post(lines)))[0]?.status).toBe(401);
  expect(sink.requests).toEqual([]);
});

test.each(['\r\n', '\0', '\x7f', '\x01'])(
  'a control character in it (%j) grants nothing',
  async (control) => {
    const { sink, ...relay } = await keyed();
    const received = await exchange(relay, post([`Authorization: Bearer ${billing}${control}${billing}`]));
    expect(answersIn(received)[0]?.status).toBeOneOf([400, 401]);
    expect(sink.requests).toEqual([]);
  },
);

test('a sender’s key does not reveal what another has sent under the same Idempotency-Key', async () => {
  const { send } = await keyed({ keys: 'confirmation: Thank you.' });
  await send({ name: 'Ada' }, { once: 'a' });
  const other = await send({ name: 'Grace' }, { once: 'a', key: shop });
  expect([other.status, other.headers.get('idempotency-replayed')]).toEqual([200, null]);
});
