/** Measures how many mails per second the relay sends for submissions over HTTP (README.md). */
import { compare, server } from './compare.ts';
import { type Child, spawnNode } from './process.ts';
import { startSmtpSink } from './smtp_sink.ts';
import { environment, formWith } from './submission.ts';

const sink = await startSmtpSink();
const port = String(sink.port);
const mailing = (name: string, child: Child) => server(name, child, { sink, connections: 32, seconds: 2 });

const plain = { mapping: '*' };
const asHtml = { html: true, intro: 'Somebody wrote:', footer: 'Sent by the website.' };
const { BEFORE } = process.env;

await compare('Mails, 32 under way', [
  await mailing('floor', spawnNode(['lab/bench/mail_floor.cjs', port], {})),
  await relay('relay', plain),
  await relay('relay, HTML mails', asHtml),
  // Another build of the relay, to measure the cost of a change.
  ...(BEFORE
    ? [await relay('before', plain, BEFORE), await relay('before, HTML mails', asHtml, BEFORE)]
    : []),
  await mailing('by hand: Fastify and nodemailer', spawnNode(['lab/bench/by_hand.mjs', 'smtp', port], {})),
]);
sink.close();

/** The built relay, with one mail output. */
function relay(name: string, keys: object, build = 'dist') {
  const smtp = { type: 'smtp', host: '127.0.0.1', port, from: 'relay@forms.example' };
  const output = { ...smtp, to: 'office@firm.example', reply_to: '{{ .fields.email }}', ...keys };
  const config = `forms:\n  contact:${formWith(output)}`;
  return mailing(name, spawnNode([`${build}/relay.cjs`, 'serve'], { ...environment, CONFIG_INLINE: config }));
}
