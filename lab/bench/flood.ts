/**
 * A flood: `npm run flood`. 5,000 submissions a second from 100,000 addresses, behind a proxy that the relay trusts, to one
 * form; meanwhile somebody asks for /healthz 50 times a second, and another form is sent 20 times a second. The aim: 20 ms
 * for 99 of 100 probes, and everything of the other form delivered.
 *
 * As root on Linux, the relay, the flood and the probes are hosts of their own (hosts.ts), whose packets cross no loopback.
 */
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { report } from '../proof/report.ts';
import { type Host, makeNetwork, type Network } from './hosts.ts';
import { load, startSink } from './load.ts';
import { cpuSeconds, peakRssMb, spawnCommand } from './process.ts';
import { environment } from './submission.ts';

const perSecond = 5_000;
const addresses = 100_000;
const warmUpMs = 5_000;
const aimMs = 20;

/** What the flood sends, and what each form has against it. */
const floods: Readonly<
  Record<string, { readonly form: object; readonly head?: string; readonly body: string }>
> = {
  /** What the probes measure anyway, on a machine that has other things to do. */
  none: { form: {}, body: '' },
  'from another origin': {
    form: { origins: ['https://example.com'], rate_limit: '5 per 10m' },
    head: 'Origin: https://evil.example\r\n',
    body: 'name=Ada&message=Hello',
  },
  'more than it may': {
    form: { rate_limit: '1 per 10m', spam: { honeypot: 'website' } },
    body: 'name=Ada&message=Hello&website=x',
  },
  'without a solution': {
    form: {
      rate_limit: '5 per 10m',
      spam: { proof_of_work: true, without_script: 'refuse', behaviour: true, doubt: 'tag' },
    },
    body: 'name=Ada&message=Hello',
  },
};

const here: Host = { address: '127.0.0.1', relayAddress: '127.0.0.1', command: [] };
const loopback: Network<'flood' | 'probe'> = {
  relayCommand: [],
  hosts: { flood: here, probe: here },
  remove: () => undefined,
};

interface Measured {
  readonly healthzP99Ms: number;
  readonly otherP99Ms: number;
  readonly otherDelivered: number;
  readonly otherSent: number;
}

async function measureAll(seconds: number): Promise<void> {
  const made = makeNetwork(['flood', 'probe']);
  process.once('exit', () => made?.remove());
  const network = made ?? loopback;
  const where = made ? 'three hosts (network namespaces)' : 'loopback';
  console.log(`${where}, ${availableParallelism()} cores`);
  const rows: Record<string, Record<string, string | number>> = {};
  let isMet = true;
  for (const name of Object.keys(floods)) {
    const { row, measured } = await measure(name, network, seconds);
    rows[name] = row;
    isMet &&= measured.healthzP99Ms < aimMs && measured.otherDelivered === measured.otherSent;
  }
  console.table(rows);
  const table = Object.entries(rows).map(([flood, row]) => ({ flood, ...row }));
  report({ passed: isMet, conditions: where, tables: { [`${perSecond} submissions a second`]: table } });
  process.exitCode = isMet ? 0 : 1;
}

