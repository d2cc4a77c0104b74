/** Reports on submissions, as the event stream sends them to the page. */
import { gate } from '../../../../test/support/gate.ts';
import { mailAddress, mailsIn } from '../../src/mails.ts';
import type { ReportState } from '../../src/state.ts';
import {
  contact,
  type Events,
  reportOf,
  reportsAt,
  type Stage,
  send,
  stage,
  stateAt,
  urlencoded,
} from './stage.ts';

const next = async (events: Events): Promise<ReportState> => reportOf(await events.next('report'));

describe('the event stream', () => {
  test('starts with the run, and sends each submission when it is answered', async () => {
    const at = await stage({ config: contact });
    const events = await at.events();
    const { run } = await stateAt(at);
    expect((await events.next('hello')).data).toEqual({ run, oldest: 1, latest: 0 });
    await send(at, 'name=Ada&email=ada%40example.org');
    const event = await events.next('report');
    expect(event.id).toBe('1');
    const { number, ending, report } = reportOf(event);
    expect([number, ending.word, report.form, report.says]).toEqual([
      1,
      'Delivered',
      'contact',
      'to 1 of 1 output',
    ]);
    const [sent] = report.outputs[0]?.sent ?? [];
    const bytes = sent?.kind === 'http' ? sent.bytes : '';
    expect(bytes).toContain('POST /contact HTTP/1.1\r\nhost: hooks.acme.dev\r\n');
    expect(bytes).toContain('email=ada%40example.org&name=Ada');
    expect(report.answer).toMatchObject({ status: 200, body: expect.stringContaining('{"message":"ok"}') });
  });

  test('says that a delivery to a host that cannot exist reaches nobody', async () => {
    const at = await stage({ config: contact.replaceAll('hooks.acme.dev', 'your-server.invalid') });
    const events = await at.events();
    await send(at, 'name=Ada&email=ada%40example.org');
    const why = 'no server has the name your-server.invalid';
    expect(await next(events)).toMatchObject({
      ending: { word: 'Not delivered' },
      report: { says: why },
    });
  });

  test('sends what a page missed, without duplicates', async () => {
    const at = await stage({ config: contact });
    for (const name of ['a', 'b', 'c']) await send(at, `name=${name}`);
    const idsOf = async (path: string, headers = {}) => {
      const events = await at.events(path, headers);
      await at.post('/studio/clear', {});
      await events.next('cleared');
      for (const name of ['a', 'b', 'c']) await send(at, `name=${name}`);
      return events.all.filter(({ type }) => type === 'report').map(({ id }) => id);
    };
    expect((await idsOf('/studio/events?after=1')).slice(0, 2)).toEqual(['2', '3']);
    expect((await idsOf('/studio/events', { 'last-event-id': '5' })).slice(0, 1)).toEqual(['6']);
  });
});

describe('the inbox', () => {
  test('keeps the last 100, and can be cleared', async () => {
    const at = await stage({ config: contact });
    for (let index = 1; index <= 102; index++) await send(at, `name=n${index}`);
    const numbers = (await reportsAt(at)).map(({ number }) => number);
    expect([numbers.length, numbers[0], numbers.at(-1)]).toEqual([100, 3, 102]);
    await at.post('/studio/clear', {});
    expect(await reportsAt(at)).toEqual([]);
  });

  test('lists submissions in the order of their answers, with the time of each', async () => {
    let release = () => {};
    const { open: asleep, opened: sleeping } = gate();
    const http = async ({ body }: { readonly body: string }) => {
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      if (body.includes('Slow')) {
        asleep();
        await released;
      }
      return { status: 200, headers: {}, body: '' };
    };
    const at = await stage({ config: contact, isDelivering: true, effects: { http } });
    const slow = send(at, 'name=Slow');
    await sleeping;
    const releaseSlow = release;
    at.advance(60_000);
    await send(at, 'name=Quick');
    at.advance(60_000);
    releaseSlow();
    await slow;
    const [first, second] = await reportsAt(at);
    expect([first?.report.values[0]?.[1], second?.report.values[0]?.[1]]).toEqual([['Quick'], ['Slow']]);
    expect((second?.answeredAt ?? 0) - (first?.answeredAt ?? 0)).toBeGreaterThanOrEqual(60_000);
  });
});

