import net from 'node:net';
import { ClientError, failed } from '../../client_error.ts';
import type { SmtpClient, SmtpMessage, SmtpProbe } from '../../effects.ts';
import { connectOptions } from '../connect_options.ts';
import { compose, type Encoders, loadEncoders, type Mail } from './compose.ts';
import { type Connect, Connection, type Dialogue, loadDialogue } from './connection.ts';
import { Deadline } from './deadline.ts';
import type { Pool } from './pool.ts';
import { Pools } from './pools.ts';

export interface SmtpClientOptions {
  /** PEM certificates to trust beside Node's own. */
  readonly ca?: string | readonly string[];
  /** Opens the TCP connection. Tests lead it to a port they own. */
  readonly connect?: Connect;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

const connectTcp: Connect = (to) => net.connect({ ...to, ...connectOptions });

/**
 * Sends each message over a connection that the one before left open, or over a new one (D44). The first message loads
 * nodemailer.
 *
 * `close` says goodbye to the servers whose connections are not in use.
 */
export function createSmtpClient(options: SmtpClientOptions = {}): SmtpClient & { close(): void } {
  const { ca, connect = connectTcp, now = Date.now } = options;
  const load = async () => {
    const [dialogue, encoders] = await Promise.all([loadDialogue(ca), loadEncoders()]);
    loaded = { dialogue, encoders };
    return loaded;
  };
  let loading: ReturnType<typeof load> | undefined;
  let loaded: { readonly dialogue: Dialogue; readonly encoders: Encoders } | undefined;
  const pools = new Pools(now);

  const client = async (message: SmtpMessage) => {
    loading ??= load();
    const { dialogue, encoders } = loaded ?? (await loading);
    const mail = compose(encoders, message);
    const deadline = new Deadline(message.timeoutMs);
    try {
      for (;;) {
        const pool = pools.for(message);
        const turn = pool.turn(deadline);
        if (turn instanceof Promise) await turn;
        const { parting } = pool;
        try {
          return await send(mail, pool, deadline, () => new Connection(dialogue, connect, message));
        } catch (error) {
          if (!(error instanceof ClientError) || error.code !== 'turned_away') throw error;
          pools.makeRoom(pool);
          // Also if another mail made it meanwhile.
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

async function send(mail: Mail, pool: Pool, deadline: Deadline, create: () => Connection): Promise<void> {
  let needsUnused = false;
  for (;;) {
    const rested = needsUnused ? undefined : pool.take();
    let connection = rested ?? create();
    const own = rested ? undefined : connection;
    deadline.onExpire = (reason) => connection.close(reason);
    try {
      if (own) connection = await pool.open(own, deadline.timeoutMs, needsUnused);
      await connection.send(mail);
      return pool.rest(connection);
    } catch (error) {
      // A server may be done with a connection that others used at any time, so this says nothing about the next one.
      if (connection === own || !(connection.isLost || connection.isRefused)) throw error;
      // Not all the others too: if it is the sender that the server refuses, they are still good.
      if (connection.isRefused) needsUnused = true;
    }
  }
}

/** Does what comes before a mail, and sends none. */
export function createSmtpProbe({ ca, connect = connectTcp }: SmtpClientOptions = {}): SmtpProbe {
  return async (server) => {
    const connection = new Connection(await loadDialogue(ca), connect, server);
    const deadline = new Deadline(server.timeoutMs);
    deadline.onExpire = (reason) => connection.close(reason);
    try {
      await connection.open();
      return connection.session;
    } catch (error) {
      if (!(error instanceof ClientError) || error.code !== 'closed') throw error;
      // There was no mail that it could have accepted.
      throw failed('closed', { ...error.params, before: undefined });
    } finally {
      deadline.clear();
      connection.quit();
    }
  };
}

/** The message as it would be sent; the first one loads nodemailer's part of it. */
export async function composeMail(message: SmtpMessage) {
  const { envelope, source } = compose(await loadEncoders(), message);
  return { envelope, bytes: Buffer.from(source) };
}
