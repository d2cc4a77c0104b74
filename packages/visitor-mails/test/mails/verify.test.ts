import type { SinkAnswer } from '../../../../test/support/http_sink.ts';
import { decodeMail, httpSink, relayWith, smtpSink, tempFolder } from '../../../../test/support/index.ts';
import type { Answer, TestRelay } from '../../../../test/support/relay.ts';
import { shop } from '../../../senders/test/stage.ts';
import { openCode } from '../../src/code_input.ts';
import { indented } from './newsletter.ts';

const secret = '3d1d0f6dd1f34c2b8a5e';

interface Options {
  readonly formKeys?: string;
  readonly emailKeys?: string;
  /** The response of the output's server. */
  readonly answer?: () => SinkAnswer;
  readonly env?: Readonly<Record<string, string>>;
  readonly onMail?: () => void;
  /** The relay's clock, for tests of durations. */
  readonly now?: () => number;
}

interface How {
  readonly form?: string;
  readonly query?: string;
  readonly to?: TestRelay;
  readonly headers?: Record<string, string>;
}

interface Sent extends Answer {
  /** The form's token for sending it again. */
  readonly token: string;
}

/** An election: each address votes once, and must prove that it gets its mail. */
async function openElection({
  formKeys = '',
  emailKeys = '',
  answer = () => ({}),
  env = {},
  onMail = () => {},
  now,
}: Options = {}) {
  const list = await httpSink({ answer: () => answer() });
  const smtp = await smtpSink({ onMessage: () => void onMail() });
  const config = `
counted_in: ${tempFolder()}
forms:
${['vote', 'other']
  .map(
    (id) => `
  ${id}:
    title: Board
    fields:
      - {name: email, type: email, verify: code${emailKeys}}
      - {name: choice, type: radios, options: [ada, bob, none], required: true}
    spam: {honeypot: website}
    outputs:
      - {type: http_post, url: "${list.origin}/", mapping: "*"}
      - {type: smtp, host: 127.0.0.1, port: ${smtp.port}, from: b@board.example, to: office@board.example, when: {field: choice, is: none}, mapping: "*"}
${indented(formKeys, 4)}`,
  )
  .join('')}
`;
  const effects = now && { now };
  const open = () =>
    relayWith({ config, env: { FORM_TOKEN_SECRET: secret, ...env }, ...(effects && { effects }) });
  const relay = await open();
  const send = async (
    values: Readonly<Record<string, string>> = {},
    { form = 'vote', query = '', to = relay, headers = {} }: How = {},
  ): Promise<Sent> => {
    const sent = { email: 'ada@visitor.example', choice: 'ada', ...values };
    const answer = await to.post(`/api/v1/submit/${form}${query}`, sent, headers);
    const { verify } = answer.text.startsWith('{') ? (answer.json as { verify?: Verify }) : {};
    const token = verify?.token.value ?? /name="_code_token" value="([^"]*)"/.exec(answer.text)?.[1] ?? '';
    return Object.assign(answer, { token });
  };
  const code = () => codeIn(smtp.mails.at(-1)?.raw ?? '');
  const typed = (token: string, digits = code()) => ({ _code_token: token, _code: digits });
  return { relay, open, send, typed, code, list, mails: smtp.mails };
}

interface Verify {
  readonly token: { readonly value: string };
}

const codeIn = (raw: string) => /^Your code: (\d{6})$/m.exec(decodeMail(raw).text)?.[1] ?? 'none';
/** A code that is certainly wrong. */
const otherThan = (code: string, by = 1) => String((Number(code) + by) % 1_000_000).padStart(6, '0');
const errorOf = ({ json }: Answer) => (json as { error: string }).error;

const sentWords = /^We have sent a code/;
const wrongWords = /^That is not the code/;
const renewedWords = /^That code can no longer be used/;

