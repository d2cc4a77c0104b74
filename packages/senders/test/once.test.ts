/** An `Idempotency-Key` is answered once, for a day, by all processes that share the store. */

import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ClientError, expectLogged, gate, smtpSink, tempFolder } from '../../../test/support/index.ts';
import { withoutHead } from '../../capacity/src/counters/tally.ts';
import { logIn } from '../../capacity/test/stage.ts';
import { changing, counting, env, keyed, outbound, shop } from './stage.ts';

const once = 'order-4711';

test('a completed key gets its response again, and nothing is delivered again', async () => {
  const { send, sink, another, logged } = await keyed({ keys: 'confirmation: Thank you.' });
  const first = await send(undefined, { once });
  const again = await send(undefined, { once });
  const elsewhere = await (await another()).send(undefined, { once });
  expect([again.status, again.text]).toEqual([200, first.text]);
  expect([elsewhere.status, elsewhere.text]).toEqual([200, first.text]);
  const replayed = [first, again, elsewhere].map(({ headers }) => headers.get('idempotency-replayed'));
  expect(replayed).toEqual([null, 'true', 'true']);
  expect(sink.requests).toHaveLength(1);
  expect(logged).toContainEqual(expect.objectContaining({ event: 'submission', outcome: 'replayed' }));
});

test('the same values in another order and kind of body are the same request', async () => {
  const { send, sink } = await keyed({ fields: '{name: name}, {name: more}' });
  await send({ name: 'Ada', more: 'x' }, { once });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  expect((await send('more=x&name=Ada', { once, headers })).headers.get('idempotency-replayed')).toBe('true');
  expect(sink.requests).toHaveLength(1);
});

test('another body with the same key is answered with 422 and its own code', async () => {
  const { send, sink } = await keyed();
  await send({ name: 'Ada' }, { once });
  const { status, json } = await send({ name: 'Grace' }, { once });
  expect([status, json]).toEqual([422, expect.objectContaining({ code: 'idempotency_key_reused' })]);
  expect(json).not.toHaveProperty('errors');
  expect(sink.requests).toHaveLength(1);
});

test('a key in progress is answered with 409, in every process', async () => {
  let deliver = () => {};
  const delivered = new Promise<object>((resolve) => {
    deliver = () => resolve({});
  });
  const { open: arrive, opened: arrived } = gate();
  const { send, another, sink } = await keyed({
    sink: {
      answer: () => {
        arrive();
        return delivered;
      },
    },
  });
  onTestFinished(deliver);
  const first = send(undefined, { once });
  await arrived;
  const elsewhere = await another();
  const { status, headers, json } = await elsewhere.send(undefined, { once });
  expect([status, headers.get('retry-after')]).toEqual([409, '5']);
  expect(json).toMatchObject({ title: 'Conflict', code: 'idempotency_in_progress' });
  deliver();
  expect((await first).status).toBe(200);
  expect(sink.requests).toHaveLength(1);
});

test('many concurrent requests in two processes lead to a single delivery', async () => {
  const one = await keyed();
  const two = await one.another();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) => (at % 2 ? one : two).send(undefined, { once })),
  );
  expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
  expect(one.sink.requests).toHaveLength(1);
});

test('a failed delivery is retried under the same outbound Idempotency-Key', async () => {
  let status = 500;
  const relay = await keyed({ sink: { answer: () => ({ status }) } });
  expect((await relay.send(undefined, { once })).status).toBe(500);
  status = 200;
  expect((await relay.send(undefined, { once })).status).toBe(200);
  expect((await relay.send(undefined, { once })).headers.get('idempotency-replayed')).toBe('true');
  const [first, second, ...more] = outbound(relay);
  expect([second, more]).toEqual([first, []]);
  const submission = String(first).replace(/-0$/, '');
  const lines = relay.logged.filter(({ event }) => event === 'submission').slice(1);
  expect(lines).toMatchObject([
    { outcome: 'delivered', key: 'KEY_BILLING', submission },
    { outcome: 'replayed', submission },
  ]);
});

