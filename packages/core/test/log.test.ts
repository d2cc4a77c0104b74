import { expect, test, vi } from 'vitest';
import { createRelay } from '../../runtimes/src/index.ts';
import { createLog } from '../../runtimes/src/log.ts';

test('the line of a submission tells of each delivery in plain members, also of one that failed', async () => {
  const lines: object[] = [];
  const relay = createRelay({
    // No server listens on port 1.
    config:
      'forms: {contact: {fields: [{name: email}], outputs: [{type: http_post, url: "http://127.0.0.1:1/", mapping: "*", on_error: continue}]}}',
    env: {},
    services: {
      log: (level, event, fields) => void (event === 'submission' && lines.push({ level, ...fields })),
    },
  });
  const body = new URLSearchParams({ email: 'ada@example.org' });
  const request = new Request('http://relay/api/v1/submit/contact', { method: 'POST', body });
  expect((await relay.fetch(request)).status).toBe(200);
  await relay.close();
  expect(lines).toHaveLength(1);
  const told = { output: 0, type: 'http_post', outcome: 'failed', reason: 'connect ECONNREFUSED' };
  const numbers = { tries: expect.any(Number), ms: expect.any(Number) };
  expect(lines).toMatchObject([{ outcome: 'delivered', deliveries: [{ ...told, ...numbers }] }]);
  expect(JSON.stringify(lines)).not.toContain('"error"');
});

test('a reader that is slow, but never stops, gets every line', () => {
  vi.useFakeTimers();
  let read = '';
  // Takes a part, then nothing until the next event; and so it never has all.
  let room = 0;
  const write = (bytes: Buffer) => {
    const taken = Math.min(room, bytes.length - 1);
    room = 0;
    read += bytes.toString('latin1', 0, taken);
    return taken;
  };
  const { log, lost } = createLog(() => 0, 'info', write);
  const text = 'x'.repeat(50_000);
  for (let line = 0; line < 60; line += 1) {
    log('info', 'told', { line, text });
    room = 60_000;
    vi.advanceTimersByTime(100);
  }
  vi.useRealTimers();
  expect(lost()).toBe(0);
  expect(read.match(/"line":\d+/g)?.length).toBeGreaterThanOrEqual(59);
});
