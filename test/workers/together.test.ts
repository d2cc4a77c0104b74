/** What one process counts, several count together. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import type { Challenge } from '../../packages/relay/src/features/proof/challenge.ts';
import { listen } from '../support/listen.ts';
import { decodeMail } from '../support/mail.ts';
import { solve } from '../support/puzzles.ts';
import { startSmtpSink } from '../support/smtp_sink.ts';
import { ask, kill, startWorkers } from '../support/workers.ts';

const unthrottled = { THROTTLE_RATE_LIMIT: '100000', THROTTLE_BURST_LIMIT: '100000' };
const secret = { FORM_TOKEN_SECRET: 'a secret of many characters' };

/** A form whose deliveries are counted. */
async function formWith(keys: string) {
  let delivered = 0;
  const sink = http.createServer((asking, answer) => {
    asking.resume();
    delivered += 1;
    answer.end();
  });
  const port = await listen(sink);
  onTestFinished(() => {
    sink.closeAllConnections();
    sink.close();
  });
  const config = `forms: {contact: {fields: [{name: name, required: true}], ${keys}, outputs: [{type: http_post, url: "http://127.0.0.1:${port}/", mapping: "*"}]}}`;
  return { config, delivered: () => delivered };
}

test.each([
  [4, 100, 50],
  [3, 20, 10],
  [2, 400, 200],
])(
  'the throttle of %i workers lets through what one would: %i, then %i a second',
  async (workers, burst, rate) => {
    const { origin } = await startWorkers({
      WORKERS: `${workers}`,
      CONFIG_INLINE: 'forms: {}',
      THROTTLE_BURST_LIMIT: `${burst}`,
      THROTTLE_RATE_LIMIT: `${rate}`,
    });
    const agent = new http.Agent({ keepAlive: true, maxSockets: 24 });
    onTestFinished(() => agent.destroy());
    const once = () =>
      new Promise<number>((resolve, reject) => {
        http
          .get(`${origin}/api/v1/form/none`, { agent }, (answer) => {
            answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
          })
          .on('error', reject);
      });
    let passed = 0;
    let refused = 0;
    const startedAt = performance.now();
    /** Of what one process lets through. What is on loan at the end, and what a machine that stands still does not ask for, weighs less with time. */
    const share = () => passed / (burst + (rate * (performance.now() - startedAt)) / 1_000);
    const flood = async () => {
      while (
        performance.now() - startedAt < 3_000 ||
        (share() < 0.95 && performance.now() - startedAt < 20_000)
      ) {
        if ((await once()) === 404) passed += 1;
        else refused += 1;
      }
    };
    await Promise.all(Array.from({ length: 24 }, flood));
    expect(refused).toBeGreaterThan(0);
    expect(share()).toBeGreaterThan(0.95);
    expect(share()).toBeLessThan(1.05);
  },
);

test('a visitor whose requests all go to one worker has the whole burst', async () => {
  const { origin } = await startWorkers({
    WORKERS: '4',
    CONFIG_INLINE: 'forms: {}',
    THROTTLE_BURST_LIMIT: '40',
    THROTTLE_RATE_LIMIT: '0.1',
  });
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const statuses: number[] = [];
  for (let count = 0; count < 45; count += 1) {
    statuses.push(
      await new Promise<number>((resolve, reject) => {
        http
          .get(`${origin}/api/v1/form/none`, { agent }, (answer) => {
            answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
          })
          .on('error', reject);
      }),
    );
  }
  expect(statuses.filter((status) => status === 404)).toHaveLength(40);
  const { headers } = await ask(`${origin}/api/v1/form/none`);
  expect(headers['retry-after']).toMatch(/^\d+$/);
});

