/** Receipts: who gets one, what it proves, and what it does not. */
import { createHash } from 'node:crypto';
import { contact, expectLogged } from '../../../test/support/index.ts';
import { createMemoryStore } from '../../../test/support/memory_store.ts';
import { openNewsletter } from '../../visitor-mails/test/mails/newsletter.ts';
import { contentHash, type PublicJwk, publicKeys, readReceipt } from '../src/receipt/code.ts';

const secret = 'f2a1c09d77e34b18a6d5';
const shape = /^fr1\.[^.]+\.\d{8}T\d{6}Z\.[\w-]{43}\.[\w-]{86}$/;

async function open({
  keys = '',
  outputKeys = '',
  env = { RECEIPT_SECRET: secret },
  ...options
}: Parameters<typeof contact>[0] & { outputKeys?: string } = {}) {
  const relay = await contact({
    fields: '[{name: email, type: email}, {name: message, type: textarea}, {name: source, type: hidden}]',
    outputs: `[{type: http_post, url: $sink, mapping: "*"${outputKeys}}]`,
    keys: `receipt: true${keys && `, ${keys}`}`,
    env,
    ...options,
  });
  const send = async (values: [string, string][] = filled, headers: Record<string, string> = {}) =>
    relay.submit('contact', values, headers);
  const codeOf = async (values?: [string, string][]) =>
    String(((await send(values)).json as { receipt?: string }).receipt);
  const keySet = async () => ((await relay.get('/api/v1/receipts.json')).json as { keys: PublicJwk[] }).keys;
  return { ...relay, send, codeOf, keySet };
}

const filled = Object.entries({ email: 'ada@example.org', message: 'Hello,\r\n“chairs” – 12 of them?' });
const content = { email: ['ada@example.org'], message: ['Hello,\n“chairs” – 12 of them?'] };

type Verify = (code: string, fields: object, keys: unknown) => Promise<boolean>;

const program = new URL('../../../examples/receipts/verify.mjs', import.meta.url).href;
const { verify } = (await import(program)) as { readonly verify: Verify };

describe('the promise of a receipt', () => {
  test('anyone with the public key can verify that it is for exactly this text', async () => {
    const form = await open();
    const code = await form.codeOf();
    expect(code).toMatch(shape);
    const keys = await form.keySet();
    expect(await verify(code, content, keys)).toBe(true);
    expect(await verify(code, { ...content, email: ['eve@example.org'] }, keys)).toBe(false);
    expect(await verify(code, { ...content, more: ['x'] }, keys)).toBe(false);
    expect(await verify(code, { message: content.message }, keys)).toBe(false);
  });

  test('no part of it can be changed', async () => {
    const form = await open();
    const code = await form.codeOf();
    const keys = publicKeys([secret]);
    expect(readReceipt(code, keys)).toMatchObject({
      form: 'contact',
      hash: contentHash(Object.entries(content)),
    });
    const parts = code.split('.');
    const other = (index: number, text: string) =>
      parts.map((part, at) => (at === index ? text : part)).join('.');
    const changed = [
      other(0, 'fr2'),
      other(1, 'order'),
      other(2, '20200101T000000Z'),
      other(3, createHash('sha256').update('x').digest('base64url')),
      other(4, `${parts[4]?.startsWith('A') ? 'B' : 'A'}${parts[4]?.slice(1)}`),
      // A lenient decoder would read the same bytes.
      code.slice(0, -1) + String.fromCharCode(code.charCodeAt(code.length - 1) + 1),
      `${code}A`,
      code.slice(0, -1),
      code.replace('fr1.', 'fr1..'),
      ` ${code}`,
      `${code}\n`,
      '',
      'fr1.%E0%A4%A.20261121T120203Z.'.padEnd(170, 'A'),
      'x'.repeat(1_000_000),
    ];
    for (const one of changed) expect(readReceipt(one, keys), one.slice(0, 40)).toBeUndefined();
    expect(readReceipt(code, publicKeys(['another secret of nobody']))).toBeUndefined();
    expect(readReceipt(code, [{ x: '' }, { x: 'no key' }])).toBeUndefined();
  });

  test('a receipt covers neither hidden fields, nor empty ones, nor the order', async () => {
    const form = await open();
    const codes = [
      await form.codeOf([...filled, ['source', 'ad']]),
      await form.codeOf([...filled.toReversed(), ['unknown', 'x']]),
    ];
    for (const code of codes)
      expect(readReceipt(code, publicKeys([secret]))?.hash).toBe(contentHash(Object.entries(content)));
  });

  test('a file counts by its bytes', async () => {
    const relay = await contact({
      fields: '[{name: cv, type: file, accept: [text]}]',
      outputs: '[{type: webhook, url: $sink, mapping: "*", files: base64}]',
      keys: 'receipt: true',
      env: { RECEIPT_SECRET: secret },
    });
    const body = new FormData();
    body.append('cv', new File(['I was a carpenter.'], 'cv.txt', { type: 'text/plain' }));
    const answer = await relay.request('/api/v1/submit/contact', { method: 'POST', body });
    const { receipt = '' } = answer.json as { receipt?: string };
    const hash = createHash('sha256').update('I was a carpenter.').digest('hex');
    expect(readReceipt(receipt, publicKeys([secret]))?.hash).toBe(contentHash([['cv', [`sha256:${hash}`]]]));
  });
});