test('the same files are the same request, but another file, name or type is not', async () => {
  const { request, sink } = await keyed({
    fields: '{name: name}, {name: cv, type: file}, {name: id, type: file}',
  });
  const send = (...files: readonly (readonly [string, File])[]) => {
    const body = new FormData();
    body.set('name', 'Ada');
    for (const [name, file] of files) body.set(name, file);
    const headers = { authorization: `Bearer ${shop}`, 'idempotency-key': once };
    return request('/api/v1/submit/order', { method: 'POST', headers, body });
  };
  const file = (text: string, name = 'cv.txt', type = 'text/plain') => new File([text], name, { type });
  const [cv, id] = [
    ['cv', file('Mathematician')],
    ['id', file('Ada')],
  ] as const;
  expect((await send(cv, id)).status).toBe(200);
  expect((await send(id, cv)).headers.get('idempotency-replayed')).toBe('true');
  for (const other of [
    file('Poet'),
    file('Mathematician', 'b.txt'),
    file('Mathematician', 'cv.txt', 'text/csv'),
  ])
    expect((await send(['cv', other], id)).status).toBe(422);
  expect((await send(cv)).status).toBe(422);
  expect(sink.requests).toHaveLength(1);
});

test('while a submission waits for its confirmation, a retry gets the same response, and no second mail', async () => {
  const smtp = await smtpSink();
  const { send, sink } = await keyed({
    env: { ...env, FORM_TOKEN_SECRET: '3d1d0f6dd1f34c2b8a5e', PUBLIC_URL: 'https://forms.acme.example' },
    fields: '{name: email, type: email, required: true}',
    keys: `double_opt_in: {to: email, subject: Confirm, text: Click., from: news@acme.example, through: {type: smtp, host: 127.0.0.1, port: ${smtp.port}}}`,
  });
  const first = await send({ email: 'ada@visitor.example' }, { once });
  const again = await send({ email: 'ada@visitor.example' }, { once });
  expect([first.status, again.text, again.headers.get('idempotency-replayed')]).toEqual([
    200,
    first.text,
    'true',
  ]);
  expect([smtp.mails.length, sink.requests.length]).toEqual([1, 0]);
});

test('a place taken before a crash is not taken twice', async () => {
  const { relay, again } = await cutOff({ keys: 'places: 1' });
  expect((await again()).status).toBe(200);
  expect(new Set(outbound(relay)).size).toBe(1);
  expect((await relay.send({ name: 'Grace' })).json).toMatchObject({ code: 'form_full' });
});

test('a submission queued before a crash is queued once, and delivered under one Idempotency-Key', {
  timeout: 30_000,
}, async () => {
  let status = 500;
  const { relay, again } = await cutOff({
    top: `counted_in: $place\nkeep: {in: ${tempFolder()}}`,
    keys: 'keep: failed',
    sink: { answer: () => ({ status }) },
  });
  expect((await again()).status).toBe(200);
  status = 200;
  relay.advance(600_000);
  const isDelivered = expect.objectContaining({ event: 'kept_delivery', outcome: 'delivered' });
  await vi.waitFor(() => expect(relay.logged).toContainEqual(isDelivered));
  expect(new Set(outbound(relay)).size).toBe(1);
});

test('a key for another form is answered with 401', async () => {
  const { send } = await keyed();
  expect((await send(undefined, { form: 'other' })).status).toBe(401);
});

test('after a day, a key starts over, and its entry is deleted', async () => {
  const { send, sink, advance, place } = await keyed();
  await send(undefined, { once });
  advance(86_400_000);
  await send(undefined, { once });
  expect(sink.requests).toHaveLength(2);
  expect(Object.keys(JSON.parse(withoutHead('', (await entriesIn(place)).text) ?? ''))).toHaveLength(1);
});

test.each(['', ' ', '"', '""', 'ä', 'a\tb', '"a', '"a"b', '"a\\b"', 'x'.repeat(256)])(
  'the malformed key %j is answered with 400',
  async (malformed) => {
    const { send, sink } = await keyed();
    expect((await send(undefined, { once: Buffer.from(malformed).toString('latin1') })).json).toMatchObject({
      status: 400,
      code: 'idempotency_key_malformed',
    });
    expect(sink.requests).toEqual([]);
  },
);

test('a form without a store rejects an Idempotency-Key', async () => {
  const { send, sink } = await keyed({ top: '' });
  expect((await send(undefined, { once })).json).toMatchObject({
    status: 400,
    code: 'idempotency_unavailable',
  });
  expect(sink.requests).toEqual([]);
});