test('`rate_limit` counts a client in all of them, and gives back what comes back', async () => {
  const { config, delivered } = await formWith('rate_limit: 5 per 10m');
  const { origin } = await startWorkers({
    ...unthrottled,
    WORKERS: '4',
    CONFIG_INLINE: config,
    TRUSTED_PROXIES: '127.0.0.1',
  });
  const send = (from: string, name: string) =>
    ask(`${origin}/api/v1/submit/contact`, { body: `name=${name}`, headers: { 'x-forwarded-for': from } });
  // A correction costs nothing, whichever worker sees it.
  for (let count = 0; count < 10; count += 1) expect((await send('192.0.2.1', '')).status).toBe(422);
  const answers = await Promise.all(Array.from({ length: 20 }, () => send('192.0.2.1', 'Ann')));
  expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(5);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(15);
  expect((await send('192.0.2.2', 'Bob')).status).toBe(200);
  expect(delivered()).toBe(6);
});

test('a solution counts once, however many workers get it at the same time', async () => {
  const { config, delivered } = await formWith('spam: {proof_of_work: true}');
  const { origin } = await startWorkers({ ...unthrottled, ...secret, WORKERS: '4', CONFIG_INLINE: config });
  const { body } = await ask(`${origin}/api/v1/challenge/contact`);
  const altcha = encodeURIComponent(solve(JSON.parse(body) as Challenge));
  const send = (name: string) =>
    ask(`${origin}/api/v1/submit/contact`, { body: `name=${name}&altcha=${altcha}` });
  // It is given back where the submission comes back.
  expect((await send('')).status).toBe(422);
  await Promise.all(Array.from({ length: 16 }, () => send('Ann')));
  expect(delivered()).toBe(1);
});

test('`auto` asks in each of them, whoever had the flood', async () => {
  const { config } = await formWith('spam: {proof_of_work: auto}');
  const { origin } = await startWorkers({ ...unthrottled, ...secret, WORKERS: '3', CONFIG_INLINE: config });
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const flood = () =>
    new Promise<void>((resolve, reject) => {
      const asking = http.request(
        `${origin}/api/v1/submit/contact`,
        { method: 'POST', agent, headers: { 'content-type': 'application/x-www-form-urlencoded' } },
        (answer) => void answer.resume().on('end', resolve),
      );
      asking.on('error', reject).end('name=Ann');
    });
  // One connection has one worker.
  for (let count = 0; count < 60; count += 1) await flood();
  const asks = async () => {
    const forms = await Promise.all([1, 2, 3].map(() => ask(`${origin}/api/v1/token/contact`)));
    return forms.filter(({ body }) => body.includes('challenge')).length;
  };
  await expect.poll(asks).toBe(3);
});

test('an address gets as many mails an hour from all of them as from one, and a link delivers once', async () => {
  const smtp = await startSmtpSink();
  onTestFinished(() => smtp.close());
  const { config: keys, delivered } = await formWith(
    `double_opt_in: {to: email, subject: Please confirm, text: Please click., from: news@acme.example, through: {type: smtp, host: 127.0.0.1, port: "${smtp.port}"}}`,
  );
  const config = keys.replace('{name: name, required: true}', '{name: email, type: email, required: true}');
  const { origin, events } = await startWorkers({
    ...unthrottled,
    ...secret,
    WORKERS: '4',
    CONFIG_INLINE: config,
    PUBLIC_URL: 'https://forms.example.org',
  });
  const statuses: number[] = [];
  for (let count = 0; count < 8; count += 1) {
    const { status } = await ask(`${origin}/api/v1/submit/contact`, { body: 'email=ann%40example.com' });
    statuses.push(status);
  }
  expect([statuses, smtp.mails.length]).toEqual([[200, 200, 200, 429, 429, 429, 429, 429], 3]);
  const { text } = decodeMail(smtp.mails[0]?.raw ?? '');
  const link = /https?:\S+\/api\/v1\/confirm\/\S+/.exec(text)?.[0] ?? '';
  const body = `t=${new URL(link).searchParams.get('t')}`;
  const clicks = Array.from({ length: 8 }, () => ask(`${origin}/api/v1/confirm/contact`, { body }));
  expect((await Promise.all(clicks)).map(({ status }) => status)).toEqual(Array(8).fill(303));
  expect(delivered()).toBe(1);
  await expect.poll(() => events('confirmed_again')).toHaveLength(7);
});

