/** The protocol of ClamAV's daemon (clamd(8)), for `scan.ts`. */

import { once } from 'node:events';
import net from 'node:net';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';

/** Per file; less if the submission has less time left. */
const timeoutMs = 15_000;
/** Far longer than any reply. */
const mostReplyBytes = 4_096;
/** Replies are read between pieces, because clamd closes the connection early if a file is too large. */
const pieceBytes = 65_536;
/** If clamd closes the connection, its reply may be lost. */
const mostTries = 4;

export type Verdict = 'clean' | 'too_large' | { readonly signature: string };

/** systemd and Docker write `unix:` before a path. `undefined` if the text is not an address. */
function connectionTo(address: string): net.NetConnectOpts | undefined {
  const path = /^(?:unix:)?(\/.+)$/.exec(address)?.[1];
  if (path !== undefined) return { path };
  const [, ipv6, name, port] = /^(?:\[([\da-f:.]+)\]|([\w.-]+)):(\d{1,5})$/i.exec(address) ?? [];
  const isPort = Number(port) >= 1 && Number(port) <= 65_535;
  return isPort ? { host: ipv6 ?? name, port: Number(port) } : undefined;
}

/** A daemon at an address. */
export class Clamd {
  readonly connection: net.NetConnectOpts | undefined;

  constructor(readonly address: string) {
    this.connection = connectionTo(address);
  }

  /** Scans a file without sending its name. Rejects without a verdict. */
  async scan(bytes: Uint8Array, signal: AbortSignal): Promise<Verdict> {
    for (let tries = 1; ; tries += 1) {
      const reply = await this.ask('INSTREAM', signal, bytes);
      if (reply !== undefined) return verdictOf(reply);
      if (tries === mostTries) throw new Error('the server hung up without a verdict');
    }
  }

  /** Sends a command on a new connection. Resolves with `undefined` if clamd closes it without a reply. */
  async ask(command: string, signal: AbortSignal, file?: Uint8Array): Promise<string | undefined> {
    const socket = net.connect({ ...(this.connection as net.NetConnectOpts), signal });
    const timer = setTimeout(() => socket.destroy(new Error('no answer in time')), timeoutMs);
    let reply = '';
    let isAllMade = false;
    let isEarly = false;
    const whole = () => {
      isAllMade = true;
    };
    socket.on('data', (bytes) => {
      reply += bytes.toString('latin1');
      isEarly ||= !isAllMade || socket.writableLength > 0;
      if (reply.includes('\0') || reply.length > mostReplyBytes) socket.destroy();
    });
    const closed = once(socket, 'close').catch((error: NodeJS.ErrnoException) => {
      if (!reply.includes('\0') && !isHangUp(error)) throw error;
    });
    Readable.from(request(command, file, whole)).pipe(socket, { end: false });
    await closed.finally(() => clearTimeout(timer));
    const [line, ...rest] = reply.split('\0');
    if (isEarly && line?.endsWith(': OK'))
      throw new Error('clamd answered OK before the whole file was sent');
    return rest.length > 0 ? line?.trim() : undefined;
  }
}

/** A file is sent in pieces, each preceded by its length, with an empty piece at the end. `whole` is called before that. */
async function* request(command: string, file: Uint8Array | undefined, whole: () => void) {
  yield `z${command}\0`;
  if (!file) return;
  for (let at = 0; at < file.length; at += pieceBytes) {
    const piece = file.subarray(at, at + pieceBytes);
    yield lengthOf(piece);
    yield piece;
    await setImmediate();
  }
  whole();
  yield lengthOf([]);
}

function lengthOf({ length }: ArrayLike<number>): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  return bytes;
}

const isHangUp = ({ code }: NodeJS.ErrnoException) => code === 'ECONNRESET' || code === 'EPIPE';

function verdictOf(reply: string): Verdict {
  const [, signature] = /: (.+) FOUND$/.exec(reply) ?? [];
  // When other limits are exceeded, clamd says OK, or this with AlertExceedsMax.
  if (/size limit exceeded|^Heuristics\.Limits\.Exceeded/i.test(signature ?? reply)) return 'too_large';
  if (signature !== undefined) return { signature: signature.slice(0, 200) };
  if (reply.endsWith(': OK')) return 'clean';
  throw new Error(/^[\w ,.:()'-]{1,200}$/.test(reply) ? reply : 'the response is not a verdict');
}

/** Why there is no verdict. */
export function reasonOf(error: unknown): string {
  const { code, name, message } = error as NodeJS.ErrnoException;
  if (name === 'AbortError') return 'no answer in time';
  return code ?? message;
}
