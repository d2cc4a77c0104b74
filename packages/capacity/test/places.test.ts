import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { startDynamo } from '../../../test/support/aws/dynamodb.ts';
import { account } from '../../../test/support/aws/signature.ts';
import { httpSink, relayWith, tempFolder, untilEnd } from '../../../test/support/index.ts';
import { sealLink } from '../../senders/src/links/sealed_link.ts';
import { openNewsletter } from '../../visitor-mails/test/mails/newsletter.ts';
import { damage, openCourse } from './stage.ts';

describe('a form takes a limited number of submissions', () => {
  test('and rejects the rest, also on its page instead of the fields', async () => {
    const course = await openCourse({
      keys: 'places: 2\nfull_text: "Write to [us](mailto:us@acme.example)."',
    });
    expect(await course.form()).toContain('<form');
    expect((await course.send()).status).toBe(200);
    expect((await course.send()).status).toBe(200);
    const refused = await course.send();
    expect(refused.json).toMatchObject({
      status: 403,
      code: 'form_full',
      detail: 'All places are taken.',
      failure_message: 'Write to us.',
    });
    expect(course.delivered).toHaveLength(2);
    const { form } = await course.another();
    const shown = await form();
    expect(shown).not.toContain('<form');
    expect(shown).toContain(
      '<p>All places are taken.</p>\n<p>Write to <a href="mailto:us@acme.example">us</a>.</p>',
    );
  });

  test('two hundred visitors for the last place: one gets it', async () => {
    const course = await openCourse({ keys: 'places: 1' });
    const other = await course.another();
    const visitors = Array.from({ length: 200 }, (_, index) =>
      (index % 2 ? course : other).send({ name: `${index}` }),
    );
    const answers = await Promise.all(visitors);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(199);
    expect(course.delivered).toHaveLength(1);
  });

  test('a relay that starts later continues the count', async () => {
    const course = await openCourse({ keys: 'places: 2' });
    await course.send();
    const later = await course.another();
    expect((await later.send()).status).toBe(200);
    expect((await later.send()).status).toBe(403);
    expect((await course.send()).status).toBe(403);
  });

  test('an undelivered submission takes no place, nor do invalid ones and bots', async () => {
    let isDown = true;
    const course = await openCourse({
      keys: 'places: 1\nspam: {honeypot: website}',
      sink: { answer: () => ({ status: isDown ? 500 : 200 }) },
    });
    expect((await course.send()).status).toBe(500);
    expect((await course.send({ name: '' })).status).toBe(422);
    expect((await course.send({ name: 'Bot', website: 'spam' })).status).toBe(200);
    isDown = false;
    expect((await course.send()).status).toBe(200);
    expect((await course.send()).status).toBe(403);
  });

  test('a queued submission takes a place', async () => {
    const course = await openCourse({
      keys: 'places: 1\nkeep: failed',
      top: `keep: {in: ${tempFolder()}}`,
      sink: { answer: () => ({ status: 500 }) },
    });
    expect((await course.send()).status).toBe(200);
    expect((await course.send()).status).toBe(403);
  });
});

