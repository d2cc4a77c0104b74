/** The program of docs/metrics.md, run as whoever installs the package would. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { samplesIn } from './scraped.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

test('a program of one’s own measures its relay', async () => {
  const [, shown = ''] = /^```js\n(.*?)^```$/ms.exec(readFileSync(`${root}docs/metrics.md`, 'utf8')) ?? [];
  // On ports that are free, which it tells: in the order of the page.
  const tell = 'function () { console.log(this.address().port); }';
  const code = shown
    .replace('listen(8080)', `listen(0, '127.0.0.1', ${tell})`)
    .replace('listen(9090, ', 'listen(0, ');
  const instrumented = code.replace(/(listen\(0, '127\.0\.0\.1')\)/, `$1, ${tell})`);
  const child = spawn(process.execPath, ['--input-type=module', '--eval', instrumented], {
    // Here `form-relay` is this package, as it is built.
    cwd: root,
    env: {
      CONFIG_INLINE:
        'forms: {contact: {fields: [{name: name, required: true}], outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}}',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout });
  const ports: string[] = [];
  lines.on('line', (line) => ports.push(line));
  while (ports.length < 2) await once(lines, 'line');
  const [relay = '', metrics = ''] = ports;
  const body = new URLSearchParams({ name: '' });
  await fetch(`http://127.0.0.1:${relay}/api/v1/submit/contact`, { method: 'POST', body });
  const samples = samplesIn(await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text());
  expect(samples.get('form_relay_submissions_total{form="contact",outcome="invalid"}')).toBe(1);
  expect(samples.get('form_relay_connections_limit')).toBeGreaterThan(0);
});
