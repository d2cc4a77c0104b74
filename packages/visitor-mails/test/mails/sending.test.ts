/** How mails to visitors are sent: how many at a time, for how long, and how they are logged. */

import { createRelay } from '../../../../test/support/bare_relay.ts';
import { failed } from '../../../../test/support/failed.ts';
import { decodeMail, relayWith, smtpSink, tempFolder } from '../../../../test/support/index.ts';
import type { RelayRequest } from '../../../core/src/http/request.ts';
import type { SmtpMessage } from '../../../core/src/services.ts';
import { openNewsletter, optInEnv, there } from './newsletter.ts';

interface Stage {
  /** Keys of the form, in YAML. */
  readonly mail: string;
  /** Top-level keys of the config. */
  readonly top?: string;
  readonly http?: () => number;
  readonly env?: Record<string, string>;
}

const confirmation = 'confirmation_mail: {to: email, subject: Thank you, text: It came., per_hour: 100}';
const optIn = 'double_opt_in: {to: email, subject: Please confirm, text: Click., per_hour: 100}';

/** A relay with a fixed clock, whose mails wait until the test completes them. */
function staged({ mail, top = '', http = () => 200, env = {} }: Stage) {
  const clock = { ms: Date.UTC(2030, 0, 1) };
  const logged: Record<string, unknown>[] = [];
  const waiting: { readonly mail: SmtpMessage; readonly end: (error?: Error) => void }[] = [];
  const begun: SmtpMessage[] = [];
  const posted: number[] = [];
  const output = (port: number) =>
    `{type: smtp, host: mail.example.com, port: ${port}, to: owner@example.com, from: forms@example.com, timeout: 10s, retries: 1, when: {field: kind, is: never}}`;
  const form = (port: number) => `
    fields: [{name: email, type: email, required: true}, {name: kind, type: select, options: [usual, never]}]
    outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*", retries: 0}, ${output(port)}]
    ${mail}`;
  const relay = createRelay({
    config: `${top}\nforms:\n  contact:${form(25)}\n  other:${form(587)}`,
    env: { ...optInEnv, ...env },
    effects: {
      now: () => clock.ms,
      sleep: async () => {},
      http: async ({ timeoutMs }) => {
        posted.push(timeoutMs);
        return { status: http(), headers: {}, body: '' };
      },
      smtp: (message) =>
        new Promise<void>((resolve, reject) => {
          begun.push(message);
          waiting.push({ mail: message, end: (error) => (error ? reject(error) : resolve()) });
        }),
      log: (level, event, fields) => void logged.push({ level, event, ...fields }),
    },
  });
  /** Each from a different sender. */
  const visitors = Array.from({ length: 100 }, (_, nth) => `visitor${nth}@example.org`);
  const post = (path: string, body: string, more: Partial<RelayRequest> = {}) =>
    relay.handle({
      method: 'POST',
      path,
      query: '',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: Buffer.from(body),
      livesOn: true,
      ...more,
    });
  const stage = {
    relay,
    clock,
    logged,
    begun,
    posted,
    post,
    submit: (form = 'contact', more: Partial<RelayRequest> = {}, email = visitors.pop() ?? '') =>
      post(`/api/v1/submit/${form}`, new URLSearchParams({ email }).toString(), more),
    /** Completes the mails in progress, optionally with an error. */
    end: (error?: Error) => {
      for (const one of waiting.splice(0)) one.end(error);
    },
    link: () => /[?&]t=([\w-]+)/.exec(begun.at(-1)?.text ?? '')?.[1] ?? '',
  };
  onTestFinished(async () => {
    const closing = relay.close();
    const ending = setInterval(() => stage.end(), 5);
    await closing;
    clearInterval(ending);
  });
  return stage;
}

test('five mails that no one waits for are sent at once, and the rest after them', async () => {
  const { submit, begun, end } = staged({ mail: confirmation });
  for (let count = 0; count < 7; count += 1) expect((await submit()).status).toBe(200);
  await expect.poll(() => begun.length).toBe(5);
  end();
  await expect.poll(() => begun.length).toBe(7);
});

test('and so are those to addresses that have registered before', async () => {
  const folder = tempFolder();
  const mail = `${confirmation}\n    once: {by: email}`;
  const { submit, begun, end } = staged({ mail, top: `counted_in: ${folder}` });
  const people = Array.from({ length: 7 }, (_, nth) => `member${nth}@example.org`);
  for (const mails of [5, 12]) {
    for (const email of people) expect((await submit('contact', {}, email)).status).toBe(200);
    await expect.poll(() => begun.length).toBe(mails);
    end();
    await expect.poll(() => begun.length).toBe(mails + 2);
    end();
  }
});

test('an address that the link could not be mailed to may get another, however often', async () => {
  const { submit, begun, end } = staged({ mail: optIn });
  const refused = failed('smtp_refused', { command: 'RCPT', reply: '550 5.1.1' });
  for (let count = 1; count <= 4; count += 1) {
    const answer = submit('contact', {}, 'ada@example.org');
    await expect.poll(() => begun.length).toBe(count);
    end(refused);
    expect((await answer).status).toBe(422);
  }
  const answer = submit('contact', {}, 'ada@example.org');
  await expect.poll(() => begun.length).toBe(5);
  end();
  expect((await answer).status).toBe(200);
});