describe('options have places', () => {
  const fields =
    '{name: name}, {name: workshop, type: radios, required: true, options: [{value: a, label: Alpha}, b, c]}';
  const keys = 'option_places: {workshop: {a: 1, b: 2}}';

  test('a full option is an error at its field, and the form keeps what was typed', async () => {
    const course = await openCourse({ fields, keys });
    expect((await course.send({ name: 'Ada', workshop: 'a' })).status).toBe(200);
    const refused = await course.send({ name: 'Ada', workshop: 'a' });
    expect(refused.json).toMatchObject({
      status: 422,
      code: 'invalid',
      errors: [{ field: 'workshop', code: 'option_full' }],
    });
    const page = await course.page('name=Ada&workshop=a');
    expect(page.status).toBe(422);
    expect(page.text).toContain('value="Ada"');
    expect(page.text).toContain('Alpha is full.');
    expect((await course.send({ name: 'Ada', workshop: 'b' })).status).toBe(200);
    // Options without a limit are not counted.
    for (let times = 0; times < 3; times += 1)
      expect((await course.send({ name: 'Ada', workshop: 'c' })).status).toBe(200);
    const shown = await (await course.another()).form();
    expect(shown).toMatch(/value="a"[^>]* disabled[^>]*> Alpha \(full\)/);
    expect(shown).toMatch(/value="b"[^>]*> b \(1 left\)/);
    expect(shown).toMatch(/value="c"[^>]*> c</);
  });

  test.each(['page', 'htmx'] as const)('the form shown again marks each full option (%s)', async (as) => {
    const course = await openCourse({
      fields: `${fields}, {name: email, type: email, required: true}, {name: day, type: select, options: [sat, sun]}`,
      keys: 'option_places: {workshop: {a: 1, b: 2}, day: {sat: 1}}',
    });
    const typed = (workshop: string, email: string) =>
      new URLSearchParams({ name: 'Ada', workshop, day: 'sat', email }).toString();
    const send = (body: string) =>
      as === 'page'
        ? course.page(body)
        : course.submit('course', body, { 'hx-request': 'true', accept: 'text/html' });
    expect((await send(typed('a', 'ada@acme.example'))).status).toBeLessThan(400);
    // First with an invalid field, then with a full option.
    for (const [email, error] of [
      ['ada', 'e-mail address'],
      ['bo@acme.example', 'Alpha is full.'],
    ] as const) {
      const { status, text } = await send(typed('a', email));
      expect([status, text]).toEqual([422, expect.stringContaining(error)]);
      expect(text).toContain('value="Ada"');
      expect(text).toMatch(/value="a"[^>]* disabled[^>]*> Alpha \(full\)/);
      expect(text).not.toMatch(/value="a"[^>]* checked/);
      expect(text).toMatch(/value="b"[^>]*> b \(2 left\)/);
      expect(text).toMatch(/<option value="sat" disabled>sat \(full\)/);
    }
    // When the whole form is full, the typed values stay.
    const closed = await openCourse({ keys: 'places: 1', fields });
    expect((await closed.send({ name: 'Ada', workshop: 'b' })).status).toBe(200);
    const { status, text } = await closed.page('name=Grace&workshop=x');
    expect([status, text]).toEqual([422, expect.stringContaining('value="Grace"')]);
  });

  test('a submission takes all its places or none', async () => {
    const course = await openCourse({
      fields: '{name: day, type: checkboxes, options: [sat, sun]}',
      keys: 'places: 5\noption_places: {day: {sat: 2, sun: 1}}',
    });
    const days = (...all: string[]) => all.map((day): [string, string] => ['day', day]);
    expect((await course.send(days('sat', 'sun'))).status).toBe(200);
    // Sunday is full, so Saturday's place stays free.
    expect((await course.send(days('sat', 'sun'))).status).toBe(422);
    expect((await course.send(days('sat'))).status).toBe(200);
    expect((await course.send(days('sat'))).status).toBe(422);
    expect((await course.send([['day', '']])).status).toBe(200);
    expect((await course.send([['day', '']])).status).toBe(200);
    expect((await course.send([['day', '']])).status).toBe(200);
    expect((await course.send([['day', '']])).status).toBe(403);
  });

  test('a form whose required field has no option left is full', async () => {
    const course = await openCourse({
      fields: '{name: workshop, type: select, required: true, options: [a, b]}',
      keys: 'option_places: {workshop: {a: 1, b: 1}}',
    });
    await course.send({ workshop: 'a' });
    await course.send({ workshop: 'b' });
    const other = await course.another();
    expect(await other.form()).toContain('All places are taken.');
    // A visitor who had already opened the form gets the same response.
    expect((await other.send({ workshop: 'b' })).json).toMatchObject({ status: 403, code: 'form_full' });
    const { status, text } = await other.page('workshop=x');
    expect(status).toBe(422);
    expect(text).toMatch(/<option value="a" disabled>a \(full\)/);
  });
});

