/**
 * How many mails a second the relay sends: forms in over HTTP, mails out over SMTP. Beside it, on the same core, in
 * turn: a bare SMTP client, the same behind a bare HTTP server, and nodemailer as its manual begins.
 *
 *   node scripts/setup.mjs && npx tsx lab/bench/smtp.ts
 */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { startByHand } from './by_hand.ts';
import { load } from './load.ts';
import { type Child, cpuSeconds, middle, pinThisProcess, spawnNode } from './process.ts';
import { startSmtpSink } from './smtp_sink.ts';
import { environment, formWith, request } from './submission.ts';

const rounds = Number(process.env.ROUNDS ?? 9);
const seconds = 2;
const underWay = 32;
const before = process.env.BEFORE;

const isPinned = pinThisProcess();
const sink = await startSmtpSink();

interface Result {
  readonly rate: number;
  readonly cpuUs: number;
  /** Where something asked over HTTP. */
  readonly p99Ms?: number;
}

const plain = { mapping: '*' };
const asHtml = { html: true, intro: 'Somebody wrote:', footer: 'Sent by the website.' };

/** What is compared, with the first. */
const senders = [
  client('raw client', 'raw'),
  await server('HTTP and raw client', start(['lab/bench/mail_clients.cjs', 'raw', String(sink.port)], {})),
  await relay('relay', plain),
  await relay('relay, HTML mails', asHtml),
  // Another build of the relay, to see what a change costs.
  ...(before
    ? [await relay('before', plain, before), await relay('before, HTML mails', asHtml, before)]
    : []),
  client('nodemailer', 'nodemailer'),
  ...(await Promise.all(
    startByHand(['smtp', String(sink.port)], isPinned).map(([name, child]) => server(name, child)),
  )),
];
for (const { run } of senders) await run();
for (let round = 0; round < rounds; round += 1) {
  for (const { run, results } of senders) results.push(await run());
}

console.log(
  `Node ${process.version}, ${underWay} mails under way, medians of ${rounds} rounds of ${seconds} s`,
);
console.log(isPinned ? 'Sender on one core, load and sink on another.' : 'NOT pinned: taskset is missing.');
console.table(
  Object.fromEntries(
    senders.map(({ name, results }) => {
      const ratio = (read: (result: Result) => number) =>
        middle(results.map((result, round) => read(result) / read(senders[0]?.results[round] as Result)));
      const row = {
        'mails/s': Math.round(middle(results.map(({ rate }) => rate))),
        ratio: ratio(({ rate }) => rate).toFixed(3),
        'CPU µs/mail': Math.round(middle(results.map(({ cpuUs }) => cpuUs))),
        'CPU ratio': (1 / ratio(({ cpuUs }) => cpuUs)).toFixed(3),
        'p99 ms': results[0]?.p99Ms ? middle(results.map(({ p99Ms = 0 }) => p99Ms)).toFixed(1) : '',
      };
      return [name, row];
    }),
  ),
);
for (const { stop } of senders) stop();
sink.close();

/** The built relay, with one mail output. */
function relay(name: string, keys: object, build = 'dist') {
  const output = {
    type: 'smtp',
    host: '127.0.0.1',
    port: sink.port,
    from: 'relay@forms.example',
    to: 'office@firm.example',
    reply_to: '{{ .fields.email }}',
    ...keys,
  };
  const config = `forms:\n  contact:${formWith(output)}`;
  return server(name, start([`${build}/relay.cjs`, 'serve'], { ...environment, CONFIG_INLINE: config }));
}

function start(args: readonly string[], env: NodeJS.ProcessEnv): Child {
  return spawnNode(args, env, isPinned);
}

/** Sends by itself, in a process that lives for a round. Its start does not count. */
function client(name: string, kind: 'raw' | 'nodemailer') {
  const args = ['lab/bench/mail_clients.cjs', kind, String(sink.port), String(seconds), String(underWay)];
  const run = async (): Promise<Result> => {
    const child = spawnNode(args, {}, isPinned);
    const [report] = await once(createInterface({ input: child.stdout }), 'line');
    const { mails, seconds: took, cpuSeconds } = JSON.parse(report);
    return { rate: mails / took, cpuUs: (cpuSeconds / mails) * 1e6 };
  };
  return { name, run, stop: () => {}, results: [] as Result[] };
}

/** Sends a mail for each request. An answer other than 200, or a mail that the sink did not see, ends the bench. */
async function server(name: string, child: Child) {
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const [origin = ''] = /http:\/\/[\w.]+:\d+/.exec(line) ?? [];
  const run = async (): Promise<Result> => {
    const mailsBefore = sink.received;
    const cpuBefore = cpuSeconds(child);
    const {
      answers,
      failures,
      seconds: took,
      p99Ms,
    } = await load(origin, request, { connections: underWay, seconds });
    const cpu = cpuSeconds(child) - cpuBefore;
    const mails = sink.received - mailsBefore;
    if (failures > 0 || mails !== answers) {
      throw new Error(`${name}: ${answers} answers, ${failures} failures, ${mails} mails at the sink`);
    }
    return { rate: mails / took, cpuUs: (cpu / mails) * 1e6, p99Ms };
  };
  return { name, run, stop: () => child.kill(), results: [] as Result[] };
}