test('a primary that hangs costs no visitor their submission', async () => {
  const { config, delivered } = await formWith('rate_limit: 3 per 10m, spam: {proof_of_work: true}');
  const { origin, child } = await startWorkers({
    ...unthrottled,
    ...secret,
    WORKERS: '2',
    CONFIG_INLINE: config,
    TRUSTED_PROXIES: '127.0.0.1',
  });
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const send = (path: string, body?: string) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const asking = http.request(
        `${origin}${path}`,
        {
          method: body === undefined ? 'GET' : 'POST',
          agent,
          headers: {
            'x-forwarded-for': '192.0.2.1',
            ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
          },
        },
        (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (piece: string) => {
            text += piece;
          });
          answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
        },
      );
      asking.on('error', reject).end(body);
    });
  const altcha = async () =>
    encodeURIComponent(solve(JSON.parse((await send('/api/v1/challenge/contact')).text) as Challenge));
  // The connection is made: only the primary takes new ones.
  const solution = await altcha();
  kill(child.pid ?? 0, 'SIGSTOP');
  const answer = await send('/api/v1/submit/contact', `name=Ann&altcha=${solution}`);
  kill(child.pid ?? 0, 'SIGCONT');
  expect([answer.status, delivered()]).toEqual([200, 1]);
});

test('a submission that nobody has and that could not be kept is told to the owner once, whichever workers had it', async () => {
  const told: string[] = [];
  const owner = http.createServer(async (asking, answer) => {
    told.push(await text(asking));
    answer.end();
  });
  const port = await listen(owner);
  onTestFinished(() => {
    owner.closeAllConnections();
    owner.close();
  });
  const folder = mkdtempSync(join(tmpdir(), 'relay-workers-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { origin, events } = await startWorkers({
    ...unthrottled,
    WORKERS: '3',
    CONFIG_INLINE: `
keep: {in: ${folder}}
alerts: {outputs: [{type: webhook, url: "http://127.0.0.1:${port}/", retries: 0}]}
forms:
  contact:
    keep: failed
    fields: [{name: name, required: true}]
    outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*", retries: 0}]
`,
  });
  const send = () => ask(`${origin}/api/v1/submit/contact`, { body: 'name=Ann' });
  expect((await send()).status).toBe(200);
  // What waits is said by all of them, though one looks.
  const says = async () => (await ask(`${origin}/readyz`)).body;
  await expect
    .poll(async () => Promise.all([says(), says(), says()]))
    .toEqual(Array(3).fill(expect.stringContaining('wait')));
  rmSync(folder, { recursive: true });
  writeFileSync(folder, 'no folder');
  for (const _ of [1, 2, 3, 4, 5, 6]) expect((await send()).status).toBe(500);
  await expect.poll(() => events('keep_failed').length).toBe(6);
  const lost = () => told.filter((one) => one.includes('keep_failed'));
  await expect.poll(() => lost().length).toBe(1);
  await expect
    .poll(() => events('alert_sent').filter(({ alert }) => alert === 'keep_failed'))
    .toHaveLength(1);
  expect(new Set(events('keep_failed').map(({ worker }) => worker)).size).toBe(3);
});

test('a text that came to another worker is known', async () => {
  const { config } = await formWith('spam: {doubt: tag, signals: {program: 0}}');
  const { origin, events } = await startWorkers({
    ...unthrottled,
    WORKERS: '3',
    CONFIG_INLINE: config.replace('{name: name, required: true}', '{name: name, type: textarea}'),
    TRUSTED_PROXIES: '127.0.0.1',
  });
  const words = Array.from({ length: 40 }, (_, index) => `word${'i'.repeat(index)}`).join('+');
  for (const client of [1, 2, 3]) {
    const headers = { 'x-forwarded-for': `192.0.2.${client}` };
    expect((await ask(`${origin}/api/v1/submit/contact`, { body: `name=${words}`, headers })).status).toBe(
      200,
    );
  }
  const repeated = () =>
    events('submission').map(({ signals }) => (signals as { repeated?: number } | undefined)?.repeated ?? 0);
  // Each is like one more.
  await expect.poll(repeated).toEqual([0, 2, 3]);
});
