import { createSocket, type Socket } from 'node:dgram';
import { expect, onTestFinished, test } from 'vitest';
import { createResolve4 } from '../../packages/relay/src/transports/resolve4.ts';

/** A server of the DNS that answers each question with what `answer` makes of it, or not at all. */
async function dnsServer(answer: (question: Buffer) => Buffer | undefined): Promise<string> {
  const socket: Socket = createSocket('udp4');
  onTestFinished(() => void socket.close());
  socket.on('message', (question, { port, address }) => {
    const bytes = answer(question);
    if (bytes) socket.send(bytes, port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return `127.0.0.1:${socket.address().port}`;
}

/** The question again as an answer (RFC 1035, 4.1): `code` is its RCODE, `addresses` its records. */
function reply(question: Buffer, code: number, addresses: readonly string[]): Buffer {
  const end = question.indexOf(0, 12) + 5;
  const head = Buffer.from(question.subarray(0, end));
  head.writeUInt16BE(0x8180 | code, 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt16BE(0, 8);
  head.writeUInt16BE(0, 10);
  const records = addresses.map((address) =>
    Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split('.').map(Number)]),
  );
  return Buffer.concat([head, ...records]);
}

const resolveWith = async (answer: (question: Buffer) => Buffer | undefined, timeoutMs = 5_000) =>
  createResolve4([await dnsServer(answer)])('list.example', timeoutMs);

test('addresses', async () => {
  expect(await resolveWith((question) => reply(question, 0, ['127.1.2.4', '127.0.0.2']))).toEqual([
    '127.1.2.4',
    '127.0.0.2',
  ]);
});

test.each([
  ['there is no such name', 3],
  ['it has no address', 0],
])('none, where %s', async (_, code) => {
  expect(await resolveWith((question) => reply(question, code, []))).toEqual([]);
});

test.each([
  ['refuses', (question: Buffer) => reply(question, 5, [])],
  ['fails', (question: Buffer) => reply(question, 2, [])],
])('a server that %s is no answer', async (_, answer) => {
  await expect(resolveWith(answer)).rejects.toMatchObject({ code: 'dns_failed' });
});

test.each([
  ['says nothing', () => undefined],
  [
    'answers another question',
    (question: Buffer) => reply(Buffer.concat([Buffer.from([1, 2]), question.subarray(2)]), 0, ['127.1.2.4']),
  ],
])('a server that %s is late', async (_, answer) => {
  await expect(resolveWith(answer, 300)).rejects.toMatchObject({ code: 'timed_out' });
});

test('a name that no DNS could know has no address', async () => {
  const resolve4 = createResolve4([await dnsServer(() => undefined)]);
  expect(await resolve4(`${'x'.repeat(64)}.example`, 1_000)).toEqual([]);
});
