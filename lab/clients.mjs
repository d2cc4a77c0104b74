// How long a relay of many clients takes to start, its memory, and how soon a change is live: node lab/clients.mjs [CLIENTS] [FORMS]
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const [clients = 50, forms = 10] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), 'clients-'));
const form = (index, title) => `
    title: ${title}
    fields: [{name: name, required: true}, {name: email, type: email, required: true}, {name: topic, type: select, options: [Sales, Press]}]
    keep: failed
    rate_limit: 10 per 1h
    outputs:
      - {type: smtp, host: mail.example.com, username: a, password: '{{ env "C${index}_KEY" }}', from: a@b.org, to: c@d.org, subject: S, mapping: '*'}
      - {type: http_post, url: 'https://crm.example.com/', mapping: '*', on_error: continue}`;
const write = (index, title) => {
  const all = Array.from({ length: forms }, (_, nth) => `  form${nth}:${form(index, title)}\n`);
  writeFileSync(join(folder, 'new'), `forms:\n${all.join('')}`);
  renameSync(join(folder, 'new'), join(folder, `c${index}.yaml`));
};
writeFileSync(join(folder, '_relay.yaml'), `keep: {in: ${folder}}\nlook: {accent: "#0f766e"}\n`);
for (let index = 0; index < clients; index += 1) write(index, 'Before');
// At the start, a file that was just written may be half of it.
await sleep(500);
const startedAt = performance.now();
const env = { CONFIG_DIR: folder, HOST: '127.0.0.1', PORT: '0' };
const relay = spawn(process.execPath, ['dist/relay.cjs', 'serve'], {
  env,
  stdio: ['ignore', 'pipe', 'ignore'],
});
const line = await new Promise((resolve) => relay.stdout.once('data', (data) => resolve(`${data}`)));
const startMs = performance.now() - startedAt;
const read = (name) => readFileSync(`/proc/${relay.pid}/${name}`, 'utf8');
const [user, system] = read('stat').split(') ')[1].split(' ').slice(11, 13);
const memory = () => Math.round(Number(/VmRSS:\s+(\d+)/.exec(read('status'))[1]) / 1024);
const atStart = memory();
const page = `${/(http:\S+)/.exec(line)[1]}/f/c${clients - 1}/form${forms - 1}`;
const times = [];
for (let round = 0; round < 10; round += 1) {
  await sleep(Math.random() * 1_500);
  const changedAt = performance.now();
  write(clients - 1, `Round ${round}`);
  while (!(await (await fetch(page)).text()).includes(`Round ${round}`)) await sleep(150);
  times.push(Math.round(performance.now() - changedAt));
}
console.log(`${line.trim()} in ${Math.round(startMs)} ms, ${(Number(user) + Number(system)) * 10} ms of CPU`);
console.log(`${atStart} MB, ${memory()} MB after 10 changes, which were live after ${times.join(', ')} ms`);
relay.kill();
rmSync(folder, { recursive: true });
