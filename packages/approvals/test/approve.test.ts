import { addresses } from '../../../test/support/stores/addresses.ts';
import { tempFolder } from '../../../test/support/temp_folder.ts';
import { ClientError } from '../../base/src/client_error.ts';
import { openTerminal } from '../../cli/test/terminal.ts';
import { sealLink } from '../src/approval.ts';
import { ada, env, stage } from './stage.ts';

const boss = 'boss@example.com';
const chief = 'chief@example.com';
const told = (words: string) => `{to: email, subject: ${words}, text: "${words}, dear you."}`;
const both = `{by: [Boss@example.com, ${chief}], approvals: 2, expires: 10d, remind: 2d, declined_mail: ${told('Declined')}, approved_mail: ${told('Approved')}}`;
const signed = (by: string) => expect.stringMatching(new RegExp(`^${by}, 20\\d\\d-\\d\\d-\\d\\dT[\\d:]+Z$`));

describe.each(addresses)('in %s', (_, place) => {
  test('an output waits for its approval and names the approver; other outputs do not wait', async () => {
    const at = await stage({ folder: await place() });
    const relay = await at.open();
    expect((await relay.submit('trip', ada)).json).toEqual({ message: 'ok' });
    const { subject, text, link } = await at.mailTo(boss);
    expect([at.countTo('office@example.com'), at.delivered()]).toEqual([1, []]);
    expect(subject).toBe('Please approve: Travel request');
    expect(text).toContain('ada@visitor.example');
    // Mail scanners open every link, and some submit every form.
    for (const method of ['GET', 'HEAD', 'OPTIONS']) await relay.request(link, { method });
    const page = await relay.read(link);
    expect(page.text).toContain('ada@visitor.example');
    expect(page.text).not.toContain('<script');
    const kept = ['referrer-policy', 'cache-control'].map((name) => page.headers.get(name));
    expect([page.status, ...kept]).toEqual([200, 'no-referrer', 'no-store']);
    expect((await relay.decide(link, '')).status).toBe(422);
    expect(at.delivered()).toEqual([]);
    const done = await relay.decide(link, 'approve');
    expect([done.status, done.text]).toEqual([200, expect.stringContaining(`Approved by ${boss}, `)]);
    await expect.poll(at.delivered).toEqual([{ ...ada, _approved_by: signed(boss) }]);
    for (const choice of ['approve', 'decline'])
      expect((await relay.decide(link, choice)).text).toBe(done.text);
    expect((await relay.read(link)).text).toBe(done.text);
    expect([at.delivered().length, relay.logged(/^approval_approved$/).length]).toEqual([1, 1]);
  });

  test('in two relays with one store, 10 simultaneous clicks on two links settle the submission once', async () => {
    const at = await stage({
      folder: await place(),
      approve: `[${boss}, ${chief}]`.replace(/^.*$/, '{by: $&}'),
    });
    const relays = [await at.open(), await at.open()];
    await relays[0]?.submit('trip', ada);
    const links = [(await at.mailTo(boss)).link, (await at.mailTo(chief)).link];
    const clicks = Array.from({ length: 10 }, (_, nth) =>
      relays[nth % 2]?.decide(links[(nth >> 1) % 2] ?? '', nth % 3 ? 'approve' : 'decline'),
    );
    const pages = (await Promise.all(clicks)).map(
      (one) => one?.text.match(/(Approved|Declined) by [^<]*/)?.[0],
    );
    expect(new Set(pages).size).toBe(1);
    expect(relays.flatMap((one) => one.logged(/^approval_(approved|declined)$/))).toHaveLength(1);
    const isApproved = pages[0]?.startsWith('Approved') === true;
    await expect.poll(() => at.delivered().length).toBe(isApproved ? 1 : 0);
  });
});

test('with two required approvals, one approver counts once, even with another spelling; the second approver settles it', async () => {
  const at = await stage({ approve: both });
  const relay = await at.open();
  await relay.submit('trip', ada);
  const [one, two] = [(await at.mailTo(boss)).link, (await at.mailTo(chief)).link];
  for (const choice of ['approve', 'approve', 'decline'])
    expect((await relay.decide(one, choice)).text).toContain('Another person still has to approve this');
  expect(at.delivered()).toEqual([]);
  expect((await relay.decide(two, 'approve')).text).toContain(`Approved by ${boss}, ${chief}, `);
  await expect.poll(at.delivered).toEqual([{ ...ada, _approved_by: signed(`${boss}, ${chief}`) }]);
  expect((await at.mailTo(ada.email)).text).toBe('Approved, dear you.\n');
});

test('a refusal settles it: nothing is delivered, the visitor gets a message, and the place is free', async () => {
  const at = await stage({ approve: both, keys: 'places: 1' });
  const relay = await at.open();
  const submit = async () => (await relay.submit('trip', ada)).status;
  expect([await submit(), await submit()]).toEqual([200, 403]);
  const { link } = await at.mailTo(chief);
  const first = await at.mailTo(boss);
  await relay.decide(first.link, 'approve');
  expect((await relay.decide(link, 'decline')).text).toContain(`Declined by ${chief}, `);
  expect(await at.mailTo(ada.email)).toMatchObject({ subject: 'Declined', text: 'Declined, dear you.\n' });
  expect(at.delivered()).toEqual([]);
  expect([await submit(), await submit()]).toEqual([200, 403]);
});