describe('a link that locks an option that is full', () => {
  const env = { FORM_TOKEN_SECRET: 'not so secret' };
  const fields =
    '{name: name, required: true}, {name: w, type: radios, options: [{value: a, label: Alpha}, b]}, {name: days, type: checkboxes, options: [sat, sun]}';
  const linkTo = (field: string, ...values: readonly string[]) =>
    sealLink(
      env.FORM_TOKEN_SECRET,
      'course',
      { until: Date.now() + 3_600_000, values: new Map([[field, values]]), locked: [field] },
      'fresh',
    );
  const open = (keys: string, outputs?: string) =>
    openCourse({ env, fields, outputs, keys: `option_places: {w: {a: 1}, days: {sat: 1}}\n${keys}` });

  test.each(['required', 'optional'])('shows and responds that the form is full (%s)', async (links) => {
    const course = await open(`links: ${links}\nfull_text: Call us.`);
    const fill = linkTo('w', 'a');
    const other = linkTo('w', 'b');
    const both = linkTo('days', 'sun', 'sat');
    expect((await course.send({ name: 'Ada', w: 'a', fill })).status).toBe(200);
    const later = await course.another();
    const formWith = async (filled: string, headers: Record<string, string> = {}, query = '') =>
      (await later.get(`/api/v1/form/course?fill=${filled}${query}`, headers)).text;
    for (const [headers, query] of [
      [{ accept: 'text/html' }, '&as=page'],
      [{ 'hx-request': 'true' }, ''],
      [{ accept: 'application/json' }, ''],
    ] as const) {
      const shown = await formWith(fill, headers, query);
      expect(shown).toContain('<p>All places are taken.</p>\n<p>Call us.</p>');
      expect(shown).not.toContain('<form');
    }
    expect(await formWith(other)).toContain('<form');
    expect(await formWith(both)).toContain('<form');
    // The form was still open then.
    const late = { name: 'Bo', w: 'a', fill };
    expect((await course.send(late)).json).toMatchObject({
      status: 403,
      code: 'form_full',
      failure_message: 'Call us.',
    });
    const page = await course.page(new URLSearchParams(late).toString());
    expect([page.status, page.text]).toEqual([403, expect.stringContaining('All places are taken.')]);
    expect(page.text).not.toContain('Alpha is full.');
    expect((await course.send({ name: 'Bo', w: 'b', fill: other })).status).toBe(200);
    // Fills one of the two locked options, which is enough to reject the next submission.
    expect((await course.send({ name: 'Cy', days: 'sat', fill: both })).status).toBe(200);
    expect(await formWith(both)).toContain('<form');
    expect((await course.send({ name: 'Di', fill: both })).json).toMatchObject({ code: 'form_full' });
    expect(await (await course.another()).form()).toContain(links === 'optional' ? '<form' : 'link');
    expect(course.delivered.map(({ name }) => name)).toEqual(['Ada', 'Bo', 'Cy']);
  });
});

