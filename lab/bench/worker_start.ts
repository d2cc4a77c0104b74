/**
 * The cost of a cold start on Cloudflare Workers: what workerd, their runtime, takes from the start of its process to the first
 * answer, in CPU time of all its threads and in elapsed time.
 *
 *   node scripts/setup.mjs && npx tsx lab/bench/worker_start.ts
 *
 * Runs deploy/cloudflare, made one file as Wrangler makes it, beside a Worker that only answers, round about; only the ratios
 * say something.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { resolve } from 'node:path';
import { Miniflare } from 'miniflare';
import { rolldown } from 'rolldown';
import { cpuMs, middle } from './process.ts';

const rounds = Number(process.env.ROUNDS ?? 21);

const bundle = await rolldown({
  input: resolve('deploy/cloudflare/worker.js'),
  external: ['cloudflare:workers', ...builtinModules.map((name) => `node:${name}`)],
  moduleTypes: { '.yaml': 'text' },
  resolve: { alias: { 'form-relay/cloudflare': resolve('dist/cloudflare/index.mjs') } },
  logLevel: 'silent',
});
const [relay] = (await bundle.generate({ format: 'esm', minify: true, codeSplitting: false })).output;

const cases = {
  'an empty Worker': `export class Counts {}; export default { fetch: () => new Response('{}') };`,
  'a form shown': relay.code,
};

const results = Object.values(cases).map(() => [] as { cpu: number; ms: number }[]);
for (let round = 0; round < rounds; round += 1) {
  for (const [index, code] of Object.values(cases).entries()) results[index]?.push(await start(code));
}
const [floor] = results.map((runs) => ({
  cpu: middle(runs.map(({ cpu }) => cpu)),
  ms: middle(runs.map(({ ms }) => ms)),
}));
console.table(
  Object.fromEntries(
    results.map((runs, index) => {
      const [cpu, ms] = [middle(runs.map((one) => one.cpu)), middle(runs.map((one) => one.ms))];
      const ratios = {
        'x CPU': (cpu / (floor?.cpu ?? 1)).toFixed(2),
        'x ms': (ms / (floor?.ms ?? 1)).toFixed(2),
      };
      return [Object.keys(cases)[index], { 'CPU ms': Math.round(cpu), ms: Math.round(ms), ...ratios }];
    }),
  ),
);

async function start(code: string): Promise<{ cpu: number; ms: number }> {
  const began = performance.now();
  const worker = new Miniflare({
    modules: [{ type: 'ESModule', path: 'worker.mjs', contents: code }],
    compatibilityDate: '2026-04-01',
    compatibilityFlags: ['nodejs_compat'],
    queueProducers: { KEPT: 'kept', ASIDE: 'aside' },
    durableObjects: { COUNTS: { className: 'Counts', useSQLite: true } },
    handleRuntimeStdio: () => {},
  });
  const answer = await worker.dispatchFetch('http://relay.test/api/v1/form/contact');
  await answer.text();
  if (answer.status !== 200) throw new Error(`the Worker answered ${answer.status}`);
  const ms = performance.now() - began;
  const cpu = cpuOfWorkerd();
  await worker.dispose();
  return { cpu, ms };
}

/** The CPU time of this process's child, in milliseconds. */
function cpuOfWorkerd(): number {
  const isOurs = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/status`, 'utf8').includes(`PPid:\t${process.pid}\n`);
    } catch {
      // It has ended meanwhile.
      return false;
    }
  };
  const isWorkerd = (pid: string) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('workerd');
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isOurs(name) && isWorkerd(name));
  return pids.reduce((sum, pid) => sum + cpuMs(Number(pid)), 0);
}