test('nothing is delivered before the code is typed, and then only once', async () => {
  const { send, typed, code, list, mails } = await openElection();
  const challenged = await send();
  expect(challenged.status).toBe(422);
  expect(challenged.json).toEqual({
    error: expect.stringMatching(/^We have sent a code of six digits to a•••@visitor\.example\./),
    verify: { field: '_code', token: { name: '_code_token', value: expect.stringMatching(/^[\w-]{60,}$/) } },
  });
  expect(Buffer.from(challenged.token, 'base64url').toString('latin1')).not.toContain(code());
  expect(mails[0]?.envelope.to).toEqual(['ada@visitor.example']);
  expect(mails[0]?.raw).toMatch(/^Subject: Your code: Board\r$/m);
  expect(list.requests).toEqual([]);
  const [a, b, c, ...rest] = code();
  const done = await send(typed(challenged.token, ` ${a}${b}${c} ${rest.join('')}`));
  expect([done.status, done.json]).toEqual([200, { message: 'ok' }]);
  // Replayed, with other values, and concurrently.
  const again = await Promise.all(
    ['ada', 'bob', 'bob'].map((choice) => send({ ...typed(challenged.token), choice })),
  );
  expect(again.map(({ status }) => status)).toEqual([422, 422, 422]);
  expect(again.map(errorOf)).toEqual(
    Array(3).fill(expect.stringMatching(/^The form was sent with this code/)),
  );
  expect(list.requests.map(({ body }) => body)).toEqual(['choice=ada&email=ada%40visitor.example']);
  expect(mails).toHaveLength(1);
});

test('sent several times at once, the submission is delivered once', async () => {
  const { send, typed, list } = await openElection();
  const { token } = await send();
  const answers = await Promise.all([0, 1, 2].map(() => send(typed(token))));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422, 422]);
  expect(list.requests).toHaveLength(1);
});

describe('guesses', () => {
  test('have five attempts, with any number of clients and copies of the relay, and across restarts', async () => {
    const { send, typed, code, open, list, mails, relay } = await openElection();
    const { token } = await send();
    const right = code();
    const copy = await open();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        send(typed(token, otherThan(right, index + 1)), { to: index % 2 > 0 ? copy : relay }),
      ),
    );
    expect(answers.map((answer) => errorOf(answer)).filter((one) => wrongWords.test(one))).toHaveLength(5);
    // The other attempts were for a code that had become invalid. Two more codes were mailed, because an
    // address gets at most three per hour.
    expect(mails).toHaveLength(3);
    expect((await send(typed(token, right), { to: await open() })).status).toBe(429);
    expect(list.requests).toEqual([]);
  });

  test('gain nothing from a code of another form, address or secret, nor from a tampered token', async () => {
    const election = await openElection();
    const { send, typed, list } = election;
    const mine = await send({ email: 'eve@visitor.example' });
    const stolen = typed(mine.token);
    const other = await send({ email: 'fay@visitor.example' }, { form: 'other' });
    const tries: readonly (readonly [name: string, values: Readonly<Record<string, string>>])[] = [
      ['another address', stolen],
      ['another spelling', { ...stolen, email: 'EVE@visitor.example' }],
      ['another form', { ...typed(other.token), email: 'fay@visitor.example' }],
      ['no token', { _code: stolen._code, email: 'bob@visitor.example' }],
      [
        'a changed token',
        { ...stolen, _code_token: `${mine.token.slice(0, -1)}A`, email: 'carl@visitor.example' },
      ],
      ['another text', { ...stolen, _code_token: 'x'.repeat(5_000), email: 'dora@visitor.example' }],
    ];
    for (const [name, values] of tries) {
      const { status, text } = await send(values);
      expect([name, status, text]).toEqual([name, 422, expect.stringContaining('We have sent a code')]);
    }
    expect(list.requests).toEqual([]);
    // The code is still valid for its own address.
    expect((await send({ ...stolen, email: 'eve@visitor.example' })).status).toBe(200);
  });

  test.each([
    ['JSON', {}, ''],
    ['problem details', { accept: 'application/problem+json' }, ''],
    ['a fragment', { 'hx-request': 'true' }, ''],
    ['a page', { accept: 'text/html' }, '?as=page'],
  ])('learn nothing from the response to a bot, as %s, which sends no mail', async (_, headers, query) => {
    const { send, mails, list, relay } = await openElection();
    /** The responses that a visitor gets in several steps, each sent with the token of the previous step. */
    const steps = async (email: string, more: Record<string, string>) => {
      const read: unknown[] = [];
      let token = '';
      for (const values of [
        { email: 'no address', choice: 'ada' },
        { email, choice: '' },
        { email: 'a..b@visitor.example', choice: 'ada' },
        { email: '', choice: 'ada' },
        { email, choice: 'ada' },
        ...Array(6).fill({ email, choice: 'ada', _code: '12345x' }),
        { email, choice: 'ada', _code: '' },
        { email, choice: 'ada', _code: '' },
        { email: 'noreply@visitor.example', choice: 'ada' },
      ]) {
        const started = relay.waited.length;
        const sent = { ...values, ...more, _code_token: token };
        const answer = await send(sent, { headers, query });
        const text = answer.text.replace(/^.*<main>/s, '').replaceAll(email, '');
        read.push([answer.status, answer.token.length, answer.token ? text.replace(answer.token, '') : text]);
        if (more.website) waits.push(relay.waited.length - started);
        token = answer.token || token;
      }
      return read;
    };
    const waits: number[] = [];
    const people = await steps('ada@visitor.example', {});
    const sent = mails.length;
    expect(await steps('amy@visitor.example', { website: 'x' })).toEqual(people);
    expect([mails.length, list.requests.length]).toEqual([sent, 1]);
    expect(waits).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0]);
  });

  test('make a bot wait for as long as the latest mail took', async () => {
    let at = 1_900_000_000_000;
    let delayMs = 0;
    const onMail = () => {
      at += delayMs;
    };
    const { send, relay } = await openElection({ onMail, now: () => at });
    for (const took of [700, 1_300]) {
      delayMs = took;
      await send({ email: `a${took}@visitor.example` });
      await send({ email: `b${took}@visitor.example`, website: 'x' });
      expect(relay.waited.at(-1)).toBe(took);
    }
  });

  test('gain nothing from the code in the response to a bot, which was not mailed', async () => {
    const { send, list, mails } = await openElection();
    const email = 'ada@visitor.example';
    const { token } = await send({ email, website: 'x' });
    const digits = openCode(secret, 'vote', token, email)?.digits ?? '';
    expect(digits).toHaveLength(6);
    const answer = await send({ email, _code_token: token, _code: digits });
    expect([answer.status, errorOf(answer)]).toEqual([422, expect.stringMatching(sentWords)]);
    expect([list.requests.length, mails.length]).toEqual([0, 1]);
  });
});

