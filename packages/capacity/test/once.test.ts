import { readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { startDynamo } from '../../../test/support/aws/dynamodb.ts';
import { account } from '../../../test/support/aws/signature.ts';
import { mailHeader, mailText, smtpSink, tempFolder, untilEnd } from '../../../test/support/index.ts';
import { spellings } from '../../../test/support/spellings.ts';
import { there } from '../../visitor-mails/test/mails/newsletter.ts';
import { openCourse } from './stage.ts';

const env = { FORM_TOKEN_SECRET: '3d1d0f6dd1f34c2b8a5e' };
const fields = '{name: name}, {name: email, type: email, required: true}';

/** A form that sends its confirmation mails through a server of its own. */
async function open(keys: string, options: Partial<Parameters<typeof openCourse>[0]> = {}) {
  const smtp = await smtpSink();
  const mail = `confirmation_mail: {to: email, subject: Welcome, text: You are in., from: a@acme.example, through: {type: smtp, host: 127.0.0.1, port: ${smtp.port}}}`;
  const course = await openCourse({ fields, env, keys: `title: The course\n${keys}\n${mail}`, ...options });
  const mailed = async (most: number) => {
    await expect.poll(() => smtp.mails.length).toBeGreaterThanOrEqual(most);
    return smtp.mails;
  };
  return { course, mailed };
}

/** The first delivery lasts until the test responds to it; later deliveries succeed. */
async function openHanging(options: Parameters<typeof open>[1] = {}) {
  let answer = (_: number) => {};
  const first = new Promise<{ status: number }>((resolve) => {
    answer = (status) => resolve({ status });
  });
  let isFirst = true;
  const sink = {
    answer: () => {
      if (!isFirst) return {};
      isFirst = false;
      return first;
    },
  };
  return { ...(await open('once: {by: email}', { sink, ...options })), answer };
}

const ada = { name: 'Ada', email: 'ada@visitor.example' };

describe('an address registers once', () => {
  test('the second time, the response is the same, and the address gets a mail', async () => {
    const { course, mailed } = await open('once: {by: email}');
    const first = await course.send(ada);
    const second = await course.send({ ...ada, email: ' Ada@Visitor.EXAMPLE ' });
    expect(second.status).toBe(200);
    expect(second.text).toBe(first.text);
    expect([...second.headers.keys()]).toEqual([...first.headers.keys()]);
    expect(course.delivered).toHaveLength(1);
    const [welcome, registered] = await mailed(2);
    expect(there(welcome).raw).toContain('Subject: Welcome');
    expect(there(registered).raw).toContain('Subject: Already sent: The course');
    expect(mailText(there(registered).raw)).toMatch(/already has a submission with this address/);
    expect(mailHeader(there(registered).raw, 'To')).toBe('Ada@visitor.example');
    // A stranger cannot flood the mailbox.
    await course.send(ada);
    expect((await course.send({ ...ada, email: 'grace@visitor.example' })).status).toBe(200);
    expect(mailHeader(there((await mailed(3))[2]).raw, 'To')).toBe('grace@visitor.example');
    expect(course.delivered).toHaveLength(2);
  });

  test('in any spelling', async () => {
    // A form that sends no mails accepts spellings that mail servers do not, such as a domain with a trailing dot.
    const course = await openCourse({ fields, env, keys: 'once: {by: email, reveal: true}' });
    for (const [first = '', ...others] of spellings) {
      expect((await course.send({ ...ada, email: first })).status, first).toBe(200);
      for (const email of others) expect((await course.send({ ...ada, email })).status, email).toBe(403);
    }
  });

  test.each(['email, type: email', 'number', 'day, type: checkboxes, options: [sat, sun]'])(
    'a second value of the field is rejected: %s',
    async (declared) => {
      const [name = ''] = declared.split(',');
      const course = await openCourse({
        fields: `{name: ${declared}, required: true}`,
        env,
        keys: `once: {by: ${name}, reveal: true}`,
      });
      const [first, second] = name === 'day' ? ['sat', 'sun'] : ['a@b.example', 'c@d.example'];
      const statusOf = async (...values: readonly (string | undefined)[]) =>
        (await course.send(values.map((value): [string, string] => [name, value ?? '']))).status;
      expect(await statusOf(first, second)).toBe(422);
      expect(await statusOf(second, '')).toBe(200);
      expect(await statusOf(first, second)).toBe(422);
      expect(await statusOf(second)).toBe(403);
    },
  );

  test.each([
    ['id', '12', ['12\u200b', ' 1 2 ', '\u2060１２']],
    ['number, type: number', '5', ['5.0', '５', '005']],
    ['phone, type: tel, country: DE', '+4930901820', ['+49 (0)30 901820', '0049 30 901820']],
    ['at, type: datetime', '2030-01-02T09:00', ['2030-01-02 9:00']],
    ['voucher, one_of: [Zo\u00eb]', 'Zo\u00eb', ['zoe\u0308']],
  ])('other spellings of a value are rejected: %s', async (declared, first, others) => {
    const [name = ''] = declared.split(',');
    const keys = `once: {by: ${name}, reveal: true}\ntime_zone: UTC`;
    const course = await openCourse({ fields: `{name: ${declared}, required: true}`, env, keys });
    expect((await course.send({ [name]: first })).status).toBe(200);
    for (const other of others) expect((await course.send({ [name]: other })).status, other).toBe(403);
  });

  test('the same holds in another process, and for as long as `for` says', async () => {
    const { course } = await open('once: {by: email, for: 30d}');
    await course.send(ada);
    const other = await course.another();
    await other.send(ada);
    expect(course.delivered).toHaveLength(1);
    course.advance(29 * 86_400_000);
    await course.send(ada);
    expect(course.delivered).toHaveLength(1);
    course.advance(2 * 86_400_000);
    await course.send(ada);
    expect(course.delivered).toHaveLength(2);
  });

  test('an undelivered address may register again', async () => {
    let isDown = true;
    const { course } = await open('once: {by: email}', {
      sink: { answer: () => ({ status: isDown ? 500 : 200 }) },
    });
    expect((await course.send(ada)).status).toBe(500);
    isDown = false;
    expect((await course.send(ada)).status).toBe(200);
    expect(course.delivered).toHaveLength(2);
  });

  test('a full form responds equally to registered visitors', async () => {
    const { course } = await open('places: 1\nonce: {by: email}');
    await course.send(ada);
    const known = await course.send(ada);
    const unknown = await course.send({ ...ada, email: 'grace@visitor.example' });
    expect(known.status).toBe(403);
    expect(known.text).toBe(unknown.text);
  });

  test('an address rejected for lack of a place is not registered', async () => {
    const { course } = await open('option_places: {day: {sat: 1}}\nonce: {by: email}', {
      fields: `${fields}, {name: day, type: select, options: [sat, sun]}`,
    });
    await course.send({ ...ada, day: 'sat' });
    const grace = { ...ada, email: 'grace@visitor.example' };
    expect((await course.send({ ...grace, day: 'sat' })).status).toBe(422);
    expect((await course.send({ ...grace, day: 'sun' })).status).toBe(200);
    expect(course.delivered).toHaveLength(2);
  });

  test('the timing of a response does not reveal who has registered', async () => {
    let clock = Date.parse('2026-12-01T00:00:00Z');
    let deliveryMs = 20;
    const sleep = async (ms: number) => {
      clock += ms;
    };
    const answer = () => {
      clock += deliveryMs;
      return {};
    };
    const { course } = await open('once: {by: email}', {
      effects: { now: () => clock, sleep },
      sink: { answer },
    });
    const took = async (to: typeof course, name: string) => {
      const at = clock;
      await to.send({ ...ada, email: `${name}@visitor.example` });
      return clock - at;
    };
    let people = 0;
    const somebody = () => {
      people += 1;
      return `new${people}`;
    };
    /** The response times of a known and a new address, each first in a new process and then later. */
    const times = async () => [
      await took(await course.another(), 'ada'),
      await took(await course.another(), somebody()),
      await took(course, 'ada'),
      await took(course, somebody()),
    ];
    const same = (ms: number) => [ms, ms, ms, ms];
    expect([await took(course, 'ada'), await took(course, 'ada')]).toEqual([1_000, 1_000]);
    expect(await times()).toEqual(same(1_000));
    deliveryMs = 3_000;
    expect(await took(course, 'bea')).toBe(3_500);
    expect(await times()).toEqual(same(3_500));
    for (deliveryMs of [20, 2_000, 3_200]) expect(await times()).toEqual(same(3_500));
    clock += 601_000;
    deliveryMs = 20;
    expect([await took(course, 'cy'), await took(course, 'ada')]).toEqual([1_000, 1_000]);
    expect(await times()).toEqual(same(1_000));
    const at = clock;
    await course.handle('course', ada, { timeLeftMs: 1_700 });
    expect(clock - at).toBe(700);
  });

  test('the form shows what is full, but shows how many are left only with reveal', async () => {
    const keys = 'option_places: {day: {sat: 2, sun: 1}}\nonce: {by: email';
    const options = { fields: `${fields}, {name: day, type: select, options: [sat, sun]}` };
    const { course } = await open(`${keys}}`, options);
    await course.send({ ...ada, day: 'sun' });
    const form = await course.form();
    expect(form).toMatch(/<option value="sat"[^>]*>sat</);
    expect(form).toMatch(/<option value="sun" disabled[^>]*>sun \(full\)</);
    const { course: other } = await open(`${keys}, reveal: true}`, options);
    expect(await other.form()).toContain('sat (2 left)');
  });

  test('only one of two hundred at once is delivered', async () => {
    const { course } = await open('once: {by: email}');
    const answers = await Promise.all(Array.from({ length: 200 }, () => course.send(ada)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(course.delivered).toHaveLength(1);
  });

  test('a submission during the delivery of another waits, and is delivered if the other was not', async () => {
    const dynamo = await untilEnd(startDynamo());
    const { course, answer, mailed } = await openHanging({
      env: { ...env, ...account, AWS_ENDPOINT_URL_DYNAMODB: dynamo.origin },
      in: 'dynamodb://places',
    });
    const first = course.send(ada);
    await vi.waitFor(() => expect(course.delivered).toHaveLength(1));
    const looked = dynamo.calls.length;
    const second = (await course.another()).send(ada);
    // The second submission reads the counter again.
    await vi.waitFor(() => expect(dynamo.calls.length).toBeGreaterThan(looked + 1));
    answer(500);
    expect((await first).status).toBe(500);
    expect((await second).status).toBe(200);
    expect(course.delivered).toHaveLength(2);
    expect(await mailed(1)).toEqual([expect.objectContaining({ raw: expect.stringContaining('Welcome') })]);
  });

  test('a submission that waited too long is asked to retry, and is delivered when the other has failed', async () => {
    const { course, answer } = await openHanging();
    const first = course.send(ada);
    await vi.waitFor(() => expect(course.delivered).toHaveLength(1));
    const other = await course.another();
    const sent = await other.handle('course', ada, {
      headers: { accept: 'application/problem+json' },
      timeLeftMs: 1_500,
    });
    expect([sent.status, sent.headers['retry-after']]).toEqual([503, '5']);
    expect(other.logged.find(({ event }) => event === 'submission')).toMatchObject({
      outcome: 'busy',
      reason: 'another submission with this value is still being delivered (`once`)',
    });
    expect(course.delivered).toHaveLength(1);
    other.advance(61_000);
    expect((await other.send(ada)).status).toBe(200);
    expect(course.delivered).toHaveLength(2);
    answer(500);
    expect((await first).status).toBe(500);
    expect((await other.send(ada)).status).toBe(200);
    expect(course.delivered).toHaveLength(2);
  });

  test('with reveal, the response says that the form was already sent', async () => {
    const course = await openCourse({ fields, env, keys: 'once: {by: email, reveal: true}' });
    await course.send(ada);
    expect((await course.send(ada)).json).toMatchObject({
      status: 403,
      code: 'already_registered',
      detail: 'This form was already sent, and can only be sent once.',
    });
  });
});

test('if the store does not respond, a form without places does not mention places', async () => {
  const place = tempFolder();
  const { course } = await open('once: {by: email}', { in: place });
  renameSync(place, `${place}-away`);
  const answer = await course.send(ada);
  renameSync(`${place}-away`, place);
  expect(answer.json).toMatchObject({
    status: 503,
    code: 'busy',
    detail: 'the check failed; please try again in a few seconds',
  });
  expect(course.delivered).toHaveLength(0);
});

test('neither the store nor the log holds an address', async () => {
  const place = tempFolder();
  const { course } = await open('places: 5\nonce: {by: email}', { in: place });
  const lovelace = { name: 'Lovelace', email: 'ada.lovelace@visitor.example' };
  await course.send(lovelace);
  await course.send(lovelace);
  const files = readdirSync(place, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const stored = files.map((one) => readFileSync(join(one.parentPath, one.name), 'utf8')).join('\n');
  expect(files.length).toBeGreaterThan(1);
  for (const text of [stored, JSON.stringify(course.logged)]) {
    expect(text.toLowerCase()).not.toContain('lovelace');
    expect(text).not.toContain('visitor.example');
  }
});

test('without a secret, nothing is taken', async () => {
  const course = await openCourse({ fields, keys: 'once: {by: email, reveal: true}' });
  expect((await course.send(ada)).status).toBe(500);
  expect(course.delivered).toHaveLength(0);
  expect(course.logged.some(({ event }) => event === 'variables_missing')).toBe(true);
});
