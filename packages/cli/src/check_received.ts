import { buffer as readAll } from 'node:stream/consumers';
import { readSecret } from '@form-relay/clients/webhook/secret';
import { ClientError } from '@form-relay/core/base/client_error';
import { printable } from '@form-relay/core/config/excerpt';
import { CommandFailed } from './command_failed.ts';
import { readBytes } from './load_config.ts';
import { colour } from './terminal.ts';
import { checkWebhook } from './webhook/check_webhook.ts';
import { readRequest } from './webhook/received_request.ts';
import { instant, webhookWords } from './webhook/webhook_words.ts';

export interface CheckReceivedOptions {
  /** The variable with the secret. */
  readonly secretEnv: string;
  readonly toleranceMs: number;
  /** When it was received. Default: now. */
  readonly at?: number;
  readonly anyAge?: boolean;
}

/** Tells whether a request that somebody kept is signed by who has the secret; `-` for stdin. */
export async function checkReceived(
  file: string,
  { secretEnv, toleranceMs, at = Date.now(), anyAge = false }: CheckReceivedOptions,
): Promise<void> {
  const key = keyFrom(secretEnv);
  if (file === '-' && process.stdin.isTTY)
    process.stderr.write('Paste the request: its headers, an empty line, its body. Then press Ctrl-D.\n');
  const request = readRequest(file === '-' ? await readAll(process.stdin) : await readBytes(file));
  const name = file === '-' ? 'stdin' : file;
  if (!request.ok) throw new CommandFailed(`${name}: ${request.error}`);
  const { id, sentAt, problems } = checkWebhook(request.value, {
    key,
    at: anyAge ? undefined : at,
    toleranceMs,
  });
  if (problems.length > 0)
    throw new CommandFailed(
      problems.map((problem) => `${name}: ${webhookWords(problem, secretEnv)}`).join('\n'),
    );
  process.stdout.write(
    `${colour('green', 'valid', process.stdout)}: ${printable(id)}, sent ${instant(sentAt)}\n`,
  );
}

function keyFrom(variable: string): Buffer {
  const secret = process.env[variable] ?? '';
  if (secret === '')
    throw new CommandFailed(
      `${variable} is not set; set it to the sender's secret, or name another variable with --secret-env`,
    );
  try {
    return readSecret(secret, variable);
  } catch (error) {
    if (error instanceof ClientError) throw new CommandFailed(error.message);
    throw error;
  }
}
