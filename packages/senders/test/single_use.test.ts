/** Links that work once (`relay link --single-use`), in relays with a shared store. */
import { renameSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { addresses } from '../../../test/support/stores/addresses.ts';
import { tempFolder } from '../../../test/support/temp_folder.ts';
import { openCourse } from '../../capacity/test/stage.ts';
import { openTerminal } from '../../cli/test/terminal.ts';
import { openNewsletter, optInEnv } from '../../visitor-mails/test/mails/newsletter.ts';
import { sealLink } from '../src/links/sealed_link.ts';

const env = { FORM_TOKEN_SECRET: optInEnv.FORM_TOKEN_SECRET, PUBLIC_URL: 'https://forms.acme.example' };
const hour = 3_600_000;

const linkTo = (form: string, until = Date.now() + 24 * hour, singleUse: string = crypto.randomUUID()) =>
  sealLink(
    env.FORM_TOKEN_SECRET,
    form,
    { until, values: new Map([['name', ['Ada']]]), locked: [], singleUse },
    crypto.randomUUID(),
  );

const open = (links: string, more: Partial<Parameters<typeof openCourse>[0]> = {}) =>
  openCourse({ env, keys: `links: ${links}`, ...more });
type Course = Awaited<ReturnType<typeof open>>;
const send = (course: Course, fill: string, name = 'Ada') => course.send({ name, fill });
const shown = async (course: Course, fill: string) =>
  (await course.get(`/api/v1/form/course?as=page&fill=${fill}`, { accept: 'text/html' })).text;

describe.each(addresses)('a link that works once, with %s', (_, place) => {
  test.each(['optional', 'required'])('50 concurrent uses in two relays count once (%s)', async (links) => {
    const course = await open(links, { in: await place(), effects: { sleep } });
    const other = await course.another();
    const fill = linkTo('course');
    const posts = Array.from({ length: 50 }, (_, nth) => send(nth % 2 ? course : other, fill));
    const answers = await Promise.all(posts);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(49).fill(403)]);
    expect(course.delivered).toHaveLength(1);
    const code = links === 'required' ? 'link_used' : 'fill_used';
    expect((await send(other, fill)).json).toMatchObject({ status: 403, code });
  });
});

test('a used link is reported, in place of the form or above an empty one', async () => {
  const course = await open('required');
  const fill = linkTo('course');
  expect(await shown(course, fill)).toContain('value="Ada"');
  expect((await send(course, fill, '')).status).toBe(422);
  expect((await send(course, fill)).status).toBe(200);
  const other = await course.another();
  const page = await shown(other, fill);
  expect(page).toContain('The link that opened this form has already been used. Each link works only once.');
  expect(page).not.toContain('<input');
  const typed = await other.page(new URLSearchParams({ name: 'Ada L.', fill }).toString());
  expect([typed.status, typed.text]).toEqual([403, expect.stringContaining('value="Ada L."')]);
  expect(typed.text).not.toContain(fill);
  const reasons = [course, other].flatMap(({ logged }) =>
    logged.filter((one) => one.outcome === 'link_needed'),
  );
  expect(reasons.map(({ reason }) => reason)).toEqual(['the link works once, and was already used']);
  const optional = await open('optional');
  expect((await send(optional, fill)).status).toBe(200);
  const empty = await shown(optional, fill);
  expect(empty).toMatch(/You can fill in and send the form without it.*name="name"/s);
  expect(empty).not.toMatch(new RegExp(`Ada|autofocus|${fill}`));
  expect((await optional.send({ name: 'Grace' })).status).toBe(200);
});

test('is released after a failure or a rejection, and used once queued, and a damaged store is reported', async () => {
  let isDown = true;
  const course = await open('required', {
    keys: 'links: required\nplaces: 2\nonce: {by: name, reveal: true}',
    sink: { answer: () => ({ status: isDown ? 500 : 200 }) },
  });
  const [a, b, c] = ['a', 'b', 'c'].map(() => linkTo('course')) as [string, string, string];
  expect((await send(course, a)).status).toBe(500);
  isDown = false;
  expect((await send(course, a)).json).toMatchObject({ message: 'ok' });
  expect((await send(course, a, 'Bo')).json).toMatchObject({ code: 'link_used' });
  expect((await send(course, b)).json).toMatchObject({ code: 'already_registered' });
  expect((await send(course, b, 'Bo')).json).toMatchObject({ message: 'ok' });
  expect((await send(course, c, 'Cy')).json).toMatchObject({ code: 'form_full' });
  const place = tempFolder();
  const kept = await open('required', {
    keys: 'links: required\nkeep: failed',
    top: `keep: {in: ${place}}`,
    in: place,
    sink: { answer: () => ({ status: 500 }) },
  });
  expect([(await send(kept, a)).status, (await send(kept, a)).status]).toEqual([200, 403]);
  renameSync(place, `${place}-away`);
  expect((await send(kept, b)).json).toMatchObject({ status: 503, code: 'link_uncounted' });
  renameSync(`${place}-away`, place);
});

test('with double_opt_in it is held until the click, which uses it, and works again without a click', async () => {
  const news = await openNewsletter({ formKeys: 'links: required', forms: `counted_in: ${tempFolder()}` });
  const fill = linkTo('news');
  const as = (email: string) => news.subscribe({ email, fill });
  expect((await as('ada@acme.example')).status).toBe(200);
  const ada = news.sealed;
  const held = await as('grace@acme.example');
  expect([held.status, held.text]).toEqual([403, expect.stringContaining('This link is in use')]);
  expect((await news.get(`/api/v1/form/news?fill=${fill}`)).text).toContain('This link is in use');
  news.advance(49 * hour);
  const again = linkTo('news', Date.now() + 99 * hour);
  expect((await news.subscribe({ email: 'ada@acme.example', fill: again })).status).toBe(200);
  expect((await news.confirm(ada)).status).toBe(410);
  expect((await news.confirm()).status).toBe(200);
  expect((await news.confirm()).status).toBe(200);
  expect(news.list.requests).toHaveLength(1);
  expect(news.list.requests[0]?.body).not.toContain('link_use');
  const used = await news.subscribe({ email: 'bo@acme.example', fill: again });
  expect([used.status, used.text]).toEqual([403, expect.stringContaining('has already been used')]);
  expect(news.smtp.mails).toHaveLength(2);
});

test('`relay link --single-use` makes one, and says so if there is no store', async () => {
  const files = (top: string) => ({
    'webform.yaml': `${top}forms: {course: {links: required, fields: [{name: name, required: true}], outputs: [{type: http_post, url: "http://127.0.0.1:1/", mapping: "*"}]}}`,
  });
  const line = 'relay link course name=Ada --expires 7d --single-use';
  const without = await (await openTerminal({ files: files(''), env })).run(line);
  expect([without.code, without.stderr]).toEqual([1, expect.stringContaining('set counted_in at the top')]);
  const made = await (await openTerminal({ files: files(`counted_in: ${tempFolder()}\n`), env })).run(line);
  expect([made.code, made.stderr]).toEqual([0, expect.stringMatching(/^works once, until .* UTC$/m)]);
  const course = await open('required');
  const fill = made.stdout.trim().split('fill=')[1] ?? '';
  expect([(await send(course, fill)).status, (await send(course, fill)).status]).toEqual([200, 403]);
});
