// A relay for one form, written by hand with Fastify, undici and nodemailer. Run by http.ts and smtp.ts:
//   node by_hand.mjs http <sink's origin>   posts each submission to the sink
//   node by_hand.mjs smtp <sink's port>     mails each, over reused connections
import Fastify from 'fastify';
import { createTransport } from 'nodemailer';
import { Pool } from 'undici';

const [, , kind, target] = process.argv;
const fields = [
  { name: 'company' },
  { name: 'email', required: true, email: true },
  { name: 'message', required: true },
  { name: 'name', required: true },
];

const app = Fastify({ bodyLimit: 65_536 });
app.addContentTypeParser(
  'application/x-www-form-urlencoded',
  { parseAs: 'string' },
  (_request, body, done) => {
    done(null, new URLSearchParams(body));
  },
);

app.post('/api/v1/submit/contact', async ({ id, body: form }, reply) => {
  if (form.get('website')) return { message: 'ok' };
  const problem = fields.map((field) => problemOf(field, form.get(field.name) ?? '')).find(Boolean);
  if (problem) return reply.code(422).send({ error: problem });
  const line = { time: new Date().toISOString(), level: 'info', event: 'delivered', request_id: id };
  const startedAt = performance.now();
  try {
    await deliver(
      fields.flatMap(({ name }) => form.getAll(name).map((value) => [name, value])),
      form,
    );
    return { message: 'ok' };
  } catch {
    Object.assign(line, { level: 'error', event: 'delivery_failed' });
    return reply.code(500).send({ error: 'delivery failed' });
  } finally {
    process.stderr.write(`${JSON.stringify({ ...line, ms: Math.round(performance.now() - startedAt) })}\n`);
  }
});

function problemOf({ name, required, email }, value) {
  if (required && value.trim() === '') return `${name} is required`;
  if (Buffer.byteLength(value) > 10_000) return `${name} is too long`;
  return email && value !== '' && !/^[^@\s]+@[^@\s]+$/.test(value) ? `${name} is no address` : undefined;
}

const deliver = kind === 'smtp' ? overSmtp() : overHttp();

function overHttp() {
  const sink = new Pool(target, { connections: 64, headersTimeout: 10_000, bodyTimeout: 10_000 });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return async (entries) => {
    const body = new URLSearchParams(entries).toString();
    const answer = await sink.request({ method: 'POST', path: '/hook', headers, body });
    await answer.body.dump();
    if (answer.statusCode >= 400) throw new Error(`the sink answered ${answer.statusCode}`);
  };
}

function overSmtp() {
  const kept = { pool: true, maxConnections: 20, maxMessages: Number.POSITIVE_INFINITY };
  const mailer = createTransport({ host: '127.0.0.1', port: Number(target), ...kept });
  return (entries, form) =>
    mailer.sendMail({
      from: 'relay@forms.example',
      to: 'office@firm.example',
      replyTo: form.get('email'),
      subject: 'Form submission: contact',
      text: entries.map(([name, value]) => `${name}=${value}\n`).join(''),
    });
}

console.log(await app.listen({ host: '127.0.0.1', port: 0 }));
