/**
 * Peak memory of the relay while 50 visitors send 5 MB each at once, three times over, as `npm start` and the container
 * run it: `npx tsx lab/bench/uploads.ts [node ...]`. Whoever is answered 503 comes again in a moment.
 *
 * The aim: at most 120 MB more than UPLOAD_BUDGET, which is 64 MB.
 */
import { once } from 'node:events';
import { request } from 'node:http';
import { createInterface } from 'node:readline';
import { cpuSeconds, peakRssMb, pinThisProcess, spawnCommand, spawnNode } from './process.ts';
import { startSmtpSink } from './smtp_sink.ts';
import { environment } from './submission.ts';

const visitors = 50;
const waves = 3;
const mb = 1_048_576;

const boundary = '----relaybench';
const part = (about: string, type = '') =>
  `--${boundary}\r\nContent-Disposition: form-data; ${about}\r\n${type}\r\n`;
const body = Buffer.concat([
  Buffer.from(`${part('name="name"')}Ada Lovelace\r\n`),
  Buffer.from(part('name="cv"; filename="cv.pdf"', 'Content-Type: application/pdf\r\n')),
  Buffer.from('%PDF-1.7\n'),
  Buffer.alloc(5 * mb - 1_000, 'Analytical Engines '),
  Buffer.from(`\r\n--${boundary}--\r\n`),
]);
const headers = {
  'content-type': `multipart/form-data; boundary=${boundary}`,
  'content-length': body.length,
};

const isPinned = pinThisProcess();
const http = spawnNode(['lab/bench/body_sink.cjs'], {}, isPinned);
const [port] = await once(createInterface({ input: http.stdout }), 'line');
const smtp = await startSmtpSink();

const mail = { type: 'smtp', host: '127.0.0.1', port: `${smtp.port}`, to: 'a@example.com', mapping: '*' };
const hook = { type: 'webhook', url: `http://127.0.0.1:${port}/hook`, mapping: '*' };
const cases: Readonly<Record<string, readonly object[]>> = {
  'a mail': [mail],
  'a webhook, base64': [{ ...hook, files: 'base64' }],
  'a webhook, multipart': [{ ...hook, files: 'multipart' }],
  'a mail and a webhook': [mail, { ...hook, files: 'base64' }],
};

try {
  const nodes = process.argv.slice(2);
  for (const node of nodes.length > 0 ? nodes : [process.execPath]) {
    const rows: Record<string, object> = {};
    for (const [name, outputs] of Object.entries(cases)) rows[name] = await measure(node, outputs);
    console.log(`\n${node}: ${waves} times ${visitors} uploads of 5 MB at once`);
    console.table(rows);
  }
} finally {
  http.kill();
  smtp.close();
}

async function measure(node: string, outputs: readonly object[]) {
  const form = { fields: [{ name: 'name' }, { name: 'cv', type: 'file', required: true }], outputs };
  const relay = spawnCommand(
    [node, '--max-semi-space-size=8', '--no-maglev', 'dist/relay.cjs', 'serve'],
    {
      ...environment,
      CONFIG_INLINE: JSON.stringify({ forms: { contact: form } }),
    },
    isPinned,
  );
  const [line] = await once(createInterface({ input: relay.stdout }), 'line');
  const { port }: URL = new URL(line.match(/http:\/\/[\w.]+:\d+/)[0]);
  const idleMb = peakRssMb(relay);
  const cpuBefore = cpuSeconds(relay);
  const startedAt = performance.now();
  let refused = 0;
  const send = () =>
    new Promise<number | undefined>((resolve, reject) => {
      const options = { port, host: '127.0.0.1', method: 'POST', path: '/api/v1/submit/contact', headers };
      request(options, (answer) => answer.resume().on('end', () => resolve(answer.statusCode)))
        .on('error', reject)
        .end(body);
    });
  const visitor = async () => {
    for (;;) {
      const status = await send();
      if (status === 200) return;
      if (status !== 503) throw new Error(`the relay answered ${status}`);
      refused += 1;
      await new Promise((resolve) => setTimeout(resolve, 200 + 400 * Math.random()));
    }
  };
  for (let wave = 0; wave < waves; wave += 1) await Promise.all(Array.from({ length: visitors }, visitor));
  const row = {
    'idle, MB': idleMb,
    'peak RSS, MB': peakRssMb(relay),
    'ms CPU an upload': Math.round(((cpuSeconds(relay) - cpuBefore) * 1_000) / (visitors * waves)),
    'answered 503': refused,
    seconds: Math.round((performance.now() - startedAt) / 1_000),
  };
  relay.kill();
  return row;
}