describe('programs that read a receipt', () => {
  test.each([
    ['on the relay’s page', {}, '?as=page'],
    ['with htmx', { 'hx-request': 'true' }, ''],
  ])('%s', async (_, headers, query) => {
    const form = await open();
    const answer = await form.post(`/api/v1/submit/contact${query}`, filled, headers);
    const [, code = ''] =
      /Thank you\.<p class="form-receipt">Your receipt: <code dir="ltr">(.*?)<\/code><\/p>/.exec(
        answer.text,
      ) ?? [];
    expect(readReceipt(code, publicKeys([secret]))).toBeDefined();
  });

  test('a form without it responds as always, and so does one without RECEIPT_SECRET, which is logged', async () => {
    const form = await open({ env: {} });
    expect((await form.send()).text).toBe('{"message":"ok"}');
    expect(form.sink.requests).toHaveLength(1);
    expectLogged(form, {
      event: 'variables_missing',
      variables: ['RECEIPT_SECRET'],
      places: ['forms.contact.receipt needs RECEIPT_SECRET'],
    });
    expect((await form.get('/api/v1/receipts.json')).status).toBe(404);
  });
});

describe('submissions with no receipt, or with an invalid one', () => {
  test('a dropped bot gets an invalid one in the same format', async () => {
    const form = await open({ keys: 'spam: {honeypot: website}' });
    const [human, bot] = [await form.send(), await form.send([...filled, ['website', 'x']])];
    const codes = [human, bot].map(({ json }) => (json as { receipt: string }).receipt);
    const blank = (text: string) => text.replaceAll(/[\w-]{43,}/g, '…').replace(/\d{8}T\d{6}Z/, 'time');
    expect(blank(bot?.text ?? '')).toBe(blank(human?.text ?? ''));
    expect(codes.every((code) => shape.test(code))).toBe(true);
    expect(codes.map((code) => readReceipt(code, publicKeys([secret])) !== undefined)).toEqual([true, false]);
    // Anyone can compute the hash of what was sent.
    const hashes = codes.map((code) => code.split('.')[3]);
    expect(hashes[1]).toBe(hashes[0]);
  });

  test('submissions that were not delivered, or that no output has', async () => {
    const failing = await open({ outputKeys: ', retries: 0', answer: () => ({ status: 500 }) });
    expect(await failing.codeOf()).toBe('undefined');
    expect((await failing.send([['email', 'no address']])).json).not.toHaveProperty('receipt');
    const unheard = await open({
      outputKeys: ', retries: 0, on_error: continue',
      answer: () => ({ status: 500 }),
    });
    expect((await unheard.send()).text).toBe('{"message":"ok"}');
  });
});

test('a queued submission has one', async () => {
  const relay = await contact({
    top: 'keep: {in: /var/lib/form-relay}',
    keys: 'receipt: true, keep: failed, kept_message: We have it.',
    fields: '[{name: email}]',
    outputs: '[{type: http_post, url: $sink, mapping: "*", retries: 0}]',
    answer: () => ({ status: 503 }),
    env: { RECEIPT_SECRET: secret },
    store: createMemoryStore,
  });
  const { text } = await relay.submit('contact', [['email', 'a@b.example']], { 'hx-request': 'true' });
  expect(text).toMatch(/We have it\.<p class="form-receipt">.*fr1\.contact\./);
});

test('with double opt-in, it is on the link’s page, the same each time', async () => {
  const news = await openNewsletter({ formKeys: 'receipt: true', env: { RECEIPT_SECRET: secret } });
  expect((await news.subscribe()).json).toEqual({ message: 'ok' });
  const pages = [await news.confirm(), await news.confirm()];
  const codes = pages.map(({ text }) => /<code dir="ltr">(.*?)<\/code>/.exec(text)?.[1] ?? '');
  expect(codes[0]).toBe(codes[1]);
  expect(readReceipt(codes[0] ?? '', publicKeys([secret]))?.form).toBe('news');
});

test('the first secret signs, and receipts of the others stay valid', async () => {
  const [before, between] = [await open(), await open({ env: { RECEIPT_SECRET: `b${secret}, ${secret}` } })];
  const codes = [await before.codeOf(), await between.codeOf()];
  const keys = await between.keySet();
  expect(keys).toHaveLength(2);
  for (const code of codes) expect(await verify(code, content, keys)).toBe(true);
  expect(await verify(codes[1] ?? '', content, [keys[0]])).toBe(true);
  expect(await verify(codes[0] ?? '', content, [keys[0]])).toBe(false);
});
