#!/usr/bin/env node
// A relay with a folder of clients: how long it takes to start, its memory, and how soon a change is live. node lab/clients.mjs [CLIENTS] [FORMS]
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const [clients = 50, forms = 10] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), 'clients-'));

const form = (title) => ({
  title,
  fields: [
    { name: 'name', label: 'Your name', required: true },
    { name: 'email', type: 'email', required: true },
    { name: 'topic', type: 'select', options: ['Sales', 'Support', 'Press'] },
    { name: 'message', type: 'textarea', required: true },
  ],
  keep: 'failed',
  spam: { honeypot: 'website' },
  rate_limit: '10 per 1h',
  outputs: [
    { type: 'smtp', host: 'mail.example.com', username: 'forms', password: '{{ env "C1_PASSWORD" }}' },
    { type: 'http_post', url: 'https://crm.example.com/', mapping: '*', on_error: 'continue' },
  ],
});
const mail = { from: 'forms@example.com', to: 'office@example.com', subject: 'Message', mapping: '*' };

function write(index, title) {
  const all = Array.from({ length: forms }, (_, number) => {
    const one = form(`${title} ${number}`);
    Object.assign(one.outputs[0], mail, { password: `{{ env "C${index}_PASSWORD" }}` });
    return [`form${number}`, one];
  });
  const file = join(folder, `c${index}.yaml`);
  writeFileSync(`${file}.new`, JSON.stringify({ forms: Object.fromEntries(all) }, null, 1));
  renameSync(`${file}.new`, file);
}

writeFileSync(join(folder, '_relay.yaml'), `keep: {in: ${folder}}\nlook: {accent: "#0f766e"}\n`);
for (let index = 0; index < clients; index += 1) write(index, 'Before');
// At the start, a file that was just written may be half of it.
await sleep(500);

const startedAt = performance.now();
const relay = spawn(process.execPath, ['dist/relay.cjs', 'serve'], {
  env: { PATH: process.env.PATH, CONFIG_DIR: folder, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'error' },
  stdio: ['ignore', 'pipe', 'ignore'],
});
try {
  const line = await new Promise((resolve) => relay.stdout.once('data', (data) => resolve(`${data}`)));
  const startMs = performance.now() - startedAt;
  const [, origin] = /(http:\S+)/.exec(line);
  const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${relay.pid}/status`, 'utf8'))[1]) / 1024;
  // Of a machine that does other things, too.
  const [user, system] = readFileSync(`/proc/${relay.pid}/stat`, 'utf8').split(') ')[1].split(' ').slice(11, 13);
  const cpuMs = (Number(user) + Number(system)) * 10;
  const atStart = memory();
  const last = `${origin}/f/c${clients - 1}/form${forms - 1}`;
  const shows = async (title) => (await (await fetch(last)).text()).includes(title);
  if (!(await shows('Before'))) throw new Error(`${last} does not show its form`);
  const times = [];
  for (let round = 0; round < 10; round += 1) {
    await sleep(Math.random() * 1_500);
    const changedAt = performance.now();
    write(clients - 1, `Round ${round}`);
    while (!(await shows(`Round ${round}`))) await sleep(150);
    times.push(performance.now() - changedAt);
  }
  console.log(line.trim());
  console.log(`started in ${Math.round(startMs)} ms (${cpuMs} ms of CPU); memory ${Math.round(atStart)} MB, ${Math.round(memory())} MB after 10 changes`);
  console.log(`a change was live within ${Math.round(Math.max(...times))} ms (median ${Math.round(times.toSorted((a, b) => a - b)[5])} ms)`);
} finally {
  relay.kill();
  rmSync(folder, { recursive: true });
}
