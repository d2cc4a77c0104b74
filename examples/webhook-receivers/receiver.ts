import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';

const key = Buffer.from((process.env.WEBHOOK_SECRET ?? '').replace('whsec_', ''), 'base64');
if (key.length < 24) throw new Error('WEBHOOK_SECRET is not set');

function isGenuine(headers: IncomingHttpHeaders, body: Buffer): boolean {
  const [id, sentAt, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    String(headers[`webhook-${name}`]),
  );
  if (!(Math.abs(Date.now() / 1000 - Number(sentAt)) <= 300)) return false;
  const hmac = createHmac('sha256', key).update(`${id}.${sentAt}.`).update(body).digest('base64');
  const expected = Buffer.from(`v1,${hmac}`);
  return String(signatures)
    .split(' ')
    .some((one) => {
      const given = Buffer.from(one);
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
}

createServer(async (request, response) => {
  const body = await buffer(request);
  response.writeHead(isGenuine(request.headers, body) ? 204 : 401).end();
}).listen(Number(process.env.PORT), '127.0.0.1');
