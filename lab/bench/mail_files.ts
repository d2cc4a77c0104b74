/**
 * What it takes to send a file of 5 MB in a mail, beside a bare client that puts the same bytes together, beside one that
 * got them ready, and beside nodemailer: CPU time of the sender, and the memory that many at once take.
 *
 *   npx tsx lab/bench/mail_files.ts
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { createTransport } from 'nodemailer';
import type { SmtpMessage } from '../../packages/relay/src/base/effects.ts';
import { wholeOf } from '../../packages/relay/src/base/streamed.ts';
import { composeMail } from '../../packages/relay/src/transports/mail/compose.ts';
import { createSmtpClient } from '../../packages/relay/src/transports/smtp/smtp_client.ts';
import { middle, pinThisProcess, spawnNode } from './process.ts';

const rounds = 15;
const mails = 20;
const underWay = 4;
const many = 12;
const mb = 1_048_576;

const isPinned = pinThisProcess();
const sink = spawnNode(['lab/bench/mail_sink.cjs'], {}, isPinned);
const [line] = await once(createInterface({ input: sink.stdout }), 'line');
const port = Number(line);

const file = { name: 'plan.pdf', type: 'application/pdf', bytes: randomBytes(5 * mb) };
const message: SmtpMessage = {
  host: '127.0.0.1',
  port,
  tls: 'opportunistic',
  from: 'relay@forms.example',
  to: ['office@firm.example'],
  subject: 'Form submission: contact',
  text: 'name=Ada\nplan=plan.pdf (5 MB)\n',
  attachments: [file],
  messageId: 'b7-0@forms.example',
  date: 0,
  timeoutMs: 60_000,
};
const key = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
const pem = key.export({ type: 'pkcs8', format: 'pem' }).toString();
const dkim = { domain: 'forms.example', selector: 's1', key: pem };

const { source, rest } = await composeMail(message);
const files = rest ? wholeOf(rest) : Buffer.alloc(0);
const ready = Buffer.concat([Buffer.from(source), files, Buffer.from('.\r\n')]);
const base64At = files.indexOf('\r\n\r\n') + 4;
const beforeFile = source + files.toString('latin1', 0, base64At);
const afterFile = `${files.toString('latin1', files.lastIndexOf('--==_'))}.\r\n`;

/** The envelope at once, then the mail, over connections that stay. */
function bare(make: () => string | Buffer): () => Promise<void> {
  const resting: Socket[] = [];
  const reply = async (socket: Socket, code: string) => {
    const [chunk] = await once(socket, 'data');
    const last = String(chunk).trimEnd().split('\r\n').at(-1) ?? '';
    if (!last.startsWith(code)) return reply(socket, code);
  };
  const open = async () => {
    const socket = connect(port, '127.0.0.1').setNoDelay(true);
    await reply(socket, '220');
    socket.write('EHLO localhost\r\n');
    await reply(socket, '250 SIZE');
    return socket;
  };
  return async () => {
    const socket = resting.pop() ?? (await open());
    socket.write('MAIL FROM:<relay@forms.example>\r\nRCPT TO:<office@firm.example>\r\nDATA\r\n');
    await reply(socket, '354');
    socket.write(make(), 'latin1');
    await reply(socket, '250');
    resting.push(socket);
  };
}

const byHand = () => beforeFile + file.bytes.toString('base64').replace(/.{1,76}/g, '$&\r\n') + afterFile;

function nodemailer(): () => Promise<unknown> {
  const transport = createTransport({ host: '127.0.0.1', port, pool: true });
  const { from, to, subject, text } = message;
  const attachments = [{ filename: file.name, content: file.bytes }];
  return () => transport.sendMail({ from, to: [...to] as string[], subject, text, attachments } as object);
}

function relay(more: Partial<SmtpMessage> = {}): () => Promise<unknown> {
  const send = createSmtpClient();
  return () => send({ ...message, ...more });
}

const senders = {
  'bare, put together': bare(byHand),
  'bare, ready': bare(() => ready),
  relay: relay(),
  'relay, signed': relay({ dkim }),
  nodemailer: nodemailer(),
};

/** CPU milliseconds for each mail. */
async function cpuMs(send: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  let left = mails;
  const one = async () => {
    while (left > 0) {
      left -= 1;
      await send();
    }
  };
  await Promise.all(Array.from({ length: underWay }, one));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / mails;
}

console.log(
  `A file of 5 MB in a mail: Node ${process.version}, ${underWay} under way, medians of ${rounds} rounds`,
);
if (!isPinned) console.log('NOT pinned: taskset is missing.');
// First, while the process is as small as it was.
const sendOne = senders.relay;
await sendOne();
const rssBefore = process.memoryUsage.rss();
let peak = rssBefore;
const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5);
for (let turn = 0; turn < 3; turn += 1) await Promise.all(Array.from({ length: many }, sendOne));
clearInterval(timer);
console.log(`${many} at once: ${Math.round((peak - rssBefore) / mb)} MB more at the peak`);

const entries = Object.entries(senders).map(([name, send]) => ({ name, send, ms: [] as number[] }));
for (const { send } of entries) await cpuMs(send);
for (let round = 0; round < rounds; round += 1) {
  for (const { send, ms } of entries) ms.push(await cpuMs(send));
}
const times = (ms: readonly number[], base: number) =>
  middle(ms.map((one, round) => one / (entries[base]?.ms[round] ?? Number.NaN))).toFixed(2);
console.table(
  Object.fromEntries(
    entries.map(({ name, ms }) => [
      name,
      { 'CPU ms': middle(ms).toFixed(1), 'times put together': times(ms, 0), 'times ready': times(ms, 1) },
    ]),
  ),
);
process.exit();
