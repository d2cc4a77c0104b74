import type { Dkim, SmtpClient, SmtpMessage } from '../../base/effects.ts';
import { type ComposedMail, composeMail } from '../mail/compose.ts';
import { Delivery } from './delivery.ts';
import { Pools } from './pools.ts';
import { resolveOptions, type SmtpOptions } from './smtp_options.ts';

export interface SmtpClientOptions extends SmtpOptions {
  /** How many processes send side by side, and share what a server takes. Default: 1. */
  readonly processes?: number | undefined;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/**
 * Sends each message over a connection that the one before left open, or over a new one (D44).
 *
 * `close` says goodbye to the servers whose connections are not in use.
 */
export function createSmtpClient(options: SmtpClientOptions = {}): SmtpClient & { close(): void } {
  const { now = Date.now } = options;
  const resolved = resolveOptions(options);
  const pools = new Pools(now, options.processes);
  const client = (message: SmtpMessage) =>
    new Promise<void>((resolve, reject) => {
      const composed = composeMail(message);
      // Without waiting, where there is nothing to wait for.
      if (composed instanceof Promise || message.dkim)
        ready(composed, message.dkim)
          .then((mail) => deliver(message, mail, resolve, reject))
          .catch(reject);
      else deliver(message, composed, resolve, reject);
    });
  const deliver = (
    message: SmtpMessage,
    mail: ComposedMail,
    resolve: () => void,
    reject: (reason: unknown) => void,
  ) => new Delivery(message, mail, pools, resolved, resolve, reject).start();
  return Object.assign(client, {
    close: () => pools.close(),
  });
}

/** Composed, and signed where it is to be. */
async function ready(
  composing: ComposedMail | Promise<ComposedMail>,
  dkim: Dkim | undefined,
): Promise<ComposedMail> {
  const mail = await composing;
  if (!dkim) return mail;
  const { signatureOf } = await import('../mail/dkim.ts');
  return { ...mail, source: (await signatureOf(mail, dkim)) + mail.source };
}