test('a confirmed but undelivered submission gets no confirmation mail', async () => {
  let status = 503;
  const stage = staged({ mail: `${optIn}\n    ${confirmation}`, http: () => status });
  const answer = stage.submit();
  await expect.poll(() => stage.begun.length).toBe(1);
  stage.end();
  expect((await answer).status).toBe(200);
  const link = stage.link();
  expect(link).not.toBe('');
  const confirm = (more?: Partial<RelayRequest>) => stage.post('/api/v1/confirm/contact', `t=${link}`, more);
  expect((await confirm({ timeLeftMs: 3_000 })).status).toBe(500);
  expect(stage.posted).toEqual([2_000]);
  expect(stage.begun).toHaveLength(1);
  status = 200;
  expect((await confirm()).status).toBe(303);
  await expect.poll(() => stage.begun.length).toBe(2);
});

test('a path prefix that the sender may have made up is in no link', async () => {
  const { submit, begun, end, logged } = staged({ mail: optIn });
  expect((await submit('contact', { mountPath: '/evil.example' })).status).toBe(500);
  expect(begun).toEqual([]);
  const answer = submit('contact', { mountPath: '/stage', isMountSure: true });
  await expect.poll(() => begun.length).toBe(1);
  expect(begun[0]?.text).toContain(`${optInEnv.PUBLIC_URL}/stage/api/v1/confirm/contact?t=`);
  end();
  expect((await answer).status).toBe(200);
  expect(logged.filter(({ event }) => event === 'internal_error')).toEqual([]);
});

test('`copy: all` contains all values, including undeclared fields, once the address is confirmed', async () => {
  const news = await openNewsletter({
    formKeys:
      'accept_undeclared: true\nconfirmation_mail: {to: email, subject: Welcome, text: You sent this., copy: all, through: {type: smtp, host: 127.0.0.1, port: $port}}',
  });
  await news.subscribe({ name: 'Ada <b>Byron</b> {{ .fields.email }}', topics: 'hats', colour: 'red' });
  expect(news.smtp.mails).toHaveLength(1);
  await news.confirm();
  await expect.poll(() => news.smtp.mails.length).toBe(2);
  const { text } = decodeMail(news.smtp.mails[1]?.raw ?? '');
  expect(text).toContain('You sent this.\n\nEmail: ');
  expect(text).toContain('Name: Ada <b>Byron</b> {{ .fields.email }}\n');
  expect(text).toContain('Topics: hats\n');
  expect(text).toContain('colour: red\n');
});

test('`copy: all` contains rows, an address and a grid from the link', async () => {
  const smtp = await smtpSink();
  const server = `type: smtp, host: 127.0.0.1, port: ${smtp.port}, from: shop@seeds.example`;
  const relay = await relayWith({
    env: optInEnv,
    config: `
forms:
  order:
    fields:
      - {name: email, type: email, required: true}
      - {name: home, type: address, countries: [DE], max_length: 30}
      - name: lines
        type: repeat
        most: 4
        fields:
          - {name: seed, type: select, options: [beans, peas]}
          - {name: grams, type: number, min: 1, max: 5000}
          - {name: gift, type: checkbox}
          - {name: note, type: textarea, max_length: 10}
      - {name: rated, type: grid, rows: [shop, page], options: [good, bad], several: true}
    outputs:
      - {${server}, to: office@seeds.example, mapping: {Seeds: lines, First: lines.1.grams, City: home.city, Rated: rated}}
    double_opt_in: {to: email, subject: Please confirm, text: Please click.}
    confirmation_mail: {to: email, subject: Your order, text: Thank you., copy: all}
`,
  });
  const answer = await relay.submit('order', [
    ['email', 'ada@visitor.example'],
    ['home.country', 'DE'],
    ['home.line1', 'Am "Markt" 1'],
    ['home.postal_code', '10115'],
    ['home.city', 'Köln'],
    ['lines.1.grams', '250'],
    ['lines.1.gift', 'on'],
    ['lines.3.seed', 'peas'],
    ['lines.3.note', 'a "b"\r\nc'],
    ['rated.shop', 'good'],
    ['rated.shop', 'bad'],
  ]);
  expect(answer.json).toEqual({ message: 'ok' });
  const sealed = /\?t=(\S+)/.exec(decodeMail(there(smtp.mails[0]).raw).text)?.[1];
  const click = await relay.post('/api/v1/confirm/order', `t=${sealed}`);
  expect(click.status).toBe(303);
  await expect.poll(() => smtp.mails.length).toBe(3);
  const [, office, copy] = smtp.mails.map(({ raw }) => decodeMail(raw).text);
  expect(office).toMatchInlineSnapshot(`
    "City=Köln
    First=250
    Rated=shop: good, bad
    Seeds=Entry 1:
    	    Grams: 250
    	    Gift: ✓
    Seeds=Entry 2:
    	    Seed: peas
    	    Note:
    	        a "b"
    	        c
    "
  `);
  expect(copy).toMatchInlineSnapshot(`
    "Thank you.

    Email: ada@visitor.example
    Home:
        Am "Markt" 1
        Köln
        10115
        Germany
    Lines:
      - Entry 1:
            Grams: 250
            Gift: ✓
      - Entry 2:
            Seed: peas
            Note:
                a "b"
                c
    Rated:
        shop: good, bad
    "
  `);
});
