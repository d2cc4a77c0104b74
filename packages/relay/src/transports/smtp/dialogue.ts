import type { SmtpMessage } from '../../base/effects.ts';
import type { Reply } from './reply.ts';

/** Where a connection leads, and what it needs. */
export type SmtpServer = Pick<SmtpMessage, 'host' | 'port' | 'tls' | 'credentials' | 'timeoutMs'>;

/** A connection, as far as its opening needs it. */
export interface Dialogue {
  /** Says a command, or waits for the greeting. Rejects with a `ClientError` when no reply comes. */
  ask(command?: string): Promise<Reply>;
  /** Begins TLS. Rejects with a `ClientError`. */
  secure(): Promise<void>;
  readonly isSecure: boolean;
  readonly localAddress: string;
  readonly remoteAddress: string;
}