async function measure(name: string, { relayCommand, hosts }: Network<'flood' | 'probe'>, seconds: number) {
  const form = floods[name]?.form;
  const cores = availableParallelism();
  // The relay has a core of its own. With two, the probes share the other with the flood, and go first.
  const on = (core: number) => ['taskset', '-c', String(core)];
  const [ofRelay, ofFlood, ofProbe] = [on(0), on(1), on(cores - 1)];
  const self = [process.execPath, '--import', 'tsx', fileURLToPath(import.meta.url)];
  const start = (host: Host, ...words: readonly string[]) =>
    spawnCommand([...host.command, ...words], {}, false);
  const first = ['nice', '-n', '-10', ...ofProbe];

  const sinking = start(hosts.probe, ...first, ...self, 'sink', hosts.probe.address);
  const sinkPort = (await lineOf(sinking.stdout)).value;
  const fields = [{ name: 'name', required: true }, { name: 'message' }];
  const outputs = [{ type: 'http_post', url: `http://${hosts.probe.address}:${sinkPort}`, mapping: '*' }];
  const relay = spawnCommand(
    [...relayCommand, ...ofRelay, process.execPath, '--max-semi-space-size=8', 'dist/relay.cjs', 'serve'],
    {
      ...environment,
      HOST: '0.0.0.0',
      CONFIG_INLINE: JSON.stringify({
        forms: { contact: { fields, outputs, ...form }, other: { fields, outputs } },
      }),
      FORM_TOKEN_SECRET: 'a secret that only this bench knows',
      TRUSTED_PROXIES: hosts.flood.address,
    },
    false,
  );
  const port = /http:\/\/\S+:(\d+)/.exec((await lineOf(relay.stdout)).value)?.[1];
  const seenFrom = ({ relayAddress }: Host) => `http://${relayAddress}:${port}`;
  const flooding = start(
    hosts.flood,
    ...ofFlood,
    ...self,
    'flood',
    name,
    seenFrom(hosts.flood),
    String(seconds),
  );
  const said = lines(flooding.stdout);
  await said.next();
  // The first requests meet code that is not compiled yet.
  await setTimeout(warmUpMs);
  const [cpuBefore, startedAt] = [cpuSeconds(relay), performance.now()];
  const probing = start(hosts.probe, ...first, ...self, 'probe', seenFrom(hosts.probe), String(seconds - 6));
  const measured: Measured = JSON.parse((await lineOf(probing.stdout)).value);
  const cpu = ((cpuSeconds(relay) - cpuBefore) * 100_000) / (performance.now() - startedAt);
  const row = {
    'flood a second': (await said.next()).value,
    'healthz p99 ms': measured.healthzP99Ms.toFixed(1),
    'other form p99 ms': measured.otherP99Ms.toFixed(1),
    'other form': `${measured.otherDelivered} of ${measured.otherSent}`,
    'CPU %': Math.round(cpu),
    'RSS MB': peakRssMb(relay),
  };
  for (const child of [relay, sinking]) {
    child.kill();
    await once(child, 'exit');
  }
  return { row, measured };
}

const lines = (stream: NodeJS.ReadableStream) => createInterface(stream)[Symbol.asyncIterator]();
const lineOf = (stream: NodeJS.ReadableStream) => lines(stream).next();

async function sink([address]: readonly string[]): Promise<void> {
  console.log(new URL((await startSink(address)).origin).port);
}

async function probe([origin = '', seconds]: readonly string[]): Promise<void> {
  const get = Buffer.from('GET /healthz HTTP/1.1\r\nhost: relay\r\n\r\n');
  const [health, other] = await Promise.all([
    load(origin, get, { connections: 1, seconds: Number(seconds), perSecond: 50 }),
    load(origin, submission('other', 'name=Ada&message=Hello'), {
      connections: 2,
      seconds: Number(seconds),
      perSecond: 20,
    }),
  ]);
  const measured: Measured = {
    healthzP99Ms: health.p99Ms,
    otherP99Ms: other.p99Ms,
    otherDelivered: other.answers - other.failures,
    otherSent: other.answers,
  };
  console.log(JSON.stringify(measured));
}

async function flood([name = '', origin = '', seconds]: readonly string[]): Promise<void> {
  const { body = '', head = '' } = floods[name] ?? {};
  const from = (n: number) => `X-Forwarded-For: 198.${18 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}\r\n`;
  const made = Array.from({ length: addresses }, (_, n) => submission('contact', body, head + from(n)));
  console.log('started');
  if (name === 'none') {
    await setTimeout(Number(seconds) * 1_000);
    return console.log(0);
  }
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

const [task, ...given] = process.argv.slice(2);
if (task === 'sink') await sink(given);
else if (task === 'flood') await flood(given);
else if (task === 'probe') await probe(given);
else await measureAll(Number(task ?? 30));
