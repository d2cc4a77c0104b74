/**
 * How long `relay serve` takes from the start of its process to its first answer, and its memory at rest 2 s later.
 *
 *   node scripts/setup.mjs && npx tsx lab/bench/serve_start.ts [node ...]
 *
 * Runs on the given Node binaries (default: the one that runs this), beside a bare `node:http` server, in turn: on a busy
 * machine only the ratios say something. With `BEFORE=<the dist folder of another build>` in turn with that. V8's code
 * cache is warm, as after the first start on a machine.
 *
 * The aims: 120 ms, and 55 MB on Node 24.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { cpuMs, middle, rssMb, spawnCommand } from './process.ts';

const rounds = Number(process.env.ROUNDS ?? 15);
const restMs = Number(process.env.REST_MS ?? 2_000);

const dir = mkdtempSync(join(tmpdir(), 'relay-bench-'));
const config = join(dir, 'webform.yaml');
writeFileSync(
  config,
  `
forms:
  contact:
    spam: {honeypot: website}
    fields:
      - {name: name, required: true}
      - {name: email, type: email, required: true}
      - {name: message, type: textarea, required: true}
    outputs:
      - {type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}
`,
);
const bare = join(dir, 'bare.cjs');
writeFileSync(
  bare,
  `const server = require('node:http').createServer((_, response) => response.end('{}'));
   server.listen(0, '127.0.0.1', () => console.log('listens on http://127.0.0.1:' + server.address().port));`,
);

const serve = (dist: string) => [join(dist, 'relay.cjs'), 'serve'];
const cases: Readonly<Record<string, readonly string[]>> = {
  'bare node:http': [bare],
  ...(process.env.BEFORE && { 'relay serve, before': serve(resolve(process.env.BEFORE)) }),
  'relay serve': serve(resolve('dist')),
};

try {
  for (const node of process.argv.length > 2 ? process.argv.slice(2) : [process.execPath]) {
    const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
    const runs = Object.entries(cases).map(([name, words]) => ({
      name,
      words,
      found: [] as Awaited<ReturnType<typeof run>>[],
    }));
    for (const { words } of runs) await run(node, words, 0);
    for (let round = 0; round < rounds; round += 1) {
      for (const { words, found } of runs) found.push(await run(node, words, restMs));
    }
    console.log(`\n${version}, medians of ${rounds} rounds`);
    console.table(
      Object.fromEntries(
        runs.map(({ name, found }) => {
          const of = (key: 'ms' | 'cpu' | 'mb') => Math.round(middle(found.map((one) => one[key])));
          return [name, { 'first answer, ms': of('ms'), 'CPU ms': of('cpu'), 'at rest, MB': of('mb') }];
        }),
      ),
    );
  }
} finally {
  rmSync(dir, { recursive: true });
}

/** A fresh process until its first answer, and its memory after a rest. */
async function run(node: string, words: readonly string[], rest: number) {
  const started = performance.now();
  const child = spawnCommand([node, ...words], { HOST: '127.0.0.1', PORT: '0', RELAY_CONFIG: config }, false);
  const [, port] = await new Promise<RegExpExecArray>((found, fail) => {
    let said = '';
    child.stdout.on('data', (chunk) => {
      said += chunk;
      const line = /http:\/\/[^:]+:(\d+)/.exec(said);
      if (line) found(line);
    });
    child.once('exit', () => fail(new Error(`it ended: ${said}`)));
  });
  const status = await new Promise<number | undefined>((answered, fail) =>
    http
      .get(`http://127.0.0.1:${port}/api/v1/form/contact`, { agent: false }, (response) => {
        response.resume();
        answered(response.statusCode);
      })
      .on('error', fail),
  );
  if (status !== 200) throw new Error(`answered ${status}`);
  const ms = performance.now() - started;
  const cpu = cpuMs(child.pid);
  await new Promise((rested) => setTimeout(rested, rest));
  const mb = rssMb(child);
  const ended = new Promise((end) => child.once('exit', end));
  child.kill();
  await ended;
  return { ms, cpu, mb };
}
