import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createDryRun } from '../../../apps/studio/src/dry_run/dry_run.ts';
import type { SubmissionReport } from '../../../apps/studio/src/dry_run/report.ts';
import { httpSink, relayWith } from '../../../test/spec/stage.ts';
import { clamdSink } from '../../../test/support/clamd_sink.ts';
import type { TestRelayOptions } from '../../../test/support/relay.ts';

const virus = 'RELAY-TEST-VIRUS';
const findsVirus = (file: Buffer) =>
  file.includes(virus) ? 'stream: Relay.Test.Signature FOUND' : 'stream: OK';

type Sent = readonly [field: string, name: string, content: string];

async function stage(clamd: string, { more = '', ...options }: TestRelayOptions & { more?: string } = {}) {
  const sink = await httpSink();
  const relay = await relayWith({
    config: `
forms:
  apply:
    scan: {clamd: "${clamd}"${more}}
    fields:
      - {name: name}
      - {name: cv, type: file}
      - {name: photos, type: file, multiple: true}
    outputs: [{type: http_post, url: "${sink.origin}/", mapping: "*"}]`,
    ...options,
  });
  const send = (...files: readonly Sent[]) => {
    const body = new FormData();
    body.append('name', 'Anna');
    for (const [field, name, content] of files) body.append(field, new File([content], name));
    return relay.request('/api/v1/submit/apply', { method: 'POST', body });
  };
  return { relay, sink, send };
}

test('every file is seen before anything is delivered', async () => {
  const clamd = await clamdSink({ says: findsVirus });
  const { relay, sink, send } = await stage(clamd.address);
  const large = 'x'.repeat(200_000);
  const answer = await send(['cv', 'cv.txt', 'Hello'], ['photos', 'a.txt', large], ['photos', 'b.txt', 'b']);
  expect(answer.status).toBe(200);
  expect(clamd.files.map(String)).toEqual(['Hello', large, 'b']);
  expect(sink.requests).toHaveLength(1);
  expect(relay.logged.map(({ event }) => event)).not.toContain('scan_failed');
});

test('what is found is told at its field, and delivered nowhere', async () => {
  const clamd = await clamdSink({ says: findsVirus });
  const { relay, sink, send } = await stage(clamd.address);
  const answer = await send(['cv', 'cv.txt', virus], ['photos', 'a.txt', 'a'], ['photos', 'b.txt', virus]);
  expect([answer.status, answer.json]).toEqual([
    422,
    {
      error:
        'cv: The virus scanner found something in the file cv.txt. Please do not send it. ' +
        'photos: The virus scanner found something in the file b.txt. Please do not send it.',
    },
  ]);
  expect(sink.requests).toHaveLength(0);
  const found = relay.logged.filter(({ event }) => event === 'virus_found');
  expect(found).toEqual([
    expect.objectContaining({ level: 'warn', field: 'cv', signature: 'Relay.Test.Signature' }),
    expect.objectContaining({ level: 'warn', field: 'photos', signature: 'Relay.Test.Signature' }),
  ]);
  expect(JSON.stringify(relay.logged)).not.toMatch(/cv\.txt|b\.txt|Anna/);
});

test.each([
  ['nobody listens', { address: '127.0.0.1:1' }, /ECONNREFUSED/],
  ['there is no socket', { address: '/nonexistent/clamd.ctl' }, /ENOENT/],
  ['it hangs up', { says: 'hang up' }, /closed/],
  ['it has trouble', { says: 'Can’t allocate memory ERROR' }, /no verdict/],
  ['it says what nobody knows', { says: 'stream: maybe' }, /no verdict: stream: maybe/],
  ['it is somebody else', { says: '220 mail.example.com ESMTP' }, /no verdict/],
  ['it talks without end', { says: 'x'.repeat(10_000) }, /no verdict/],
])(
  'where %s, the answer is 500 and nothing is delivered',
  async (_, { address, says }: { address?: string; says?: string }, reason) => {
    const scanner = address ?? (await clamdSink({ says: () => says ?? '' })).address;
    const { relay, sink, send } = await stage(scanner);
    const answer = await send(['cv', 'cv.txt', 'Hello']);
    expect([answer.status, answer.json]).toEqual([
      500,
      { error: 'the submission could not be delivered; please try again later' },
    ]);
    expect(sink.requests).toHaveLength(0);
    expect(relay.logged).toContainEqual(
      expect.objectContaining({
        level: 'error',
        event: 'scan_failed',
        form: 'apply',
        scanner,
        reason: expect.stringMatching(reason),
      }),
    );
    const [line] = relay.logged.filter(({ event }) => event === 'submission');
    expect(line).toMatchObject({
      level: 'error',
      outcome: 'undelivered',
      reason: expect.stringMatching(reason),
    });
  },
);

