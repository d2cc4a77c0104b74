/** Links that work once (`relay link --single-use`), counted where places are. */
import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sealLink } from '../../packages/senders/src/links/sealed_link.ts';
import { openTerminal } from '../cli/terminal.ts';
import { decodeMail } from '../support/mail.ts';
import { openNewsletter, optInEnv, there } from '../visitor_mails/newsletter.ts';
import { sinkOf } from '../visitor_mails/stage.ts';
import { damage, folder, openCourse, settled } from './stage.ts';

const env = { FORM_TOKEN_SECRET: 'not so secret', PUBLIC_URL: 'https://forms.acme.example' };
const hour = 3_600_000;

/** `n`: a hexadecimal digit, different for each link. */
const linkTo = (
  form: string,
  n: string,
  {
    until = Date.now() + 24 * hour,
    secret = env.FORM_TOKEN_SECRET,
    locked = [] as string[],
    id = n.repeat(24),
  } = {},
) =>
  sealLink(
    secret,
    form,
    { until, values: new Map([['name', ['Ada']]]), locked, isOwners: true, singleUse: id },
    'fresh',
  );

const open = (links: 'optional' | 'required', options: Partial<Parameters<typeof openCourse>[0]> = {}) =>
  openCourse({ env, keys: `links: ${links}`, ...options });

type Course = Awaited<ReturnType<typeof open>>;
const send = (course: Course, fill: string) => course.send({ name: 'Ada', fill });
const shown = async (course: Course, fill: string) =>
  (await course.get(`/api/v1/form/course?as=page&fill=${fill}`, { accept: 'text/html' })).text;