test('while the store fails, nothing is delivered, and the server may try again', async () => {
  const { send, sink, place, logged } = await keyed();
  await send(undefined, { once: 'works' });
  renameSync(join(place, 'counts'), join(place, 'away'));
  writeFileSync(join(place, 'counts'), 'a file where a folder was');
  const { status, headers, json } = await send(undefined, { once });
  expect([status, headers.get('retry-after')]).toEqual([503, '30']);
  expect(json).toMatchObject({ code: 'idempotency_unknown' });
  expect(sink.requests).toHaveLength(1);
  expectLogged({ logged }, { event: 'submission', outcome: 'uncounted', level: 'error' });
  rmSync(join(place, 'counts'));
  renameSync(join(place, 'away'), join(place, 'counts'));
  expect((await send(undefined, { once })).status).toBe(200);
});

test.each(['{', '1', 'null'])('if the store contains %j, nothing is delivered', async (text) => {
  const relay = await keyed();
  const damaged = await relay.another({
    plugins: [counting((own) => changing(own, (key, make) => own.change(key, () => make(text))))],
  });
  expect((await damaged.send(undefined, { once })).json).toMatchObject({ code: 'idempotency_unknown' });
  expect(relay.sink.requests).toEqual([]);
  expectLogged(damaged, { outcome: 'uncounted', reason: expect.stringMatching(/is damaged/) });
});

test.each([
  [1, true, 'true'],
  [3, false, null],
])(
  'a response that the store rejects %i times is still sent: stored is %j',
  async (times, isStored, replayed) => {
    const relay = await keyed();
    let changes = 0;
    const failing = await relay.another({
      plugins: [
        counting((own) =>
          changing(own, async (...given) => {
            changes += 1;
            if (changes > 1 && changes <= 1 + times) throw new ClientError('the store is away');
            return own.change(...given);
          }),
        ),
      ],
    });
    expect((await failing.send(undefined, { once })).status).toBe(200);
    const unsaved = {
      level: 'warn',
      event: 'idempotency_unsaved',
      form: 'order',
      reason: 'the store is away',
    };
    const warnings = failing.logged.filter(({ event }) => event === 'idempotency_unsaved');
    expect(warnings).toEqual(isStored ? [] : [{ ...unsaved, request_id: expect.any(String) }]);
    expect(failing.waited).toEqual(isStored ? [200] : [200, 1_000]);
    relay.advance(31_000);
    expect((await relay.send(undefined, { once })).headers.get('idempotency-replayed')).toBe(replayed);
  },
);

test('an attempt that another took over returns the other’s response', async () => {
  let fail = () => {};
  const failed = new Promise<object>((resolve) => {
    fail = () => resolve({ status: 500 });
  });
  const { open: arrive, opened: arrived } = gate();
  const relay = await keyed({
    keys: 'confirmation: Thank you.',
    sink: {
      answer: () => {
        arrive();
        return relay.sink.requests.length === 1 ? failed : {};
      },
    },
  });
  onTestFinished(fail);
  const first = relay.send(undefined, { once });
  await arrived;
  const another = await relay.another();
  another.advance(31_000);
  const second = await another.send(undefined, { once });
  fail();
  const { status, text } = await first;
  expect([status, text]).toEqual([200, second.text]);
  expect((await relay.send(undefined, { once })).text).toBe(second.text);
});

test('a store contains neither the key, nor the Idempotency-Key, nor a value', async () => {
  const { send, place } = await keyed();
  await send({ name: 'Ada Lovelace' }, { once });
  const { path, text } = await entriesIn(place);
  expect(text).toContain('"status":200');
  expect(readFileSync(path, 'utf8')).not.toMatch(/frk_|order-4711|Ada|Lovelace/);
});

/** A relay that dies after the delivery, as the store sees it. `again` tries once the claim has expired. */
async function cutOff(options: Parameters<typeof keyed>[0]) {
  const relay = await keyed(options);
  const sent = { name: 'Ada' };
  let changes = 0;
  const dead = await relay.another({
    plugins: [
      counting((own) =>
        changing(own, async (...given) => {
          changes += 1;
          // Only its claim is stored.
          if (changes > 1) throw new ClientError('the process is dead');
          return own.change(...given);
        }),
      ),
    ],
  });
  expect((await dead.send(sent, { once })).status).toBe(200);
  expect(dead.logged).toContainEqual(expect.objectContaining({ event: 'idempotency_unsaved' }));
  relay.advance(31_000);
  return { relay, again: () => relay.send(sent, { once }) };
}

/** The only log in the store. */
function entriesIn(place: string): ReturnType<typeof logIn> {
  const root = join(place, 'counts', 'keys', 'order');
  const [part = ''] = readdirSync(root);
  return logIn(join(root, part));
}
