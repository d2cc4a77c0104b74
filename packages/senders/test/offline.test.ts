/** `offline`: what a page's script sends repeatedly is delivered once. */
import { keyed } from './stage.ts';

const id = '0123456789abcdef0123456789abcdef';
const page = { accept: 'application/problem+json' };

test('all processes answer an id once, for as long as a browser stores it', async () => {
  const { submit, sink, another, advance } = await keyed({ keys: 'offline: 2d\nconfirmation: Thank you.' });
  const first = await submit('order', { name: 'Ada', _send_id: id }, page);
  advance(2.5 * 86_400_000);
  const elsewhere = await another();
  elsewhere.advance(2.5 * 86_400_000);
  for (const relay of [{ submit }, elsewhere]) {
    const again = await relay.submit('order', { name: 'Ada', _send_id: id }, page);
    expect([again.status, again.text]).toEqual([200, first.text]);
  }
  expect(sink.requests.map(({ body }) => body)).toEqual(['name=Ada']);
});

test.each([
  ['another name', { name: 'Ada', _send_id: id.replace('0', '1') }, 200, 2],
  ['no name', { name: 'Ada' }, 200, 2],
  ['a name of another shape', { name: 'Ada', _send_id: '../x' }, 200, 2],
  ['other values under the same name', { name: 'Eve', _send_id: id }, 422, 1],
])('%s', async (_, values, status, deliveries) => {
  const { submit, sink } = await keyed({ keys: 'offline: true' });
  await submit('order', { name: 'Ada', _send_id: id }, page);
  expect((await submit('order', values, page)).status).toBe(status);
  expect(sink.requests).toHaveLength(deliveries);
});

test('a rejected or failed submission can be sent again under its id', async () => {
  let status = 400;
  const { submit, sink } = await keyed({ keys: 'offline: true', sink: { answer: () => ({ status }) } });
  expect((await submit('order', { name: '', _send_id: id }, page)).status).toBe(422);
  expect((await submit('order', { name: 'Ada', _send_id: id }, page)).status).toBe(500);
  status = 200;
  expect((await submit('order', { name: 'Ada', _send_id: id }, page)).status).toBe(200);
  expect(sink.requests).toHaveLength(2);
});
