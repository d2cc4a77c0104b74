/** Attacks at the wire level: raw bytes to a running relay, and its answers. */
import net from 'node:net';
import { contact } from '../support/index.ts';
import type { TestRelay, TestRelayOptions } from '../support/relay.ts';

export const urlencoded = 'application/x-www-form-urlencoded';

const portOf = ({ origin }: Pick<TestRelay, 'origin'>) => Number(new URL(origin).port);

/** A new connection that records everything received, one character per byte. */
export function connect(relay: Pick<TestRelay, 'origin'>) {
  const socket = net.connect(portOf(relay), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const wire = { socket, received: '', closed };
  // After refusing, the relay closes connections that continue to send.
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    wire.received += chunk.toString('latin1');
  });
  return wire;
}

/** A relay whose output waits for a command before it answers. */
export async function heldRelay(fields: string, { effects, ...options }: TestRelayOptions) {
  const waiting: (() => void)[] = [];
  let isHeld = false;
  const http = async () => {
    if (isHeld) await new Promise<void>((resolve) => waiting.push(resolve));
    return { status: 200, headers: {}, body: '' };
  };
  const relay = await contact({ fields, ...options, effects: { http, ...effects } });
  return {
    ...relay,
    /** How many deliveries wait for `release`. */
    underWay: () => waiting.length,
    hold: () => {
      isHeld = true;
    },
    release: () => {
      isHeld = false;
      for (const go of waiting.splice(0)) go();
    },
  };
}

/** Writes bytes, one per character, and waits until the relay closes the connection. */
export async function exchange(relay: Pick<TestRelay, 'origin'>, bytes: string | Buffer): Promise<string> {
  const wire = connect(relay);
  wire.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  await wire.closed;
  return wire.received;
}

/** The answers on a connection in order, split by Content-Length. */
export function answersIn(
  received: string,
): { readonly status: number; readonly head: string; readonly body: string }[] {
  const answers = [];
  let rest = received;
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n');
    const head = rest.slice(0, end);
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
    if (end < 0 || Number.isNaN(status)) throw new Error(`this is no answer: ${rest.slice(0, 200)}`);
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
    const body = rest.slice(end + 4, end + 4 + length);
    answers.push({ status, head, body });
    rest = rest.slice(end + 4 + length);
  }
  return answers;
}

/** The head of a POST to the form `contact`, with additional header lines. */
export const postHead = (...lines: readonly string[]) =>
  [
    'POST /api/v1/submit/contact HTTP/1.1',
    'Host: forms.test',
    `Content-Type: ${urlencoded}`,
    ...lines,
    '',
    '',
  ].join('\r\n');

/** A POST that would be delivered if it were ever treated as a separate request. */
export const smuggled = `${postHead('Content-Length: 13', 'Connection: close')}name=smuggled`;

export const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
