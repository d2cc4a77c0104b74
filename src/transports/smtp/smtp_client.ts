import type { Dkim, SmtpClient, SmtpMessage } from '../../effects.ts';
import { type ComposedMail, composeMail } from '../mail/compose.ts';
import { Connection } from './connection.ts';
import { Deadline } from './deadline.ts';
import type { Pool } from './pool.ts';
import { Pools } from './pools.ts';
import { isNullSenderRefused, isSenderRefused, isTurnedAway } from './smtp_failure.ts';
import { resolveOptions, type SmtpOptions } from './smtp_options.ts';

export interface SmtpClientOptions extends SmtpOptions {
  /** How many processes send side by side, and share what a server takes. Default: 1. */
  readonly processes?: number | undefined;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/**
 * Sends each message over a connection that the one before left open, or over a new one (D44). The first message loads
 * nodemailer.
 *
 * `close` says goodbye to the servers whose connections are not in use.
 */
export function createSmtpClient(options: SmtpClientOptions = {}): SmtpClient & { close(): void } {
  const { now = Date.now } = options;
  const resolved = resolveOptions(options);
  const pools = new Pools(now, options.processes);

  const client = async (message: SmtpMessage) => {
    const composing = composeMail(message);
    const composed: ComposedMail = composing instanceof Promise ? await composing : composing;
    let mail: ComposedMail = message.dkim ? await signed(composed, message.dkim) : composed;
    const deadline = new Deadline(message.timeoutMs);
    try {
      for (;;) {
        const pool = pools.for(message);
        await pool.turn(deadline);
        const { parting } = pool;
        try {
          return await send(mail, pool, deadline, () => new Connection(resolved, message));
        } catch (error) {
          if (mail.envelope.from === '' && isNullSenderRefused(error)) {
            // Some servers take no mail from nobody. Auto-Submitted still keeps most programs from answering.
            mail = { ...mail, envelope: { ...mail.envelope, from: mail.author } };
            continue;
          }
          if (!isTurnedAway(error)) throw error;
          pools.makeRoom(pool);
          // Another mail may have made the room.
          if (pool.parting && pool.parting !== parting) await deadline.within(pool.parting);
          else if (!pool.settleForFewer()) throw error;
        } finally {
          pool.release();
        }
      }
    } finally {
      deadline.clear();
    }
  };
  return Object.assign(client, {
    close: () => pools.close(),
  });
}

async function signed(mail: ComposedMail, dkim: Dkim): Promise<ComposedMail> {
  const { signatureOf } = await import('../mail/dkim.ts');
  return { ...mail, source: (await signatureOf(mail, dkim)) + mail.source };
}

async function send(
  mail: ComposedMail,
  pool: Pool,
  deadline: Deadline,
  create: () => Connection,
): Promise<void> {
  let needsUnused = false;
  for (;;) {
    const rested = needsUnused ? undefined : pool.take();
    let connection = rested ?? create();
    const own = rested ? undefined : connection;
    deadline.onExpire = () => connection.expire(deadline.timeoutMs);
    try {
      if (own) connection = await pool.open(own, deadline.timeoutMs, needsUnused);
      await connection.send(mail);
      return pool.rest(connection);
    } catch (error) {
      // A server may close a connection that was used before at any time. Another one may well work.
      if (connection === own || !(connection.isLost || isSenderRefused(error))) throw error;
      // Next comes a new connection. If it is the sender that the server refuses, the others stay good.
      if (isSenderRefused(error)) needsUnused = true;
    }
  }
}
