import { afterEach, expect, test, vi } from 'vitest';
import { examine } from '../src/examine.ts';
import { formWith, setupOf, worldOf } from './stage.ts';

afterEach(() => {
  vi.useRealTimers();
});

const config = formWith(
  '[{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}, {type: smtp, host: mail.example, to: a@a.example, mapping: "*"}]',
);

const verdicts = async (...[setup, world]: Parameters<typeof examine>) =>
  (await examine(setup, world)).flatMap(({ title, diagnoses }) =>
    diagnoses.map(({ subject, verdict, says }) => `${title}: ${verdict} ${subject}: ${says}`),
  );

test('an examination that breaks is a failure of its own, and tells no secret', async () => {
  const connectSmtp = () => Promise.reject(new TypeError('hunter2 is undefined'));
  const lines = await verdicts(await setupOf(config), worldOf({ connectSmtp }));
  expect(lines).toContain(
    'SMTP servers: failure SMTP servers: this examination crashed, which is a bug in the relay',
  );
  expect(lines).toContain('Config: ok webform.yaml: loads: 1 form, 2 outputs');
  expect(lines.join()).not.toContain('hunter2');
});

test('an examination that hangs is given up after 10 s, and keeps no other waiting', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const hang = () => new Promise<never>(() => {});
  const setup = await setupOf(config);
  const lines = verdicts(setup, worldOf({ connectSmtp: hang, tryConnect: hang }));
  await vi.advanceTimersByTimeAsync(10_000);
  expect((await lines).filter((line) => line.includes('not done'))).toEqual([
    'HTTP outputs: failure HTTP outputs: not done within 10 s',
    'SMTP servers: failure SMTP servers: not done within 10 s',
  ]);
});

test('a config that does not load leaves the settings to look at', async () => {
  const lines = await verdicts(await setupOf('forms: 3', { PORT: 'x' }), worldOf());
  expect(lines).toEqual([
    expect.stringMatching(/^Config: failure webform.yaml:1:8: /),
    expect.stringMatching(/^Environment: failure PORT: /),
  ]);
});