const mails = `
forms:
  contact:
    fields: [{name: name}]
    outputs:
      - {type: smtp, host: mail.example.com, to: a@example.com, mapping: "*"}
      - {type: smtp, host: mail.example.com, to: Ann <a@example.com>, cc: c@example.com, bcc: b@example.com, html: true}
`;

test('an HTML mail has a page of its own, without scripts or external content', async () => {
  const at = await stage({ config: mails });
  const events = await at.events();
  await send(at, 'name=%3Cscript%3Ealert%281%29%3C%2Fscript%3E');
  const { number, report } = await next(events);
  expect(mailsIn(report).map(({ html }) => html !== undefined)).toEqual([false, true]);
  const page = await at.request(mailAddress(number, 1));
  expect(page.status).toBe(200);
  expect(page.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; " +
      "frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox",
  });
  expect(page.text).toContain('&lt;script&gt;alert(1)');
  expect(page.text).not.toContain('<script');
});

const quote = `
forms:
  contact:
    fields: [{name: name}, {name: email, type: email}]
    outputs:
      - {type: http_post, url: "https://hooks.acme.dev/", mapping: "*"}
      - {type: smtp, host: mail.example.com, to: office@example.com, html: true, on_error: continue}
    confirmation_mail: {to: email, subject: Your quote, text: We got it., html: true}
`;

test("a mail to the visitor is shown next to the owner's, with a page of its own", async () => {
  const at = await stage({ config: quote });
  const events = await at.events();
  await send(at, 'name=Ada&email=ada%40example.org');
  const { report } = await next(events);
  expect(report.mails).toMatchObject([{ result: 'sent', target: 'mail.example.com:587' }]);
  expect(report.mails[0]?.sent).toMatchObject([
    { to: ['ada@example.org'], text: expect.stringContaining('We got it.') },
  ]);
  expect((await at.request('/studio/mail/1/0')).text).toContain('Ada');
  const own = (await at.request('/studio/mail/1/1')).text;
  expect(own).toContain('We got it.');
  expect(own).not.toContain('Ada');
});

describe('a submission that waits for confirmation', () => {
  const newsletter = `
forms:
  contact:
    fields: [{name: email, type: email, required: true}, {name: name, max_length: 60}]
    outputs: [{type: http_post, url: "https://list.example.com/", mapping: "*"}]
    double_opt_in: {to: email, subject: Confirm, text: Was it you?, html: true, through: {type: smtp, host: mail.example.com}}
`;
  const body = 'name=Ada&email=ada%40example.org';
  /** A browser's POST from a page without a referrer. */
  const click = (at: Stage, link: string) => {
    const [path = '', query = ''] = link.split('?');
    return at.request(path, { method: 'POST', headers: { ...urlencoded, origin: 'null' }, body: query });
  };

  test.each(['127.0.0.1', 'localhost'])('is shown with its link, which leads back to %s', async (name) => {
    // A public URL would lead out of the studio.
    const at = await stage({ config: newsletter, env: { PUBLIC_URL: 'https://forms.example.com' } });
    const events = await at.events();
    const headers = { ...urlencoded, host: `${name}:${at.port}` };
    await at.request('/api/v1/submit/contact', { method: 'POST', headers, body });
    const held = await next(events);
    const { link = '' } = held;
    expect(link).toMatch(/^\/api\/v1\/confirm\/contact\?t=/);
    expect(held.ending.word).toBe('On hold');
    expect(mailsIn(held.report)[0]?.text).toContain(`http://${name}:${at.port}${link}`);
    expect((await at.request('/studio/mail/1/0')).text).toContain(`http://${name}:${at.port}${link}`);

    expect((await at.request(link)).status).toBe(200);
    expect((await click(at, link)).status).toBe(303);
    const confirmed = await next(events);
    expect(confirmed).toMatchObject({
      ending: { word: 'Delivered' },
      report: { isConfirmed: true, ignored: [], says: 'the address is confirmed; to 1 of 1 output' },
    });
    expect(confirmed.report.values).toHaveLength(2);
    expect(confirmed.link).toBeUndefined();
  });

  test('is confirmed by its own link, and a page without an origin can post nothing else', async () => {
    const at = await stage({ config: newsletter });
    expect((await click(at, '/api/v1/confirm/contact?t=forged')).status).toBe(400);
    expect((await click(at, `/api/v1/submit/contact?${body}`)).status).toBe(403);
    expect((await click(at, '/studio/clear')).status).toBe(403);
  });
});