test.each<[what: string, status: number, change: (link: string) => string, config?: object]>([
  ['is cut', 400, (link) => link.slice(0, -1)],
  ['is empty', 400, (link) => link.replace(/t=.*/, '')],
  ['is for another form', 400, (link) => link.replace('/trip', '/other')],
  ['is for a form that is gone', 404, (link) => link.replace('/trip', '/gone')],
  ['is of somebody who is no longer named', 403, (link) => link, { approve: `{by: ${chief}}` }],
  ['is for an output that is gone', 403, (link) => link, { approve: 'null' }],
  [
    'is for an output that another replaced',
    410,
    (link) => link,
    { outputs: `- {type: slack, url: "$sink", approve: {by: ${boss}}}`, approve: 'null' },
  ],
  [
    'is for other values',
    410,
    () =>
      `/api/v1/approvals/trip?t=${sealLink(env.FORM_TOKEN_SECRET, 'trip', { id: 'other', approver: boss })}`,
  ],
])('a link that %s decides nothing (%i)', async (_, status, change, config) => {
  const at = await stage();
  const relay = await at.open();
  await relay.submit('trip', ada);
  const link = change((await at.mailTo(boss)).link);
  const later = config ? await at.open(config) : relay;
  expect([(await later.read(link)).status, (await later.decide(link, 'approve')).status]).toEqual([
    status,
    status,
  ]);
  expect(at.delivered()).toEqual([]);
});

test('after the deadline, the owner gets a dead letter, and the link has expired', async () => {
  const at = await stage({ approve: `{by: ${boss}, expires: 1h}` });
  const relay = await at.open();
  await relay.submit('trip', ada);
  const { link } = await at.mailTo(boss);
  relay.advance(3_601_000);
  await expect
    .poll(() => relay.logged(/^kept_delivery$/))
    .toMatchObject([
      {
        outcome: 'aside',
        aside: 'expired',
        reason: `the submission waits for approval by ${boss}, but was neither released nor dropped in time`,
      },
    ]);
  expect([(await relay.read(link)).status, (await relay.decide(link, 'approve')).status]).toEqual([410, 410]);
  expect(at.delivered()).toEqual([]);
});

test('two relays send each reminder once, and only to approvers who have not decided', async () => {
  const at = await stage({ approve: both });
  const [relay, other] = [await at.open(), await at.open()];
  await relay.submit('trip', ada);
  await relay.decide((await at.mailTo(boss)).link, 'approve');
  await at.mailTo(chief);
  const lookAfter = (days: number) => {
    for (const one of [relay, other]) {
      one.advance(days * 86_400_000);
      one.look();
    }
  };
  lookAfter(1);
  lookAfter(1);
  const { subject, link } = await at.mailTo(chief, 2);
  expect(subject).toBe('Reminder: Travel request is waiting for your approval');
  lookAfter(3);
  await other.decide(link, 'approve');
  await expect.poll(() => at.delivered().length).toBe(1);
  expect([at.countTo(chief), at.countTo(boss)]).toEqual([2, 1]);
});

test('a mail that fails is sent later, by another relay if the first one dies', async () => {
  let isDown = true;
  const at = await stage({
    smtp: { onRecipient: (to) => (isDown && to === boss ? '451 4.3.0 later' : undefined) },
  });
  const first = await at.open();
  await first.submit('trip', ada);
  await expect.poll(() => first.logged(/^approval_mail_failed$/).length).toBe(1);
  await first.close();
  isDown = false;
  const second = await at.open();
  second.advance(600_000);
  second.look();
  await second.decide((await at.mailTo(boss)).link, 'approve');
  await expect.poll(() => at.delivered().length).toBe(1);
});

test('a decision that a relay could not complete is completed by the next one', async () => {
  const at = await stage();
  const relay = await at.open();
  await relay.submit('trip', ada);
  const { link } = await at.mailTo(boss);
  const release = () => Promise.reject(new ClientError('the disk is full'));
  Object.assign(relay.held() ?? {}, { release });
  expect((await relay.decide(link, 'approve')).status).toBe(503);
  const next = await at.open();
  expect((await next.read(link)).text).toContain(`Approved by ${boss}`);
  await expect.poll(at.delivered).toEqual([{ ...ada, _approved_by: signed(boss) }]);
});

test('markup and templates in values are text, in the mail and on the page', async () => {
  const at = await stage();
  const relay = await at.open();
  const name = '<img src=x onerror=alert(1)> {{ env "FORM_TOKEN_SECRET" }} </form><b>';
  await relay.submit('trip', { ...ada, name });
  const { text, html, link } = await at.mailTo(boss);
  expect(text).toContain(name);
  for (const shown of [html, (await relay.read(link)).text]) {
    expect(shown).toContain('&lt;img src=x');
    expect(shown).toContain('{{ env');
    expect(shown).not.toMatch(/<img|<b>\s*$/);
  }
});

