import { expect, test } from 'vitest';
import { relayWith } from '../../../test/spec/stage.ts';
import { startHttpSink } from '../../../test/support/http_sink.ts';
import { openTerminal } from './terminal.ts';

const health = async (env: Record<string, string>, option = '') =>
  (await openTerminal({ env })).run(`relay health ${option}`);

test('relay health ends with 0 if the relay on its port answers, whatever address it listens on', async () => {
  const relay = await relayWith({ config: 'forms: {}' });
  const { port } = new URL(relay.origin);
  for (const host of ['', '0.0.0.0', '127.0.0.1'])
    expect(await health({ PORT: port, HOST: host })).toEqual({ code: 0, stdout: 'ok\n', stderr: '' });
});

test('relay health --ready asks whether it can take submissions', async () => {
  const relay = await relayWith({ config: 'forms: [' });
  const { port } = new URL(relay.origin);
  expect(await health({ PORT: port })).toMatchObject({ code: 0 });
  const stderr = expect.stringMatching(/is not ready: \/readyz answers 503/);
  expect(await health({ PORT: port }, '--ready')).toMatchObject({ code: 1, stderr });
});

test('relay health ends with 1 and says why if it does not', async () => {
  const sink = await startHttpSink({ answer: () => ({ status: 503 }) });
  const ill = await health({ PORT: `${sink.port}` });
  expect(ill).toMatchObject({ code: 1, stderr: expect.stringContaining('/healthz answers 503') });
  await sink.close();
  const gone = await health({ PORT: `${sink.port}` });
  expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining('ECONNREFUSED') });
});
