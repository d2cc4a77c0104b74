/** Attacks go over the wire: raw bytes to a relay that runs, and back. */
import net from 'node:net';
import type { TestRelay } from '../support/relay.ts';

export const urlencoded = 'application/x-www-form-urlencoded';

const portOf = ({ origin }: Pick<TestRelay, 'origin'>) => Number(new URL(origin).port);

/** A connection of one's own, with everything that came back on it, one character a byte. */
export function connect(relay: Pick<TestRelay, 'origin'>) {
  const socket = net.connect(portOf(relay), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const wire = { socket, received: '', closed };
  // A relay that refuses cuts off whoever goes on sending.
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    wire.received += chunk.toString('latin1');
  });
  return wire;
}

/** Writes bytes, one a character, and waits until the relay ends the connection. */
export async function exchange(relay: Pick<TestRelay, 'origin'>, bytes: string | Buffer): Promise<string> {
  const wire = connect(relay);
  wire.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  await wire.closed;
  return wire.received;
}

/** The answers on a connection, one after the other, by their Content-Length. */
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

/** The head of a post to the form `contact`, with further header lines, up to the body. */
export const postHead = (...lines: readonly string[]) =>
  [
    'POST /api/v1/submit/contact HTTP/1.1',
    'Host: forms.test',
    `Content-Type: ${urlencoded}`,
    ...lines,
    '',
    '',
  ].join('\r\n');

/** A post that would be delivered, if it ever counted as a request of its own. */
export const smuggled = `${postHead('Content-Length: 13', 'Connection: close')}name=smuggled`;

export const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