test('an old code, an empty one and a wrong one lead to the right one', async () => {
  const { send, typed, code, relay, mails } = await openElection();
  const first = await send();
  const right = code();
  // With an empty code, the same code is mailed again, so that both mails work.
  const second = await send(typed(first.token, ' '));
  expect([code(), second.token, mails.length]).toEqual([right, first.token, 2]);
  const wrong = await send(typed(first.token, otherThan(right)));
  expect([errorOf(wrong), wrong.token]).toEqual([expect.stringMatching(wrongWords), first.token]);
  relay.advance(1_800_001);
  const old = await send(typed(first.token, right));
  expect(errorOf(old)).toMatch(renewedWords);
  expect(
    (
      await send(
        typed(
          old.token,
          code().replace(/\d/g, (digit) => '٠١٢٣٤٥٦٧٨٩'[Number(digit)] ?? ''),
        ),
      )
    ).status,
  ).toBe(200);
});

test.each([
  (code: string) => `Your code: ${code}`,
  (code: string) => `*${code}*`,
  (code: string) => [...code].join('\u200b\u2060'),
  (code: string) => `\u200c${code.slice(0, 3)}\u2013${code.slice(3)}\u00a0`,
  (code: string) => code.replace(/\d/g, (digit) => String.fromCodePoint(0x1d7ce + Number(digit))),
])('a code is compared by its digits, whatever surrounds them: %s', async (spell) => {
  const { send, typed, code } = await openElection();
  const { token } = await send();
  expect(errorOf(await send(typed(token, spell(otherThan(code())))))).toMatch(wrongWords);
  expect(errorOf(await send(typed(token, spell(`${code()}1`))))).toMatch(wrongWords);
  expect((await send(typed(token, spell(code())))).status).toBe(200);
});

test('a code stays valid while other fields are corrected, and after a failed delivery', async () => {
  let isDown = true;
  const { send, typed, list, mails } = await openElection({ answer: () => ({ status: isDown ? 400 : 200 }) });
  const { token } = await send();
  expect((await send({ ...typed(token), choice: '' })).status).toBe(422);
  for (let i = 0; i < 6; i += 1) expect((await send(typed(token))).status).toBe(500);
  isDown = false;
  expect((await send(typed(token))).status).toBe(200);
  expect([list.requests.length, mails.length]).toEqual([7, 1]);
});

