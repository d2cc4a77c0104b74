/** Fields of type signature, through real HTTP. */
import { describe, expect, test } from 'vitest';
import { contact, httpSink, mailHeader, relayWith, smtpSink } from '../spec/stage.ts';
import { dataUrl, end, header, pixels, png, pngOf } from '../support/png.ts';

const fields = '[{name: s, type: signature, label: Signature}]';
const drawn = png(600, 200);
const drawing = dataUrl(drawn);

async function relayToWebhook(more = '') {
  const sink = await httpSink({ answer: () => ({ body: 'ok' }) });
  const relay = await relayWith({
    config: `forms: {contact: {bodies: [json], fields: ${fields}${more}, outputs: [{type: webhook, url: "${sink.origin}/", mapping: "*", files: base64}]}}`,
  });
  const delivered = () => sink.requests.map(({ bytes }) => JSON.parse(bytes.toString()));
  return { relay, delivered };
}

const received = {
  s: 'Ada Lovelace',
  's.drawn': expect.objectContaining({ name: 's.png', type: 'image/png', size: drawn.length }),
};

describe('a drawing beside the name is a file, sent as', () => {
  test('text in a form', async () => {
    const { relay, delivered } = await relayToWebhook();
    const { status } = await relay.submit('contact', [
      ['s', 'Ada Lovelace'],
      ['s.drawn', drawing],
    ]);
    expect(status).toBe(200);
    expect(delivered()).toEqual([received]);
  });

  test('text in JSON', async () => {
    const { relay, delivered } = await relayToWebhook();
    const answer = await relay.request('/api/v1/submit/contact', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ s: 'Ada Lovelace', 's.drawn': drawing }),
    });
    expect(answer.status).toBe(200);
    expect(delivered()).toEqual([received]);
  });

  test.each([['text'], ['a file']])('%s of multipart/form-data', async (kind) => {
    const { relay, delivered } = await relayToWebhook();
    const body = new FormData();
    body.append('s', 'Ada Lovelace');
    if (kind === 'text') body.append('s.drawn', drawing);
    else body.append('s.drawn', new File([drawn], '../../x.html', { type: 'text/html' }));
    expect((await relay.request('/api/v1/submit/contact', { method: 'POST', body })).status).toBe(200);
    expect(delivered()).toEqual([received]);
  });
});

test('mails attach the drawing, with the name in their text', async () => {
  const smtp = await smtpSink();
  const relay = await relayWith({
    config: `forms: {contact: {fields: ${fields}, outputs: [{type: smtp, host: 127.0.0.1, port: ${smtp.port}, from: a@firm.example, to: b@firm.example, mapping: "*"}]}}`,
  });
  const answer = await relay.submit('contact', [
    ['s', 'Ada Lovelace'],
    ['s.drawn', drawing],
  ]);
  expect(answer.status).toBe(200);
  const [mail] = smtp.mails;
  expect(mailHeader(mail?.raw ?? '', 'content-type')).toContain('multipart/mixed');
  expect(mail?.raw).toContain('Ada Lovelace');
  expect(mail?.raw).toMatch(/filename="?s\.png/);
  expect(mail?.raw.replaceAll('\r\n', '')).toContain(drawn.toString('base64'));
});

const invalid = 's: The drawing cannot be read. Clear it and draw it again, or send your name alone.';

describe('refuses a drawing', () => {
  test.each<readonly [what: string, sent: string]>([
    ['of another kind', 'data:image/jpeg;base64,/9j/4AAQ'],
    ['that is markup', 'data:text/html;base64,PGI+'],
    ['that is no Base64', `${drawing}!`],
    ['without pixels', dataUrl(pngOf(header(600, 200), end))],
    ['that does not end', dataUrl(pngOf(header(600, 200), pixels()))],
    ['with more after its end', dataUrl(Buffer.concat([drawn, Buffer.from('<script>')]))],
    ['with two sizes', dataUrl(pngOf(header(600, 200), header(9, 9), pixels(), end))],
    ['that moves', dataUrl(pngOf(header(600, 200), ['acTL', Buffer.alloc(8)], pixels(), end))],
    ['too wide', dataUrl(pngOf(header(2_001, 1), pixels(), end))],
    ['of unknown colours', dataUrl(pngOf(header(9, 9, [8, 5, 0, 0, 0]), pixels(), end))],
    [
      'with a chunk beyond its end',
      dataUrl(pngOf(header(9, 9), ['IDAT', Buffer.alloc(9)], end).fill(0xff, 33, 37)),
    ],
  ])('%s', async (_, sent) => {
    const form = await contact({ fields });
    expect(await form.send(['s', 'Ada'], ['s.drawn', sent])).toMatchObject({
      status: 422,
      json: { error: invalid },
    });
    expect(form.delivered).toEqual([]);
  });

  test('beside another, and above 100 KB', async () => {
    const form = await contact({ fields });
    expect((await form.send(['s', 'Ada'], ['s.drawn', drawing], ['s.drawn', drawing])).status).toBe(422);
    const large = pngOf(header(9, 9), ['IDAT', Buffer.alloc(100 * 1_024)], end);
    const body = new FormData();
    body.append('s', 'Ada');
    body.append('s.drawn', new File([large], 's.png'));
    const answer = await form.request('/api/v1/submit/contact', { method: 'POST', body });
    expect(answer).toMatchObject({ status: 422, json: { error: invalid } });
    expect(form.delivered).toEqual([]);
  });
});

describe('the name', () => {
  test('is enough, and no drawing is delivered', async () => {
    const form = await contact({ fields });
    expect((await form.send(['s', 'Ada'], ['s.drawn', ''])).status).toBe(200);
    expect(form.delivered).toEqual([[['s', 'Ada']]]);
  });
});

test('a hidden signature is discarded with its drawing', async () => {
  const form = await contact({
    fields: '[{name: kind}, {name: s, type: signature, required: true, visible_when: {field: kind, is: a}}]',
  });
  expect((await form.send(['kind', 'b'], ['s', 'Ada'], ['s.drawn', drawing])).status).toBe(200);
  expect((await form.send(['kind', 'a'], ['s', 'Ada'], ['s.drawn', drawing])).status).toBe(200);
  expect(form.delivered).toEqual([
    [['kind', 'b']],
    [
      ['kind', 'a'],
      ['s', 'Ada'],
      ['s.drawn', expect.stringMatching(/^s\.png \(\d+ bytes\)$/)],
    ],
  ]);
});

test('a form that is shown again has the drawing, and one that a link fills in has none', async () => {
  const form = await contact({ fields: '[{name: s, type: signature}, {name: email, type: email}]' });
  const again = await form.submit(
    'contact',
    [
      ['s', 'Ada'],
      ['s.drawn', drawing],
      ['email', 'x'],
    ],
    { 'hx-request': 'true' },
  );
  expect(again.status).toBe(422);
  expect(again.text).toContain(`name="s.drawn" value="${drawing}"`);
  expect(again.text).not.toContain('choose');
  const filled = await form.get(`/api/v1/form/contact?s=Ada&s.drawn=${encodeURIComponent(drawing)}`);
  expect(filled.text).toContain('name="s.drawn" value=""');
  expect(filled.text).not.toContain('Ada');
});