describe('a link that works once', () => {
  test('is used by an address that has registered before, too: else it would tell who has', async () => {
    const course = await openCourse({
      env,
      fields: '{name: name, required: true}, {name: email, type: email, required: true}',
      keys: 'links: required\nonce: {by: email}\nconfirmation_mail: {to: email, subject: Welcome, text: Hello, from: a@acme.example, through: {type: smtp, host: 127.0.0.1, port: 1}}',
    });
    const fills = [linkTo('course', 'a'), linkTo('course', 'b')];
    const statuses: number[] = [];
    for (const fill of [...fills, ...fills])
      statuses.push((await course.send({ name: 'Ada', email: 'ada@visitor.example', fill })).status);
    expect(statuses).toEqual([200, 200, 403, 403]);
    expect(course.delivered).toHaveLength(1);
  });

  test('takes one submission, and says so to the next, in place of the fields too', async () => {
    const course = await open('required');
    const fill = linkTo('course', 'a');
    expect(await shown(course, fill)).toContain('value="Ada"');
    expect((await course.send({ name: '', fill })).status).toBe(422);
    expect((await send(course, fill)).status).toBe(200);
    const again = await send(course, fill);
    expect(again.json).toMatchObject({
      status: 403,
      code: 'link_used',
      detail: 'The link that opened this form has already been used, and it works only once.',
    });
    expect(course.logged.filter(({ outcome }) => outcome === 'link_needed')).toEqual([
      expect.objectContaining({ reason: 'its link works once, and was used before' }),
    ]);
    expect(course.delivered).toEqual([{ name: 'Ada' }]);
    const other = await course.another();
    const page = await shown(other, fill);
    expect(page).toContain('The link that opened this form has already been used, and it works only once.');
    expect(page).not.toContain('<input');
    expect((await send(other, fill)).status).toBe(403);
    expect((await send(other, linkTo('course', 'b'))).status).toBe(200);
    const typed = await other.page(new URLSearchParams({ name: 'Ada L.', fill }).toString());
    expect([typed.status, typed.text]).toEqual([403, expect.stringContaining('value="Ada L."')]);
  });

  test('shows an empty form above which it says so, where links are optional', async () => {
    const course = await open('optional');
    const fill = linkTo('course', 'a');
    expect((await send(course, fill)).status).toBe(200);
    expect((await send(course, fill)).status).toBe(403);
    expect((await course.send({ name: 'Grace' })).status).toBe(200);
    const page = await shown(await course.another(), fill);
    expect(page).toMatch(/You can fill in and send the form without it.*name="name"/s);
    expect(page).not.toContain('autofocus');
    expect(page).toContain('name="name"');
    expect(page).not.toContain('Ada');
    expect(page).not.toContain(fill);
  });

  test('used while the form was open, comes back without it where links are optional, and can be sent', async () => {
    const course = await open('optional', { fields: '{name: name, required: true}, {name: plan}' });
    const fill = linkTo('course', 'a', { locked: ['plan'] });
    expect((await send(course, fill)).status).toBe(200);
    const body = new URLSearchParams({ name: 'Grace', plan: 'gold', fill }).toString();
    const htmx = { 'hx-request': 'true', 'hx-target': 'form-course' };
    const again = [
      await course.page(body),
      await course.submit('course', Object.entries({ name: 'Grace', fill }), htmx),
    ];
    for (const { status, text } of again) {
      expect(status).toBe(403);
      expect(text).toContain('You can fill in and send the form without it.');
      expect(text).toContain('value="Grace"');
      expect(text).toMatch(/<input type="text"[^>]* name="plan"/);
      expect(text).not.toContain(fill);
    }
    expect((await send(course, fill)).json).toMatchObject({ status: 403, code: 'fill_used' });
    expect(course.delivered).toHaveLength(1);
  });

  test.each(['optional', 'required'] as const)(
    'two posts at once, in two processes: one arrives (%s)',
    async (links) => {
      const course = await open(links);
      const other = await course.another();
      const fill = linkTo('course', 'a');
      const posts = Array.from({ length: 40 }, (_, index) => send(index % 2 ? course : other, fill));
      const statuses = (await Promise.all(posts)).map(({ status }) => status).toSorted();
      expect(statuses).toEqual([200, ...Array.from({ length: 39 }, () => 403)]);
      expect(course.delivered).toHaveLength(1);
    },
  );

  test('is used once delivered or kept, and otherwise not', async () => {
    let isDown = true;
    const sink = { answer: () => ({ status: isDown ? 500 : 200 }) };
    const course = await open('required', { sink });
    const fill = linkTo('course', 'a');
    expect((await send(course, fill)).status).toBe(500);
    isDown = false;
    expect((await send(course, fill)).status).toBe(200);
    expect((await send(course, fill)).status).toBe(403);
    isDown = true;
    const keeping = await open('required', {
      keys: 'links: required\nkeep: failed',
      top: `keep: {in: ${folder()}}`,
      sink,
    });
    expect((await send(keeping, fill)).status).toBe(200);
    expect((await send(keeping, fill)).status).toBe(403);
  });

  test('goes with places and `once`: what one of them refuses leaves the others free', async () => {
    const course = await open('required', {
      keys: 'links: required\nplaces: 2\nonce: {by: name, reveal: true}',
    });
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((n) => linkTo('course', n)) as [
      string,
      string,
      string,
      string,
    ];
    const as = async (name: string, fill: string) => (await course.send({ name, fill })).json;
    expect(await as('Ada', a)).toMatchObject({ message: 'ok' });
    expect(await as('Bo', a)).toMatchObject({ code: 'link_used' });
    expect(await as('Ada', b)).toMatchObject({ code: 'already_registered' });
    // Neither the name nor the link nor a place was taken.
    expect(await as('Bo', b)).toMatchObject({ message: 'ok' });
    expect(await as('Cy', c)).toMatchObject({ code: 'form_full' });
    expect(await as('Cy', d)).toMatchObject({ code: 'form_full' });
    expect(await as('Cy', a)).toMatchObject({ code: 'link_used' });
    expect(course.delivered.map(({ name }) => name)).toEqual(['Ada', 'Bo']);
  });

  test('expires as any other, and its use is forgotten after as long as a link may work', async () => {
    const place = folder();
    const course = await open('required', { in: place });
    const fill = linkTo('course', 'a', { until: Date.now() + hour });
    const counted = async () => readFileSync(await settled(join(place, 'counted/links/course/aa')), 'utf8');
    await send(course, fill);
    expect(await counted()).toContain('a'.repeat(24));
    course.advance(2 * hour);
    expect((await send(course, fill)).json).toMatchObject({ code: 'link_expired' });
    const until = Date.now() + 20 * 366 * 24 * hour;
    const sendAlso = (id: string) => send(course, linkTo('course', '', { until, id: `aa${id.repeat(22)}` }));
    course.advance(9 * 366 * 24 * hour);
    await sendAlso('b');
    expect(await counted()).toContain('a'.repeat(24));
    course.advance(2 * 366 * 24 * hour);
    await sendAlso('c');
    expect(await counted()).not.toContain('a'.repeat(24));
    expect(await counted()).toContain('b'.repeat(22));
  });

  /** Each step names the form's keys at that time and what is done: a link is saved for later, sent, or confirmed. */
  test.each([
    ['resume 7d: save', 'resume 7d: save', 'resume 7d: send 0', 'resume 7d: send 1', 'resume 7d: send 2'],
    ['resume 1h: save', 'resume 1h: send 1', 'resume 1h: send 0'],
    ['resume 90d: save', 'resume 1h: save', 'plain: send 2', 'plain: send 0', 'resume 1h: send 1'],
    ['resume 1h: save 0', 'resume 90d: save 1', 'plain: send 2', 'plain: send 1', 'plain: send 0'],
    ['plain: send 0', 'opt-in 2h: send 0', 'plain: send 0', 'opt-in 2000h: send 0'],
    [
      'opt-in 2h: send 0',
      'opt-in 2000h: confirm',
      'opt-in 2000h: send 0',
      'plain: send 0',
      'opt-in 1m: send 0',
    ],
    ['opt-in 2h: send 0', 'plain: send 0', 'opt-in 2h: confirm'],
    ['resume 1h: save', 'opt-in 2h: send 1', 'opt-in 2h: confirm', 'resume 1h: send 1', 'plain: send 0'],
  ])('has one use, whatever carries it and whatever the config says later: %s, %s, %s', async (...steps) => {
    const place = folder();
    const smtp = await sinkOf();
    const through = `from: shop@acme.example, through: {type: smtp, host: 127.0.0.1, port: ${smtp.port}}`;
    const fills = [linkTo('course', 'a')];
    const mailed = () => new URL(/https:\S+/.exec(decodeMail(there(smtp.mails.at(-1)).raw).text)?.[0] ?? '');
    let delivered = 0;
    for (const [minutes, step] of steps.entries()) {
      const [, key, expires, action, index] = /^(\S+?)(?: (\w+))?: (\w+) ?(\d)?$/.exec(step) ?? [];
      const keys = {
        plain: '',
        resume: `resume: {expires: ${expires}, ${through}}`,
        'opt-in': `double_opt_in: {to: email, subject: Confirm, text: Please., expires: ${expires}, ${through}}`,
      }[String(key)];
      const course = await open('required', {
        ...{ in: place, keys: `links: required\n${keys}` },
        fields: '{name: email, type: email, required: true}, {name: name, max_length: 40}',
      });
      course.advance(minutes * 60_000);
      const fill = fills[Number(index ?? 0)] ?? '';
      const values = { email: `v${minutes}@visitor.example`, fill };
      if (action === 'confirm') {
        const t = there(mailed().searchParams.get('t'));
        await course.request('/api/v1/confirm/course', {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams({ t }).toString(),
        });
      } else if (action === 'save') {
        expect((await course.send({ ...values, _resume: '1' })).status).toBe(200);
        fills.push(there(mailed().searchParams.get('fill')));
      } else await course.send(values);
      delivered += course.delivered.length;
    }
    expect(delivered).toBe(1);
    const after = await open('required', { in: place });
    for (const fill of fills) expect(await shown(after, fill)).toContain('has already been used');
  });

  test('without the store it is not taken, and the visitor may send it again', async () => {
    const place = folder();
    const course = await open('required', { in: place });
    const fill = linkTo('course', 'a');
    renameSync(place, `${place}-away`);
    try {
      expect((await send(course, fill)).json).toMatchObject({
        status: 503,
        code: 'link_uncounted',
        detail:
          'Whether this link has been used cannot be told right now. What you typed is not lost: please send it again in a moment.',
      });
      expect(course.logged.find(({ outcome }) => outcome === 'uncounted')).toMatchObject({
        reason: expect.stringMatching(/^whether its link was used could not be told: there is no folder /),
      });
      expect(course.delivered).toEqual([]);
      expect(await shown(course, fill)).toContain('value="Ada"');
    } finally {
      renameSync(`${place}-away`, place);
    }
    expect((await send(course, fill)).status).toBe(200);
    expect((await send(course, fill)).status).toBe(403);
  });

  test.each(['', 'places: 3', 'once: {by: name, reveal: true}'])(
    'if what is counted of it is damaged, visitors read so (%s)',
    async (keys) => {
      const place = folder();
      const course = await open('required', { in: place, keys: `links: required\n${keys}` });
      const fill = linkTo('course', 'a');
      expect((await send(course, fill)).status).toBe(200);
      await damage(join(place, 'counted/links/course/aa'));
      expect((await send(course, fill)).json).toMatchObject({ status: 503, code: 'link_uncounted' });
    },
  );

  test('nobody uses up a link by naming its id', async () => {
    const course = await open('optional');
    await course.send({ name: 'Eve', _link_use: 'a'.repeat(24) });
    expect(course.delivered).toEqual([{ name: 'Eve' }]);
    expect((await send(course, linkTo('course', 'a'))).status).toBe(200);
  });

  test('with double_opt_in, the click takes it, and even after the link has expired', async () => {
    const newsletter = await openNewsletter({
      formKeys: 'links: required',
      forms: `counted_in: ${folder()}`,
    });
    const until = Date.now() + hour;
    const fill = linkTo('news', 'a', { secret: optInEnv.FORM_TOKEN_SECRET, until });
    expect((await newsletter.subscribe({ email: 'ada@acme.example', fill })).status).toBe(200);
    const first = newsletter.sealed;
    expect((await newsletter.subscribe({ email: 'grace@acme.example', fill })).status).toBe(200);
    const second = newsletter.sealed;
    newsletter.advance(6 * hour);
    expect((await newsletter.confirm(first)).status).toBe(200);
    // The same click again.
    expect((await newsletter.confirm(first)).status).toBe(200);
    const used = await newsletter.confirm(second);
    expect([used.status, used.text]).toEqual([
      403,
      expect.stringContaining('The link that opened this form has already been used'),
    ]);
    expect(newsletter.list.requests).toHaveLength(1);
    expect(newsletter.list.requests[0]?.body).not.toContain('aaaa');
  });
});

describe('relay link --single-use', () => {
  const config = (top: string) =>
    `${top}\nforms: {course: {links: required, fields: [{name: name, required: true}], outputs: [{type: http_post, url: "http://127.0.0.1:1/", mapping: "*"}]}}`;
  const run = async (top: string) => {
    const terminal = await openTerminal({ files: { 'webform.yaml': config(top) }, env });
    return terminal.run('relay link course name=Ada --expires 7d --single-use');
  };

  test.each(['', 'keep: {in: "sqs://sqs.eu-central-1.amazonaws.com/123456789012/kept"}'])(
    'needs a place to count in: %s',
    async (top) => {
      const { code, stdout, stderr } = await run(top);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain('write counted_in: /var/lib/form-relay at the top of the config');
    },
  );
});