describe('if the places cannot be counted', () => {
  test('visitors are told, and keep what they typed', async () => {
    const place = tempFolder();
    const course = await openCourse({ keys: 'places: 2', in: place });
    expect((await course.send()).status).toBe(200);
    renameSync(place, `${place}-away`);
    try {
      const answer = await course.page('name=Ada+L.');
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toBe('30');
      expect(answer.text).toContain('We cannot check right now whether a place is left.');
      expect(answer.text).toContain('value="Ada L."');
      expect(course.delivered).toHaveLength(1);
      expect(course.logged.find(({ level }) => level === 'error')).toMatchObject({
        event: 'submission',
        outcome: 'uncounted',
        reason: expect.stringContaining('there is no folder'),
      });
      // The form is shown, because it is not known to be full.
      expect(await (await course.another()).form()).toContain('<form');
    } finally {
      renameSync(`${place}-away`, place);
    }
    expect((await course.send()).status).toBe(200);
    expect((await course.send()).status).toBe(403);
  });

  test('a lost response of the store costs no place', async () => {
    const dynamo = await untilEnd(startDynamo());
    const env = { ...account, AWS_ENDPOINT_URL_DYNAMODB: dynamo.origin };
    const course = await openCourse({ keys: 'places: 1', in: 'dynamodb://places', env });
    let writes = 0;
    dynamo.refuse = (action) => {
      if (action !== 'PutItem') return undefined;
      writes += 1;
      // The reservation is written but its response is lost; the first attempt to release it fails.
      return writes === 1 ? 'after' : writes === 2 ? { status: 500, code: 'InternalServerError' } : undefined;
    };
    expect((await course.send()).status).toBe(503);
    await vi.waitFor(() => expect(writes).toBe(3));
    expect((await course.send()).status).toBe(200);
    expect((await course.send()).status).toBe(403);
    expect(course.delivered).toHaveLength(1);
  });

  test('a damaged count is not used: the log names its file, and other forms continue', async () => {
    const place = tempFolder();
    const sink = await httpSink();
    const form = `{fields: [{name: name}], places: 2, outputs: [{type: http_post, url: "${sink.origin}/", mapping: "*"}]}`;
    const relay = await relayWith({
      config: `counted_in: ${place}\nforms: {course: ${form}, other: ${form}}`,
    });
    const send = async (name: string) => (await relay.submit(name, 'name=Ada')).status;
    expect(await send('course')).toBe(200);
    expect(await send('other')).toBe(200);
    const file = await damage(join(place, 'counts/places/course.log'));
    expect(await send('course')).toBe(503);
    expect(relay.logged.filter(({ level }) => level === 'error')).toEqual([
      expect.objectContaining({
        event: 'submission',
        form: 'course',
        outcome: 'uncounted',
        reason: `the places could not be counted: the count ${file} is damaged (docs/counting.md)`,
      }),
    ]);
    expect(await send('other')).toBe(200);
    expect(await send('other')).toBe(403);
    expect(sink.requests).toHaveLength(3);
  });
});

test('with double_opt_in, the click takes one place', async () => {
  const newsletter = await openNewsletter({ formKeys: 'places: 1', forms: `counted_in: ${tempFolder()}` });
  expect((await newsletter.subscribe()).status).toBe(200);
  const first = newsletter.sealed;
  expect((await newsletter.subscribe({ email: 'grace@acme.example' })).status).toBe(200);
  const second = newsletter.sealed;
  expect((await newsletter.confirm(first)).status).toBe(200);
  expect(newsletter.list.requests).toHaveLength(1);
  // The same link, clicked again.
  expect((await newsletter.confirm(first)).status).toBe(200);
  const full = await newsletter.confirm(second);
  expect(full.status).toBe(403);
  expect(full.text).toContain('All places are taken.');
  expect(newsletter.list.requests).toHaveLength(1);
});

test('with double_opt_in, no link is mailed when no place is left', async () => {
  const keys = 'places: 2\noption_places: {topics: {boots: 1}}';
  const newsletter = await openNewsletter({ formKeys: keys, forms: `counted_in: ${tempFolder()}` });
  const ada = { email: 'ada@acme.example', topics: 'boots' };
  expect((await newsletter.subscribe(ada)).status).toBe(200);
  await newsletter.confirm();
  const grace = { email: 'grace@acme.example', topics: 'boots' };
  const optionFull = await newsletter.subscribe(grace);
  expect([optionFull.status, optionFull.text]).toEqual([422, expect.stringContaining('boots is full.')]);
  expect((await newsletter.subscribe({ ...grace, topics: 'hats' })).status).toBe(200);
  await newsletter.confirm();
  const full = await newsletter.subscribe({ email: 'bo@acme.example', topics: 'hats' });
  expect([full.status, full.text]).toEqual([403, expect.stringContaining('All places are taken.')]);
  expect(newsletter.smtp.mails).toHaveLength(2);
});
