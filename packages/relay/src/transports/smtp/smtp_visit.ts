import { Connection, type SmtpSession } from './connection.ts';
import type { SmtpServer } from './dialogue.ts';
import { resolveOptions, type SmtpOptions } from './smtp_options.ts';

/** All that a delivery does before its mail: connect, greeting, TLS, AUTH; then QUIT. Rejects with a `ClientError`. */
export type SmtpVisit = (server: SmtpServer) => Promise<SmtpSession>;

export function createSmtpVisit(options: SmtpOptions = {}): SmtpVisit {
  const resolved = resolveOptions(options);
  return async (server) => {
    const connection = new Connection(resolved, server);
    const timer = setTimeout(() => connection.expire(server.timeoutMs), server.timeoutMs);
    try {
      await connection.open();
      return connection.session;
    } finally {
      clearTimeout(timer);
      connection.quit();
    }
  };
}
