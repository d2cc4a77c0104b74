/**
 * Compares this build with another: both libraries in one process, with the same configs, requests, clock and
 * randomness, and every byte of their answers and deliveries.
 * npm run compare -- v0.2.0 --exchanges 30000 --seed 1 --show 10 --whole
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { tempFolder } from '../../scripts/machine.ts';
import { listen } from '../../test/support/listen.ts';
import { startSmtpSink } from '../bench/smtp_sink.ts';
import { chances, configOf, type Exchange, exchangeOf, pieces } from './generate.ts';

type Library = typeof import('../../packages/runtimes/src/index.ts');

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    exchanges: { type: 'string', default: '30000' },
    seed: { type: 'string', default: '1' },
    show: { type: 'string', default: '10' },
    whole: { type: 'boolean', default: false },
  },
});
const perConfig = 10;
const now = Date.UTC(2026, 5, 1, 12);

const work = tempFolder('compare');

/** A built checkout, or a commit of this repository, which is built first. Default: the last tag. */
function otherBuild(given?: string): string {
  if (given && existsSync(join(given, 'dist/index.mjs'))) return resolve(given);
  const commit =
    given ?? execFileSync('git', ['describe', '--tags', '--abbrev=0'], { encoding: 'utf8' }).trim();
  execFileSync('git', ['clone', '--quiet', '.', work]);
  execFileSync('git', ['checkout', '--quiet', commit], { cwd: work });
  execFileSync(process.execPath, ['scripts/setup.mjs'], {
    cwd: work,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return work;
}

/** Deliveries since the list was last emptied, one line each. */
const delivered: string[] = [];

const http = createHttpServer(async (incoming, response) => {
  const { method, url = '', rawHeaders, socket } = incoming;
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  delivered.push([method, url, ...rawHeaders, Buffer.concat(chunks).toString('latin1')].join('\n'));
  const raw = pieces.answers[url.slice(1)];
  if (raw === undefined) response.end('ok');
  else socket.end(raw, 'latin1');
});

// QUIT is ignored, because the previous build may close its connection later.
const smtp = await startSmtpSink((kind, text) => kind !== 'QUIT' && delivered.push(`smtp ${text}`));
const sinks = { http: `http://127.0.0.1:${await listen(http)}`, smtp: smtp.port };

/** Returns the whole answer as received, without the server's `Date`. */
const send = (port: number, { method, path, headers, body }: Exchange) =>
  new Promise<string>((done, failed) => {
    const socket = connect(port, '127.0.0.1').setEncoding('latin1');
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk)).on('error', failed);
    socket.on('close', () => done(answer.replace(/^Date: .*\r\n/im, '')));
    const lines = Object.entries({
      Host: 'relay.example',
      Connection: 'close',
      'Content-Length': Buffer.byteLength(body, 'latin1'),
      ...headers,
    });
    socket.write(
      `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
      'latin1',
    );
  });

/** Answers, deliveries and log events of a build, for each exchange. */
async function run(
  { createRelay, createNodeServer, closeServer }: Library,
  seed: number,
  number: number,
): Promise<string[]> {
  const { next } = chances(seed, number, 0);
  let ids = 0;
  let logged: string[] = [];
  let clock = now;
  const relay = createRelay({
    config: configOf(seed, number, sinks),
    env: {
      FORM_TOKEN_SECRET: 'a secret of many characters',
      THROTTLE_RATE_LIMIT: '100000',
      THROTTLE_BURST_LIMIT: '100000',
      SECRET: 'xyz',
    },
    services: {
      now: () => clock,
      random: next,
      uuid: () => {
        ids += 1;
        return `00000000-0000-4000-8000-${String(ids).padStart(12, '0')}`;
      },
      sleep: async () => {},
      log: (level, event, fields) =>
        void logged.push(
          `${level} ${event} ${Object.keys(fields ?? {})
            .toSorted()
            .join(' ')}`,
        ),
    },
  });
  const server = createNodeServer(relay.handle, { log: relay.services.log, limits: relay.settings });
  const port = await listen(server);
  const done: string[] = [];
  let token = '';
  for (let nth = 0; nth < perConfig; nth += 1) {
    delivered.length = 0;
    logged = [];
    ids = 1_000 * nth;
    if (nth === 1)
      token =
        /value="([^"]+)"/.exec(
          await send(port, { method: 'GET', path: '/api/v1/token/contact', headers: {}, body: '' }),
        )?.[1] ?? '';
    clock += 3_000;
    const answer = await send(port, exchangeOf(seed, number, nth, token));
    done.push([answer, ...delivered.toSorted(), ...logged.toSorted()].join('\n--\n'));
  }
  await closeServer(server, 1_000, 0);
  await relay.close();
  return done;
}

const folder = otherBuild(positionals[0]);
const [own, other]: Library[] = await Promise.all([
  import(resolve('dist/index.mjs')),
  import(join(folder, 'dist/index.mjs')),
]);
const seed = Number(options.seed);
let differences = 0;
let exchanges = 0;
/** By status, to check that the exchanges cover enough. */
const statuses = new Map<string, number>();
for (let number = 0; exchanges < Number(options.exchanges); number += 1, exchanges += perConfig) {
  const [ours, theirs] = [await run(own, seed, number), await run(other, seed, number)];
  for (const [nth, one] of ours.entries()) {
    const status = one.slice(9, 12);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (one === theirs[nth]) continue;
    differences += 1;
    if (differences > Number(options.show)) continue;
    const [request, before] = [exchangeOf(seed, number, nth, ''), theirs[nth] ?? ''];
    console.log(
      `== config ${number}, exchange ${nth}: ${request.method} ${request.path} ${JSON.stringify(request.headers)}`,
    );
    if (options.whole) console.log(`${configOf(seed, number, sinks)}\n${request.body}\n`);
    const [lines, linesBefore] = [one.split('\n'), before.split('\n')];
    for (const line of linesBefore) if (!lines.includes(line)) console.log(`- ${line.slice(0, 300)}`);
    for (const line of lines) if (!linesBefore.includes(line)) console.log(`+ ${line.slice(0, 300)}`);
  }
}
console.log([...statuses].map(([status, count]) => `${status}: ${count}`).join(', '));
console.log(`${exchanges} exchanges, ${differences} differ`);
http.close();
http.closeAllConnections();
smtp.close();
process.exitCode = differences > 0 ? 1 : 0;
