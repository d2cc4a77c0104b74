/**
 * How many mails a second the relay sends: forms in over HTTP, mails out over SMTP. Beside it, on the same core, in
 * turn: a bare SMTP client, and nodemailer as its manual begins. These two send and do nothing else; only the relay
 * answers HTTP requests, parses, checks and logs.
 *
 *   node scripts/setup.mjs && npx tsx bench/smtp.ts [relay.cjs]
 */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { load } from './load.ts';
import { type Child, cpuSeconds, middle, peakRssMb, pinThisProcess, spawnNode } from './process.ts';
import { startSmtpSink } from './smtp_sink.ts';

const rounds = 9;
const seconds = 1;
const underWay = 32;

const isPinned = pinThisProcess();
const sink = await startSmtpSink();
const relay = spawnNode(
  [process.argv[2] ?? 'dist/relay.cjs', 'serve'],
  {
    HOST: '127.0.0.1',
    PORT: '0',
    THROTTLE_RATE_LIMIT: '1000000000',
    THROTTLE_BURST_LIMIT: '1000000000',
    CONFIG_INLINE: `
forms:
  contact:
    fields:
      - {name: name, required: true}
      - {name: email, type: email, required: true}
      - {name: company}
      - {name: message, type: textarea, required: true}
    spam: {honeypot: website}
    outputs:
      - type: smtp
        host: 127.0.0.1
        port: ${sink.port}
        from: relay@forms.example
        to: office@firm.example
        reply_to: "{{ .fields.email }}"
        mapping: "*"
`,
  },
  isPinned,
);
const [line] = await once(createInterface({ input: relay.stdout }), 'line');
const [origin = ''] = /http:\/\/[\w.]+:\d+/.exec(line) ?? [];

const body = new URLSearchParams({
  name: 'Ada Lovelace',
  email: 'ada@example.org',
  company: 'Analytical Engines & Co.',
  message: 'The engine weaves algebraic patterns just as the loom weaves flowers and leaves. '.repeat(2),
  website: '',
}).toString();
const request = Buffer.from(
  'POST /api/v1/submit/contact HTTP/1.1\r\nhost: localhost\r\n' +
    `content-type: application/x-www-form-urlencoded\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
);

interface Result {
  readonly rate: number;
  readonly cpuUs: number;
}

/** The first one is what the others are compared with. */
const senders = [
  { name: 'raw client', run: () => client('raw'), results: [] as Result[] },
  { name: 'relay', run: askRelay, results: [] as Result[] },
  { name: 'nodemailer', run: () => client('nodemailer'), results: [] as Result[] },
];
for (const { run } of senders) await run();
for (let round = 0; round < rounds; round += 1) {
  for (const { run, results } of senders) results.push(await run());
}

console.log(
  `Node ${process.version}, ${underWay} mails under way, medians of ${rounds} rounds of ${seconds} s`,
);
console.log(isPinned ? 'Sender on one core, load and sink on another.' : 'NOT pinned: taskset is missing.');
const [first] = senders;
console.table(
  Object.fromEntries(
    senders.map(({ name, results }) => {
      const ratio = (read: (result: Result) => number) =>
        middle(results.map((result, round) => read(result) / read(first?.results[round] as Result)));
      const row = {
        'mails/s': Math.round(middle(results.map(({ rate }) => rate))),
        ratio: ratio(({ rate }) => rate).toFixed(3),
        'CPU µs/mail': Math.round(middle(results.map(({ cpuUs }) => cpuUs))),
        'CPU ratio': (1 / ratio(({ cpuUs }) => cpuUs)).toFixed(3),
      };
      return [name, row];
    }),
  ),
);
console.log(`Peak RSS of the relay: ${peakRssMb(relay)} MB`);
relay.kill();
sink.close();

/** One round of forms. An answer other than 200, or a mail that the sink did not see, ends the bench. */
async function askRelay(): Promise<Result> {
  const result = measure(relay);
  const {
    answers,
    failures,
    seconds: took,
  } = await load(origin, request, { connections: underWay, seconds });
  const { mails, cpu } = result();
  if (failures > 0 || mails !== answers) {
    throw new Error(`${answers} answers, ${failures} failures, ${mails} mails at the sink`);
  }
  return { rate: mails / took, cpuUs: (cpu / mails) * 1e6 };
}

/** One round of a client, in a process of its own; its start does not count. */
async function client(name: string): Promise<Result> {
  const args = ['bench/mail_clients.cjs', name, String(sink.port), String(seconds), String(underWay)];
  const child = spawnNode(args, {}, isPinned);
  const [report] = await once(createInterface({ input: child.stdout }), 'line');
  const { mails, seconds: took, cpuSeconds } = JSON.parse(report);
  return { rate: mails / took, cpuUs: (cpuSeconds / mails) * 1e6 };
}

function measure(child: Child) {
  const mailsBefore = sink.received;
  const cpuBefore = cpuSeconds(child);
  return () => ({ mails: sink.received - mailsBefore, cpu: cpuSeconds(child) - cpuBefore });
}
