/**
 * How many mails a second the relay sends: forms in over HTTP, mails out over SMTP. Beside it, on the same core, in
 * turn: a bare SMTP client, the same behind a bare HTTP server, and nodemailer as its manual begins.
 */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { startByHand } from './by_hand.ts';
import { type Contestant, compare, server } from './compare.ts';
import { type Child, spawnNode } from './process.ts';
import { startSmtpSink } from './smtp_sink.ts';
import { environment, formWith } from './submission.ts';

const sink = await startSmtpSink();
const port = String(sink.port);
const round = { sink, connections: 32, seconds: 2 };
const mailing = (name: string, child: Child) => server(name, child, round);

const plain = { mapping: '*' };
const asHtml = { html: true, intro: 'Somebody wrote:', footer: 'Sent by the website.' };
const { BEFORE } = process.env;

await compare('Mails, 32 under way', [
  client('raw client', 'raw'),
  await mailing('HTTP and raw client', spawnNode(['lab/bench/mail_clients.cjs', 'raw', port], {})),
  await relay('relay', plain),
  await relay('relay, HTML mails', asHtml),
  // Another build of the relay, to see what a change costs.
  ...(BEFORE
    ? [await relay('before', plain, BEFORE), await relay('before, HTML mails', asHtml, BEFORE)]
    : []),
  client('nodemailer', 'nodemailer'),
  ...(await Promise.all(startByHand('smtp', port).map(([name, child]) => mailing(name, child)))),
]);
sink.close();

/** The built relay, with one mail output. */
function relay(name: string, keys: object, build = 'dist') {
  const output = {
    type: 'smtp',
    host: '127.0.0.1',
    port,
    from: 'relay@forms.example',
    to: 'office@firm.example',
    reply_to: '{{ .fields.email }}',
    ...keys,
  };
  const config = `forms:\n  contact:${formWith(output)}`;
  return mailing(name, spawnNode([`${build}/relay.cjs`, 'serve'], { ...environment, CONFIG_INLINE: config }));
}

/** Sends by itself, in a process that lives for a round. Its start does not count. */
function client(name: string, kind: 'raw' | 'nodemailer'): Contestant {
  const args = ['lab/bench/mail_clients.cjs', kind, port, String(round.seconds), String(round.connections)];
  const run = async () => {
    const [report] = await once(createInterface({ input: spawnNode(args, {}).stdout }), 'line');
    const { mails, seconds, cpuSeconds } = JSON.parse(report);
    return { rate: mails / seconds, cpuUs: (cpuSeconds / mails) * 1e6 };
  };
  return { name, run, stop: () => {} };
}