const people = { page: { query: '?as=page' }, htmx: { headers: { 'hx-request': 'true' } } };

test('people get the form back with what they typed, and the input has the focus', async () => {
  const { send, typed, mails } = await openElection();
  for (const [name, how] of Object.entries(people)) {
    const email = `${name}@visitor.example`;
    const challenged = await send({ email }, how);
    expect(challenged.status).toBe(422);
    expect(challenged.text).toContain(`value="${email}"`);
    // Nothing is wrong, so the text is in the step, which gets the focus, and not in an alert.
    expect(challenged.text).toContain('role="alert"></div>');
    expect(challenged.text).toContain(`to ${name[0]}•••@visitor.example.`);
    expect(challenged.text).toMatch(
      /<label for="(\S+)">Code from the e-mail<\/label>\n<p class="field-help" id="(\S+)">[^<]+<\/p>\n<input type="text" id="\1" name="_code" inputmode="numeric" autocomplete="one-time-code" aria-describedby="\S+ \2" autofocus>/,
    );
    const incomplete = await send({ email, ...typed(challenged.token), choice: '' }, how);
    expect(incomplete.text).toContain(`_code--help" value="${typed('')._code}"`);
    const wrong = await send({ email, ...typed(challenged.token, 'abc') }, how);
    expect(wrong.text).toMatch(
      /<p class="field-error" id="(\S+)">That is not the code[^<]+<\/p>\n<input [^>]*\1" aria-invalid="true"/,
    );
    expect(wrong.text).toContain('role="alert"></div>');
    const before = mails.length;
    const again = await send({ email, ...typed(challenged.token, '111111'), _code_again: '1' }, how);
    expect([again.status, mails.length, again.token]).toEqual([422, before + 1, challenged.token]);
    // Another address needs another code, and the form asks for none before it is mailed.
    const moved = await send({ email: `x${email}`, ...typed(challenged.token), choice: '' }, how);
    expect(moved.text).not.toMatch(/name="_code\w*"(?![^>]* disabled)/);
  }
});

test('the title of the page that asks for a code reports no error, but that of a wrong code does', async () => {
  const { send, typed } = await openElection();
  const titled = async (values = {}) => {
    const { text, token } = await send(values, people.page);
    return { token, title: /<title>(.*)<\/title>/.exec(text)?.[1] };
  };
  const challenged = await titled();
  expect(challenged.title).toBe('Board');
  expect((await titled(typed(challenged.token, 'abc'))).title).toBe('Error: Board');
});

test('an address that is left empty needs no code, nor one from a server with a key', async () => {
  const { send, mails } = await openElection({ formKeys: 'keys_env: [KEY_SHOP]', env: { KEY_SHOP: shop } });
  expect((await send({ email: '' })).status).toBe(200);
  expect((await send({}, { headers: { authorization: `Bearer ${shop}` } })).status).toBe(200);
  expect(mails).toEqual([]);
});

test('places and once are checked after the code, and a full form mails none', async () => {
  const { send, typed, mails } = await openElection({
    emailKeys: ', required: true',
    formKeys: 'places: 1\nonce: {by: email, reveal: true}',
  });
  const { token } = await send();
  const other = await send({ email: 'bob@visitor.example' });
  expect((await send(typed(token, codeIn(mails[0]?.raw ?? '')))).status).toBe(200);
  const late = await send({ email: 'bob@visitor.example', ...typed(other.token) });
  expect([late.status, errorOf(late)]).toEqual([403, 'All places are taken.']);
  expect((await send({ email: 'carl@visitor.example' })).status).toBe(403);
  expect(mails).toHaveLength(2);
});

test('the mail has the owner’s text, and the code below it', async () => {
  const { send, code, mails } = await openElection({
    formKeys:
      'verification_mail: {subject: "Your vote for {{ .fields.choice }}", text: "Type this:", html: true, footer: Acme}',
  });
  await send();
  const { text, headers } = decodeMail(mails[0]?.raw ?? '');
  expect(Object.fromEntries(headers).Subject).toBe('Your vote for ada');
  expect(text).toContain(`Type this:\n\nYour code: ${code()}`);
});

test('without FORM_TOKEN_SECRET, nothing is sent', async () => {
  const { send, list, mails } = await openElection({ env: { FORM_TOKEN_SECRET: '' } });
  expect((await send()).status).toBe(500);
  expect([...list.requests, ...mails]).toEqual([]);
});
