/** The plug-ins of examples/plugins, in a relay that people send forms to. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { blocksOf } from '../docs/papers.ts';
import { type HttpSink, startHttpSink } from '../support/http_sink.ts';
import { startRelay, type TestRelay } from '../support/relay.ts';

let receiver: HttpSink;
let relay: TestRelay;

beforeAll(async () => {
  receiver = await startHttpSink();
  const config = readFileSync('examples/plugins/paint.yaml', 'utf8')
    .replaceAll('./', './examples/plugins/')
    .replace('https://push.example.com', receiver.origin);
  relay = await startRelay({ config, env: { GOTIFY_TOKEN: 'AbC.dEf' } });
});
afterAll(async () => {
  await relay.close();
  await receiver.close();
});

test('the output sends the submission as its service wants it', async () => {
  const answer = await relay.submit('paint', 'email=ada%40example.org&color=%230066cc');
  expect([answer.status, answer.json]).toEqual([200, { message: 'ok' }]);
  const [request] = receiver.requests;
  expect(request?.url).toBe('/message');
  expect(request?.headers['x-gotify-key']).toBe('AbC.dEf');
  expect(JSON.parse(request?.body ?? '')).toEqual({
    title: 'paint',
    message: 'color: #0066cc\nemail: ada@example.org',
  });
});

test('the field has its control, and refuses what is no colour, in words of its own', async () => {
  const form = await relay.get('/api/v1/form/paint');
  expect(form.text).toMatch(
    /<input[^>]* type="color"[^>]* name="color"|<input[^>]* name="color"[^>]* type="color"/,
  );
  const answer = await relay.submit('paint', 'email=ada%40example.org&color=blue');
  expect([answer.status, answer.json]).toEqual([422, { error: 'color: Choose a colour.' }]);
});

test('the check refuses, and the log names it without the address', async () => {
  const answer = await relay.submit('paint', 'email=ada%40Mailinator.com');
  expect([answer.status, answer.json]).toEqual([422, { error: 'Please use another address.' }]);
  expect(JSON.stringify(relay.logged)).not.toContain('ailinator');
  expect(relay.logged.at(-1)).toMatchObject({ event: 'submission', outcome: 'domain_blocked' });
});

test('the page shows the output as it is, and its config loads', async () => {
  const [code, config] = blocksOf('docs/plugins.md');
  const [, ...lines] = readFileSync('examples/plugins/gotify.mjs', 'utf8').split('\n');
  expect(code?.text).toBe(lines.join('\n'));
  const shown = await startRelay({
    config: (config?.text ?? '').replace('./', './examples/plugins/'),
    env: { GOTIFY_TOKEN: 'AbC.dEf' },
  });
  expect((await shown.get('/api/v1/form/contact')).status).toBe(200);
  await shown.close();
});
