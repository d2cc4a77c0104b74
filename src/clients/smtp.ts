import net from 'node:net';
import type { SmtpClient, SmtpMessage, SmtpProbe } from '../effects.ts';
import { compose, type Encoders, loadEncoders, type Mail } from './smtp/compose.ts';
import { type Connect, Connection, type Dialogue, loadDialogue } from './smtp/connection.ts';
import { Deadline } from './smtp/deadline.ts';
import { TurnedAway } from './smtp/failure.ts';
import { Pool } from './smtp/pool.ts';

export interface SmtpClientOptions {
  /** PEM certificates to trust beside Node's own. */
  readonly ca?: string | readonly string[];
  /** Opens the TCP connection. Tests lead it to a port they own. */
  readonly connect?: Connect;
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
  const { ca, connect = net.connect, now = Date.now } = options;
  const load = async () => {
    const [dialogue, encoders] = await Promise.all([loadDialogue(ca), loadEncoders()]);
    loaded = { dialogue, encoders };
    return loaded;
  };
  let loading: ReturnType<typeof load> | undefined;
  let loaded: { readonly dialogue: Dialogue; readonly encoders: Encoders } | undefined;
  const pools = new Map<string, Pool>();

  const poolFor = ({ host, port, tls, credentials }: SmtpMessage): Pool => {
    const login = credentials && `${credentials.username}\0${credentials.password}`;
    const key = `${host}\0${port}\0${tls}\0${login}`;
    let pool = pools.get(key);
    if (pool === undefined) {
      pool = new Pool(now, () => pools.delete(key));
      pools.set(key, pool);
    }
    return pool;
  };

  const client = async (message: SmtpMessage) => {
    loading ??= load();
    const { dialogue, encoders } = loaded ?? (await loading);
    const mail = compose(encoders, message);
    const pool = poolFor(message);
    const deadline = new Deadline(message.timeoutMs);
    try {
      for (;;) {
        const turn = pool.turn(deadline);
        if (turn instanceof Promise) await turn;
        try {
          return await send(mail, pool, deadline, () => new Connection(dialogue, connect, message));
        } catch (error) {
          if (!(error instanceof TurnedAway && pool.settleForFewer())) throw error;
        } finally {
          pool.release();
        }
      }
    } finally {
      deadline.clear();
    }
  };
  return Object.assign(client, {
    close: () => {
      for (const pool of pools.values()) pool.close();
    },
  });
}

async function send(mail: Mail, pool: Pool, deadline: Deadline, create: () => Connection): Promise<void> {
  for (;;) {
    const rested = pool.take();
    const connection = rested ?? create();
    deadline.onExpire = (reason) => connection.close(reason);
    try {
      if (!rested) await connection.open();
      await connection.send(mail);
      return pool.rest(connection);
    } catch (error) {
      // A server may close a connection that rests at any time, so this says nothing about the next one.
      if (!rested || !connection.isLost) throw error;
    }
  }
}

/** Does what comes before a mail, and sends none. */
export function createSmtpProbe({ ca, connect = net.connect }: SmtpClientOptions = {}): SmtpProbe {
  return async (server) => {
    const connection = new Connection(await loadDialogue(ca), connect, server);
    const deadline = new Deadline(server.timeoutMs);
    deadline.onExpire = (reason) => connection.close(reason);
    try {
      await connection.open();
      return connection.session;
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
