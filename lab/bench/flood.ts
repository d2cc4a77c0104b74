/**
 * Simulates a flood: `npm run flood`. 5,000 submissions a second from 100,000 addresses, behind a trusted
 * proxy, go to one form; meanwhile /healthz is requested 50 times a second, and another form is submitted 20
 * times a second. The aim: 20 ms for 99 of 100 probes, and every submission of the other form delivered.
 */
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readYaml } from '../../scripts/data.ts';
import { load, startSink } from './load.ts';
import { addressOf, cpuSeconds, peakRssMb, spawnCommand } from './process.ts';
import { environment } from './submission.ts';

const perSecond = 5_000;
const addresses = 100_000;
const warmUpMs = 5_000;
const aimMs = 20;

interface Flood {
  readonly form: object;
  readonly head?: string;
  readonly body: string;
}

const floods = readYaml<Readonly<Record<string, Flood>>>(new URL('floods.yaml', import.meta.url));

const [task, ...given] = process.argv.slice(2);
if (task === 'flood') await flood(given);
else await measureAll(Number(task ?? 30));

async function measureAll(seconds: number): Promise<void> {
  const rows: Record<string, object> = {};
  for (const name of Object.keys(floods)) rows[name] = await measure(name, seconds);
  console.table(rows);
  process.exit();
}

/** The relay has a core to itself. With two cores, the probes share the other with the flood. */
async function measure(name: string, seconds: number) {
  const sink = await startSink();
  const fields = [{ name: 'name', required: true }, { name: 'message' }];
  const outputs = [{ type: 'http_post', url: sink.origin, mapping: '*' }];
  const forms = { contact: { fields, outputs, ...floods[name]?.form }, other: { fields, outputs } };
  const relay = spawnCommand(
    ['taskset', '-c', '0', process.execPath, '--max-semi-space-size=8', 'dist/relay.cjs', 'serve'],
    {
      ...environment,
      CONFIG_INLINE: JSON.stringify({ forms }),
      FORM_TOKEN_SECRET: 'a secret that only this bench knows',
      TRUSTED_PROXIES: '127.0.0.1',
    },
  );
  const origin = await addressOf(relay);
  const self = [process.execPath, '--import', 'tsx', fileURLToPath(import.meta.url), 'flood', name, origin];
  const flooding = spawnCommand(
    ['taskset', '-c', String(availableParallelism() - 1), ...self, String(seconds)],
    {},
  );
  const said = createInterface(flooding.stdout)[Symbol.asyncIterator]();
  await said.next();
  // The first requests run code that is not compiled yet.
  await setTimeout(warmUpMs);
  const [cpuBefore, startedAt] = [cpuSeconds(relay), performance.now()];
  const probe = { seconds: seconds - 6 };
  const [health, other] = await Promise.all([
    load(origin, Buffer.from('GET /healthz HTTP/1.1\r\nhost: relay\r\n\r\n'), {
      ...probe,
      connections: 1,
      perSecond: 50,
    }),
    load(origin, submission('other', 'name=Ada&message=Hello'), { ...probe, connections: 2, perSecond: 20 }),
  ]);
  const cpu = ((cpuSeconds(relay) - cpuBefore) * 100_000) / (performance.now() - startedAt);
  if (health.p99Ms >= aimMs || other.failures > 0) process.exitCode = 1;
  const row = {
    'flood a second': (await said.next()).value,
    'healthz p99 ms': health.p99Ms.toFixed(1),
    'other form p99 ms': other.p99Ms.toFixed(1),
    'other form': `${other.answers - other.failures} of ${other.answers}`,
    'CPU %': Math.round(cpu),
    'RSS MB': peakRssMb(relay),
  };
  relay.kill();
  await once(relay, 'exit');
  sink.close();
  return row;
}

async function flood([name = '', origin = '', seconds]: readonly string[]): Promise<void> {
  const { body = '', head = '' } = floods[name] ?? {};
  const from = (n: number) => `X-Forwarded-For: 198.${18 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}\r\n`;
  const made = Array.from({ length: addresses }, (_, n) => submission('contact', body, head + from(n)));
  console.log('started');
  let sent = 0;
  const request = () => made[sent++ % addresses] as Buffer;
  const round = await load(origin, request, { connections: 100, seconds: Number(seconds), perSecond });
  console.log(Math.round(round.answers / round.seconds));
}

function submission(form: string, body: string, head = ''): Buffer {
  return Buffer.from(
    `POST /api/v1/submit/${form} HTTP/1.1\r\nhost: relay\r\ncontent-type: application/x-www-form-urlencoded\r\n${head}content-length: ${body.length}\r\n\r\n${body}`,
  );
}
