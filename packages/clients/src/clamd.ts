import net from 'node:net';
import { ClientError, failures } from '@form-relay/base/client_error';
import { connectionWords } from './failures.ts';
import { connectionFailure } from './socket.ts';

/** A server's address: a TCP port, or a local socket. */
export type SocketAddress = { readonly host: string; readonly port: number } | { readonly path: string };

/** Scans a file for viruses. Rejects with a `ClientError` if there is no verdict. */
export type ScanFile = (task: {
  readonly scanner: SocketAddress;
  readonly bytes: Uint8Array;
  /** For the whole conversation. */
  readonly timeoutMs: number;
}) => Promise<ScanVerdict>;

export type ScanVerdict =
  | { readonly verdict: 'clean' }
  /** `signature`: the scanner's name for what it found. */
  | { readonly verdict: 'infected'; readonly signature: string }
  /** The file is larger than the scanner takes. */
  | { readonly verdict: 'too_large' };

const failed = failures({
  ...connectionWords,
  scan_refused: ({ reply }: { reply: string | undefined }) =>
    `the scanner gave no verdict${reply === undefined ? '' : `: ${reply}`}`,
});

/** Answers are read between pieces: for a file that is too large, clamd answers early and hangs up. */
const pieceBytes = 65_536;

/** An early answer is lost if the system notices the closed connection first. */
const mostTries = 4;

/** A reply is one short line. */
const mostReplyBytes = 4_096;

/** Scans a file with ClamAV's daemon (clamd(8), INSTREAM), without copying the bytes or sending the name. */
export const scanFile: ScanFile = async ({ scanner, bytes, timeoutMs }) => {
  const until = performance.now() + timeoutMs;
  for (let tried = 1; ; tried += 1) {
    try {
      return verdictOf(
        await converse(
          scanner,
          'INSTREAM',
          Math.max(1, Math.ceil(until - performance.now())),
          sending(bytes),
        ),
      );
    } catch (error) {
      const isLost = error instanceof ClientError && error.code === 'closed';
      if (!isLost || tried === mostTries) throw error;
    }
  }
};

const sending = (bytes: Uint8Array) => async (write: Write) => {
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const piece = bytes.subarray(at, at + pieceBytes);
    await write(lengthOf(piece.length));
    await write(piece);
  }
  await write(lengthOf(0));
};

/** Sends clamd a simple command. Rejects with a `ClientError` without an answer. */
export const askClamd = (scanner: SocketAddress, command: 'PING' | 'VERSION', timeoutMs: number) =>
  converse(scanner, command, timeoutMs, async () => {});

export type AskClamd = typeof askClamd;

function lengthOf(length: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  return bytes;
}

function verdictOf(reply: string): ScanVerdict {
  const [, signature] = /: (.+) FOUND$/.exec(reply) ?? [];
  // Beyond its other limits, clamd says OK, or this with AlertExceedsMax.
  if (/size limit exceeded|^Heuristics\.Limits\.Exceeded/i.test(signature ?? reply))
    return { verdict: 'too_large' };
  if (signature !== undefined) return { verdict: 'infected', signature: signature.slice(0, 200) };
  if (reply.endsWith(': OK')) return { verdict: 'clean' };
  throw failed('scan_refused', { reply: /^[\w ,.:()'-]{1,200}$/.test(reply) ? reply : undefined });
}

type Write = (bytes: Uint8Array) => Promise<void>;

/** Sends a command on its own connection and reads up to the reply's NUL. */
function converse(
  scanner: SocketAddress,
  command: string,
  timeoutMs: number,
  send: (write: Write) => Promise<void>,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(scanner);
    let reply = '';
    const timer = setTimeout(() => end(failed('timed_out', { timeoutMs })), timeoutMs);
    const end = (error?: ClientError) => {
      clearTimeout(timer);
      socket.destroy();
      const [line = '', ...rest] = reply.split('\0');
      if (rest.length > 0) resolve(line.trim());
      else reject(error ?? failed('closed', {}));
    };
    socket.on('data', (bytes) => {
      reply += bytes.toString('latin1');
      if (reply.includes('\0')) end();
      else if (reply.length > mostReplyBytes) end(failed('scan_refused', { reply: undefined }));
    });
    socket.on('error', (error) => end(connectionFailure(error)));
    socket.on('close', () => end());
    const write: Write = async (bytes) => {
      await new Promise(setImmediate);
      if (!socket.destroyed) await new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
    };
    socket.once('connect', () => {
      socket.write(`z${command}\0`);
      void send(write);
    });
  });
}
