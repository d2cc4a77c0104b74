import net from 'node:net';
import { hostname } from 'node:os';
import type { SecureContext } from 'node:tls';
import { hostName } from '../../address.ts';
import { ClientError, failed } from '../../client_error.ts';
import type { SmtpClient, SmtpMessage, SmtpProbe } from '../../effects.ts';
import { connectOptions } from '../connect_options.ts';
import { compose, type Encoders, loadEncoders, type Mail } from './compose.ts';
import { type Connect, Connection, type Manner } from './connection.ts';
import { Deadline } from './deadline.ts';
import { isSenderRefused, isTurnedAway } from './failure.ts';
import type { Pool } from './pool.ts';
import { Pools } from './pools.ts';

export interface SmtpClientOptions {
  /** PEM certificates to trust beside Node's own. */
  readonly ca?: string | readonly string[];
  /** Opens the TCP connection. Tests lead it to a port they own. */
  readonly connect?: Connect;
  /** What this machine calls itself. Default: its name, if that is one of the DNS; otherwise its address. */
  readonly ehloName?: string | undefined;
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
  const { now = Date.now } = options;
  const manner = mannerOf(options);
  let encoders: Encoders | undefined;
  const pools = new Pools(now);

  const client = async (message: SmtpMessage) => {
    encoders ??= await loadEncoders();
    const mail = compose(encoders, message);
    const deadline = new Deadline(message.timeoutMs);
    try {
      for (;;) {
        const pool = pools.for(message);
        const turn = pool.turn(deadline);
        if (turn instanceof Promise) await turn;
        const { parting } = pool;
        try {
          return await send(mail, pool, deadline, () => new Connection(manner, message));
        } catch (error) {
          if (!isTurnedAway(error)) throw error;
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
      if (connection === own || !(connection.isLost || isSenderRefused(error))) throw error;
      // Not all the others too: if it is the sender that the server refuses, they are still good.
      if (isSenderRefused(error)) needsUnused = true;
    }
  }
}

/** Does what comes before a mail, and sends none. */
export function createSmtpProbe(options: SmtpClientOptions = {}): SmtpProbe {
  const manner = mannerOf(options);
  return async (server) => {
    const connection = new Connection(manner, server);
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

function mannerOf({ ca, connect = connectTcp, ehloName = machineName() }: SmtpClientOptions): Manner {
  let secureContext: SecureContext | undefined;
  return {
    connect,
    ehloName,
    secureContext: () => {
      if (secureContext) return secureContext;
      // Not imported above: TLS takes every cold start 1 ms and 1 MB.
      const tls = process.getBuiltinModule('node:tls');
      // A given `ca` replaces Node's list, so that goes in again.
      const trusted = ca === undefined ? undefined : [...tls.rootCertificates, ...[ca].flat()];
      secureContext = tls.createSecureContext({ ca: trusted });
      return secureContext;
    },
  };
}

/** `undefined` for a name that only this machine knows. */
function machineName(): string | undefined {
  const name = hostName(hostname());
  return name?.includes('.') && !name.endsWith('.localdomain') ? name : undefined;
}

/** The message as it would be sent; the first one loads nodemailer's part of it. */
export async function composeMail(message: SmtpMessage) {
  const { envelope, source } = compose(await loadEncoders(), message);
  return { envelope, bytes: Buffer.from(source) };
}
