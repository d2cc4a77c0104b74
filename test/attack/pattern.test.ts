/** A `pattern` is the owner's, its value the visitor's: together they may take years to match. They do not get them. */
import { spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { describe, expect, onTestFinished, test } from 'vitest';
import { contact, httpSink, relayWith } from '../spec/stage.ts';
import { startRelay } from '../support/relay.ts';

const program = fileURLToPath(new URL('../../dist/relay.cjs', import.meta.url));

const yaml = (pattern: string) => `'${pattern.replaceAll("'", "''")}'`;

/** Expressions, each with a value of up to 10,000 bytes that makes a backtracking engine despair. */
const catastrophic: [pattern: string, value: string][] = [
  ['(a+)+', `${'a'.repeat(40)}!`],
  ['(a+)+', `${'a'.repeat(9_999)}!`],
  ['(a*)*', `${'a'.repeat(9_999)}!`],
  ['(a|a)*b', 'a'.repeat(10_000)],
  ['(a|ab|b)*c', 'ab'.repeat(5_000)],
  ['([a-z]+)*@', 'a'.repeat(10_000)],
  ['(\\w+\\s?)*', `${'word '.repeat(1_999)}!`],
  ['(.*)*x', `${'x'.repeat(9_999)}y`],
  ['(.*,){11}P', `${'1,'.repeat(4_999)}x`],
  ['\\s*\\s*\\s*x', ' '.repeat(10_000)],
  ['.*.*.*.*=', `${'='.repeat(9_000)}x`],
  ['(x?){2000}y', 'x'.repeat(10_000)],
  ['(?=(a+)+$)a*', `${'a'.repeat(9_999)}!`],
  ['(?<=(a+)+)b', 'a'.repeat(10_000)],
  ['a*(?<!(a+)+)b', 'a'.repeat(10_000)],
  ['(a*)\\1*(a*)\\2*b', 'a'.repeat(10_000)],
  ['([\\q{aa|a}])+b', 'a'.repeat(10_000)],
  ['(\\p{L}+\\p{M}*)+', `${'é'.repeat(4_900)}!`],
  ['[\\w.]+@([\\w\\-]+\\.?)+\\.com', `a@${'a'.repeat(9_990)}!`],
];

describe('the relay goes on', () => {
  test.each(catastrophic)('%s', async (pattern, value) => {
    const relay = await contact({ fields: `[{name: code, pattern: ${yaml(pattern)}}]` });
    const startedAt = performance.now();
    const answers = await Promise.all([relay.send(['code', value]), relay.get('/healthz')]);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(answers.map(({ status }) => status)).toEqual([422, 200]);
    expect(answers[0]?.json).toEqual({ error: 'code: Enter a value in the expected format.' });
    expect(relay.delivered).toEqual([]);
    // Some engines are through in time, and then the answer is theirs.
    const slow = relay.logged.filter(({ event }) => event === 'pattern_too_slow');
    expect(slow.length).toBeLessThanOrEqual(1);
    for (const line of slow)
      expect(line).toEqual({
        level: 'warn',
        event: 'pattern_too_slow',
        request_id: expect.any(String),
        trace_id: expect.any(String),
        form: 'contact',
        field: 'code',
      });
  });

  const hostile = `${'a'.repeat(40)}!`;

  test.each([
    ['(a+)+', 0],
    // Too much for anything but a thread.
    ['(?=a)(a+)+', 1],
  ])('however many fields have %s, and however many values are sent', async (pattern, slow) => {
    const names = Array.from({ length: 30 }, (_, n) => `f${n}`);
    const relay = await contact({
      fields: `[${names.map((name) => `{name: ${name}, pattern: '${pattern}'}`)}]`,
    });
    const startedAt = performance.now();
    const all = names.flatMap((name) => Array.from({ length: 20 }, (): [string, string] => [name, hostile]));
    expect((await relay.send(...all)).status).toBe(422);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(relay.logged.filter(({ event }) => event === 'pattern_too_slow')).toHaveLength(slow);
  });

  test.each(['(a+)+', '(?=a)(a+)+'])(
    'when a form with %s is shown, again or from a link',
    async (pattern) => {
      const names = Array.from({ length: 30 }, (_, n) => `f${n}`);
      const relay = await contact({
        fields: `[${names.map((name) => `{name: ${name}, pattern: '${pattern}'}`)}]`,
      });
      const sent = names.flatMap((name) => Array.from({ length: 20 }, () => `${name}=${hostile}`)).join('&');
      const startedAt = performance.now();
      expect((await relay.submit('contact', sent, { 'HX-Request': 'true' })).status).toBe(422);
      expect((await relay.get(`/api/v1/form/contact?${sent.slice(0, 12_000)}`)).status).toBe(200);
      expect(performance.now() - startedAt).toBeLessThan(5_000);
    },
  );
});

/** For each, a value that takes a backtracking engine years. */
const inSeries: [pattern: string, value: string][] = [
  ['(a+)+', `${'a'.repeat(40)}!`],
  ['([a-zA-Z0-9_.\\-])+@(([a-zA-Z0-9\\-])+\\.)+([a-zA-Z0-9]{2,4})+', `a@a.${'a'.repeat(60)}!`],
  ['(?=.*\\d)([a\\d]+)+', `1${'a'.repeat(40)}!`],
  ['(a+)+\\1', `${'a'.repeat(40)}!`],
];

describe('hostile values in series keep nobody waiting', () => {
  test.each(inSeries)('%s', async (pattern, value) => {
    const form = (code: string) =>
      `{fields: [{name: code, pattern: ${yaml(code)}}], outputs: [{type: http_post, url: $sink}]}`;
    const sink = await httpSink();
    const forms = `forms: {attacked: ${form(pattern)}, other: ${form('(?=b)(b+)+')}}`;
    const relay = await relayWith({ config: forms.replaceAll('$sink', `"${sink.origin}/"`) });
    const startedAt = performance.now();
    const attack = Array.from({ length: 150 }, () => relay.submit('attacked', [['code', value]]));
    const other = await Promise.all([relay.submit('other', [['code', 'bbb']]), relay.get('/healthz')]);
    expect(other.map(({ status }) => status)).toEqual([200, 200]);
    for (const { status } of await Promise.all(attack)) expect([422, 503]).toContain(status);
    // With 250 ms each, it would take half a minute.
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });
});

test.each<[pattern: string, value: string]>([
  ['(\\w+\\s?)+', 'word '.repeat(2_000)],
  ['(\\w+\\s?)*', 'word'],
  ['[^@]+@[^@]+', `${'a'.repeat(5_000)}@${'b'.repeat(4_000)}`],
  ['.*', 'x'.repeat(10_000)],
  ['(?=.*\\d)(?=.*[a-z]).{8,}', `${'x'.repeat(9_990)}1`],
  ['(\\p{L}|\\p{M}|[ \\-])+', 'Zoë '.repeat(1_900)],
  ['([a-z]+,)*[a-z]+', `${'abc,'.repeat(2_499)}abc`],
])('an honest value of any length still matches %s', async (pattern, value) => {
  const relay = await contact({ fields: `[{name: text, pattern: ${yaml(pattern)}}]` });
  expect((await relay.send(['text', value])).status).toBe(200);
  expect(relay.logged.filter(({ event }) => event === 'pattern_too_slow')).toEqual([]);
});

describe('a pattern that only JavaScript understands, and that could take long', () => {
  const fields =
    "[{name: a, pattern: '(?<x>a+)+\\k<x>'}, {name: b, required: true}, {name: c, pattern: '(?=c)(c+)+'}]";
  const hostile = `${'a'.repeat(40)}!`;

  test('matches what it matches there', async () => {
    const relay = await contact({ fields });
    expect((await relay.send(['a', 'aaaa'], ['b', 'x'], ['c', 'cc'])).status).toBe(200);
    const answer = await relay.send(['a', 'a'], ['a', 'ab'], ['c', 'c']);
    expect(answer.json).toEqual({ error: 'a: Enter a value in the expected format. b: Enter a value.' });
  });

  test('is no reason to refuse a value that nobody had time for', async () => {
    const relay = await contact({ fields });
    const answers = await Promise.all(
      Array.from({ length: 40 }, () =>
        relay.submit(
          'contact',
          [
            ['a', hostile],
            ['b', 'x'],
          ],
          { accept: 'application/problem+json' },
        ),
      ),
    );
    const busy = answers.filter(({ status }) => status === 503);
    expect(busy.length).toBeGreaterThan(30);
    expect(busy[0]?.headers.get('retry-after')).toBe('5');
    expect(busy[0]?.json).toMatchObject({ status: 503, code: 'busy' });
    // What else is wrong can be mended meanwhile.
    const wrong = await relay.send(['a', 'aaaa']);
    expect(wrong.json).toEqual({ error: 'b: Enter a value.' });
  });

  test('starts one thread, which ends with the relay', async () => {
    const threads: Worker[] = [];
    const onThread = (message: unknown) => threads.push((message as { worker: Worker }).worker);
    subscribe('worker_threads', onThread);
    onTestFinished(() => {
      unsubscribe('worker_threads', onThread);
    });
    const relay = await startRelay({
      config: `forms: {f: {fields: ${fields}, outputs: [{type: http_post, url: 'http://127.0.0.1:9/', static: {a: b}}]}}`,
    });
    await relay.submit('f', [['b', 'x']]);
    expect(threads).toEqual([]);
    await relay.submit('f', [['a', 'aaaa']]);
    await relay.submit('f', [['a', hostile]]);
    expect(threads).toHaveLength(1);
    await relay.close();
    expect(threads[0]?.threadId).toBe(-1);
  });
});

test('a value that matches is never refused because the machine is busy', async () => {
  const sink = await httpSink();
  // A match of some 15 ms.
  const pattern = '(?:(?=.*z)a)*z';
  const value = `${'a'.repeat(5_000)}z`;
  const config = `forms: {f: {fields: [{name: code, pattern: '${pattern}'}], outputs: [{type: http_post, url: "${sink.origin}/", mapping: "*"}]}}`;
  const child = spawn(process.execPath, [program, 'serve'], {
    env: { CONFIG_INLINE: config, HOST: '127.0.0.1', PORT: '0' },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [started] = await once(child.stdout, 'data');
  const [origin] = /http:\/\/\S+/.exec(started) ?? [];
  const send = async () =>
    (await fetch(`${origin}/api/v1/submit/f`, { method: 'POST', body: new URLSearchParams({ code: value }) }))
      .status;
  expect(await send()).toBe(200);
  // As if others had the processor most of the time.
  let isOver = false;
  const answered = send().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    child.kill('SIGSTOP');
    await setTimeout(300);
    child.kill('SIGCONT');
    await setTimeout(3);
  }
  // It is asked to come again, at worst.
  expect([200, 503]).toContain(await answered);
});