test('a submission that its visitor has to send again does not wait for approval', async () => {
  const at = await stage({
    outputs: '- {type: http_post, url: "http://127.0.0.1:9/", retries: 0, mapping: "*"}',
  });
  const relay = await at.open();
  expect((await relay.submit('trip', ada)).status).toBe(500);
  relay.look();
  expect([at.countTo(boss), at.countTo('office@example.com')]).toEqual([0, 1]);
});

test('an output whose condition is false asks no approver; a second submission asks again', async () => {
  const at = await stage({ keys: 'keep: always', approve: `{by: ${boss}}, when: {field: name, is: Ada}` });
  const relay = await at.open();
  await relay.submit('trip', { ...ada, name: 'Grace' });
  for (const number of [1, 2]) {
    await relay.submit('trip', ada);
    await relay.decide((await at.mailTo(boss, number)).link, 'approve');
    await expect.poll(() => at.delivered().length).toBe(number);
  }
  expect(at.countTo('office@example.com')).toBe(3);
});

test('the owner lists waiting submissions, and releases one without the approver', async () => {
  const folder = tempFolder();
  const at = await stage({ folder });
  const relay = await at.open();
  await relay.submit('trip', ada);
  const terminal = await openTerminal({ files: { 'webform.yaml': at.config({ folder }) }, env });
  const [listed] = (await terminal.run('relay kept list --json')).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(listed).toMatchObject({ state: 'held', form: 'trip' });
  expect((await terminal.run(`relay kept show ${listed.id}`)).stdout).toContain(
    `the submission waits for approval by ${boss}`,
  );
  expect((await terminal.run(`relay kept deliver ${listed.id}`)).code).toBe(0);
  await expect.poll(at.delivered).toEqual([ada]);
});

test('a refusal for two outputs frees one place; if one output was approved, the place stays taken', async () => {
  const outputs = `- {type: http_post, url: "$sink/erp", mapping: "*", approve: {by: [${boss}, ${chief}]}}`;
  const at = await stage({ keys: 'places: 2', outputs });
  const relay = await at.open();
  const submit = async () => (await relay.submit('trip', ada)).status;
  expect([await submit(), await submit(), await submit()]).toEqual([200, 200, 403]);
  await relay.decide((await at.mailTo(boss, 2)).link, 'decline');
  expect([await submit(), await submit()]).toEqual([200, 403]);
  await relay.decide((await at.mailTo(chief, 3)).link, 'approve');
  await expect.poll(() => at.delivered().length).toBe(1);
  await relay.decide((await at.mailTo(boss, 3)).link, 'decline');
  expect(await submit()).toBe(403);
});

describe('with changes', () => {
  async function changeable(keys = '') {
    const at = await stage({ keys: `changes: 7d${keys}` });
    const relay = await at.open();
    const send = async (values: Record<string, string>) => {
      const { status, json } = await relay.submit('trip', values);
      const link = new URL((json as { changes?: string }).changes ?? 'none:');
      return { status, change: link.searchParams.get('t') ?? '' };
    };
    const withdraw = (t: string) => relay.post('/api/v1/changes/trip', { t }, { accept: 'text/html' });
    return { ...at, relay, send, withdraw };
  }

  test('a change asks for approval again instead of the waiting version, and is withdrawn from outputs where it was approved', async () => {
    const at = await changeable();
    const { change } = await at.send(ada);
    const first = await at.mailTo(boss);
    const latest = await at.send({ ...ada, name: 'Grace', change });
    const second = await at.mailTo(boss, 2);
    expect(second.subject).toBe(`[Changed] ${first.subject}`);
    expect((await at.relay.decide(first.link, 'approve')).status).toBe(410);
    expect(at.delivered()).toEqual([]);
    await at.relay.decide(second.link, 'approve');
    const id = expect.any(String);
    const approved = { ...ada, name: 'Grace', _change_of: id, _approved_by: signed(boss) };
    await expect.poll(at.delivered).toEqual([approved]);
    expect((await at.withdraw(latest.change)).status).toBe(303);
    await expect.poll(at.delivered).toEqual([approved, { ...ada, name: 'Grace', _withdrawn: id }]);
  });

  test('a submission withdrawn before approval never reaches its output, and counts once', async () => {
    const at = await changeable('\n    places: 2\n    keep: always');
    const { change } = await at.send(ada);
    const latest = await at.send({ ...ada, name: 'Grace', change });
    expect((await at.withdraw(latest.change)).status).toBe(303);
    expect((await at.relay.decide((await at.mailTo(boss, 2)).link, 'approve')).status).toBe(410);
    const declined = await at.send(ada);
    await at.relay.decide((await at.mailTo(boss, 3)).link, 'decline');
    expect((await at.withdraw(declined.change)).status).toBe(303);
    await expect.poll(() => at.countTo('office@example.com')).toBe(5);
    const statuses = [await at.send(ada), await at.send(ada), await at.send(ada)].map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 403]);
    expect(at.delivered()).toEqual([]);
  });
});
