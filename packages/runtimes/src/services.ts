import { randomFillSync } from 'node:crypto';
import { constants, openSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { lazy, once } from '@form-relay/base/maybe_promise';
import { readTextFile } from '@form-relay/base/text_file';
import type { Services } from '@form-relay/core/services';
import { awsServices } from './aws_services.ts';
import { lineForPeople } from './log_line.ts';
import type { OpenRuntime } from './relay.ts';

/** The services of a Node.js process. Loads a client when it is first used, to keep cold starts short. */
export const openNode: OpenRuntime = ({ now, env, smtpEhloName: ehloName, logFormat }) => {
  const ownHttp = once(async () => (await import('@form-relay/clients/http/http_client')).createHttpClient());
  const http = lazy(ownHttp);
  const smtp = lazy(async () =>
    (await import('@form-relay/clients/smtp/smtp_client')).createSmtpClient({ now, ehloName }),
  );
  const aws: Services['aws'] = once(async () =>
    (await import('@form-relay/clients/aws/account')).ownAws(env, now, (await ownHttp()).bytes),
  );
  return {
    services: {
      now,
      env,
      uuid: createUuids(),
      repeat,
      http,
      smtp,
      readFile: readTextFile,
      ...awsServices(aws),
    },
    writeLog: writeStderr,
    formatLog: (logFormat ?? (isatty(2) ? 'text' : 'json')) === 'json' ? undefined : lineForPeople,
    close: async () => {
      await http.value()?.close();
      smtp.value()?.close();
    },
  };
};

function repeat(ms: number, work: () => void): () => void {
  const timer = setInterval(work, ms);
  timer.unref();
  return () => clearInterval(timer);
}

let stderr: number | undefined;

/** Writes to stderr without `process.stderr`, whose `write` would buffer everything in memory. */
function writeStderr(bytes: Buffer): number {
  try {
    // Reading `process.stderr` makes a pipe or a socket non-blocking.
    stderr ??= process.stderr.isTTY ? openTerminal() : 2;
    return writeSync(stderr, bytes);
  } catch {
    return 0;
  }
}

/** A terminal is blocking, and Ctrl-S would stop the relay, so it is reopened if possible. */
function openTerminal(): number {
  try {
    return openSync('/proc/self/fd/2', constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return 2;
  }
}

const mostAtOnce = 128;

const hexDigits = Buffer.from('0123456789abcdef');

/**
 * Creates random UUIDs (RFC 9562, version 4). Writes many at once as bytes, because `randomUUID` joins each
 * from 20 strings. The first is made separately, because some processes need only one.
 */
export function createUuids(): () => string {
  let count = 1;
  let random: Buffer = Buffer.alloc(0);
  let written: Buffer = Buffer.alloc(0);
  let at = 0;
  const writeMore = () => {
    if (written.length < mostAtOnce * 36) {
      random = Buffer.allocUnsafeSlow(count * 16);
      written = Buffer.allocUnsafeSlow(count * 36);
      count = mostAtOnce;
    }
    randomFillSync(random);
    writeUuids(random, written);
    at = 0;
  };
  return () => {
    if (at === written.length) writeMore();
    at += 36;
    return written.toString('latin1', at - 36, at);
  };
}

function writeUuids(random: Buffer, written: Buffer): void {
  let at = 0;
  for (let i = 0; i < random.length; i += 1) {
    const place = i % 16;
    let byte = random[i] as number;
    if (place === 6) byte = (byte & 0x0f) | 0x40;
    else if (place === 8) byte = (byte & 0x3f) | 0x80;
    if (place === 4 || place === 6 || place === 8 || place === 10) {
      written[at] = dash;
      at += 1;
    }
    written[at] = hexDigits[byte >> 4] as number;
    written[at + 1] = hexDigits[byte & 0xf] as number;
    at += 2;
  }
}

const dash = 0x2d;
