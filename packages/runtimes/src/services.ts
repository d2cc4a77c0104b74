import { constants, openSync, writeSync } from 'node:fs';
import { lazy, once } from '@form-relay/base/lazy';
import { readTextFile } from '@form-relay/base/text_file';
import type { Services } from '@form-relay/core/services';
import { awsServices } from './aws_services.ts';
import type { OpenRuntime } from './relay.ts';
import { createUuids } from './uuids.ts';

/** The services of a process of Node.js. Clients are loaded with their first use, for the sake of cold starts. */
export const openNode: OpenRuntime = ({ now, env, smtpEhloName: ehloName }) => {
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

/** A terminal stays blocking, and Ctrl-S would stop the relay, so it is opened again if possible. */
function openTerminal(): number {
  try {
    return openSync('/proc/self/fd/2', constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return 2;
  }
}