test('one that never answers is waited for as long as the submission has', async () => {
  const clamd = await clamdSink({ says: () => 'silence' });
  const asked: number[] = [];
  const { relay, sink, send } = await stage(clamd.address, {
    effects: {
      scanFile: async ({ timeoutMs, ...task }) => {
        asked.push(timeoutMs);
        const { scanFile } = await import('../../clients/src/clamd.ts');
        return scanFile({ ...task, timeoutMs: 50 });
      },
    },
  });
  expect((await send(['cv', 'cv.txt', 'Hello'])).status).toBe(500);
  expect(asked).toEqual([15_000]);
  expect(sink.requests).toHaveLength(0);
  expect(relay.logged).toContainEqual(
    expect.objectContaining({ event: 'scan_failed', reason: expect.stringMatching(/within 50 ms/) }),
  );
});

test('a file that is too large for the scanner is refused, or delivered where the config says so', async () => {
  const clamd = await clamdSink({ says: findsVirus, most: 100_000 });
  const files: readonly Sent[] = [
    ['cv', 'cv.txt', 'x'.repeat(3_000_000)],
    ['photos', 'a.txt', 'a'],
  ];
  const strict = await stage(clamd.address);
  const refused = await strict.send(...files);
  expect([refused.status, refused.json]).toEqual([
    422,
    { error: 'cv: The file cv.txt is too large to be checked for viruses.' },
  ]);
  expect(strict.sink.requests).toHaveLength(0);
  const lenient = await stage(clamd.address, { more: ', too_large: deliver' });
  expect((await lenient.send(...files)).status).toBe(200);
  expect(lenient.sink.requests).toHaveLength(1);
  expect(lenient.relay.logged).toContainEqual(
    expect.objectContaining({ level: 'warn', event: 'files_unscanned', fields: ['cv'] }),
  );
  expect((await lenient.send(['photos', 'a.txt', virus])).status).toBe(422);
});

test('a socket of this machine', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'clamd-')), 'clamd.ctl');
  const clamd = await clamdSink({ path });
  const { send } = await stage(`unix:${path}`);
  expect((await send(['cv', 'cv.txt', 'Hello'])).status).toBe(200);
  expect(clamd.files.map(String)).toEqual(['Hello']);
});

/** What a dry run tells of each submission. */
function dryRun(apply: string, isDelivering = false) {
  const stories: SubmissionReport[] = [];
  const { handle, close } = createDryRun({
    config: `
forms:
  apply: ${apply}
  contact: {fields: [{name: name}], outputs: [{type: email, to: a@example.com, mapping: "*"}]}`,
    env: { MAIL_FROM_ADDRESS: 'forms@example.com' },
    services: { log: () => {} },
    isDelivering,
    onReport: (story) => stories.push(story),
  });
  onTestFinished(close);
  return async (form: string, ...files: readonly Sent[]) => {
    const body = new FormData();
    for (const [field, name, content] of files) body.append(field, new File([content], name));
    const request = new Request('http://127.0.0.1/', {
      method: 'POST',
      body: files.length > 0 ? body : new URLSearchParams(),
    });
    await handle({
      method: 'POST',
      path: `/api/v1/submit/${form}`,
      query: '',
      headers: { 'content-type': request.headers.get('content-type') ?? '' },
      body: new Uint8Array(await request.arrayBuffer()),
    });
    return stories.at(-1);
  };
}

const scanIn = (story: SubmissionReport | undefined) => story?.checks.find(({ check }) => check === 'scan');

test('where outputs deliver, the story says what the scanner saw', async () => {
  const clamd = await clamdSink({ says: findsVirus, most: 100_000 });
  const sink = await httpSink();
  const form = (scan: string) =>
    `{scan: {${scan}}, fields: [{name: cv, type: file}, {name: photos, type: file, multiple: true}], outputs: [{type: http_post, url: "${sink.origin}/", mapping: "*"}]}`;
  const { address } = clamd;
  const large: Sent = ['cv', 'cv.txt', 'x'.repeat(3_000_000)];
  const photos: readonly Sent[] = [
    ['photos', 'a.txt', 'a'],
    ['photos', 'b.txt', 'b'],
  ];

  const strict = dryRun(form(`clamd: "${address}"`), true);
  expect(scanIn(await strict('apply', ...photos))).toMatchObject({
    verdict: 'passed',
    says: `${address} saw 2 files and found nothing`,
  });
  expect(scanIn(await strict('apply', large, ['photos', 'a.txt', virus]))).toMatchObject({
    verdict: 'ended',
    says: `a file of "cv" is too large for ${address}; ${address} found Relay.Test.Signature in a file of "photos"`,
  });

  const lenient = dryRun(form(`clamd: "${address}", too_large: deliver`), true);
  expect(scanIn(await lenient('apply', large, ...photos))).toMatchObject({
    verdict: 'passed',
    says: `${address} saw 2 files and found nothing; too large for it, and delivered unseen: cv`,
  });

  const deaf = dryRun(form('clamd: "127.0.0.1:1"'), true);
  expect(scanIn(await deaf('apply', ...photos))?.says).toMatch(
    /^no verdict of 127\.0\.0\.1:1: .*ECONNREFUSED/,
  );
});
