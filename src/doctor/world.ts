/** What the examinations need of the outside world, as types: tests stage each of it. */
import type { Effects, SmtpMessage } from '../effects.ts';
import type { Environment } from '../settings.ts';

export interface World extends Pick<Effects, 'now' | 'http'> {
  readonly env: Environment;
  readonly resolver: Resolver;
  readonly reach: Reach;
  readonly probeSmtp: SmtpProbe;
  readonly askSes: AskSes;
}

/** The part of Node's `dns.promises.Resolver` that is used. Rejects with a `code`, as that does. */
export interface Resolver {
  resolve4(name: string): Promise<string[]>;
  resolve6(name: string): Promise<string[]>;
  resolveCname(name: string): Promise<string[]>;
  resolveMx(name: string): Promise<{ exchange: string; priority: number }[]>;
  resolveNs(name: string): Promise<string[]>;
  /** Each record comes in the pieces that it was sent in. */
  resolveTxt(name: string): Promise<string[][]>;
}

/** Connects and, with `tls`, shakes hands; then hangs up. Rejects with a `ClientError`. */
export type Reach = (server: {
  /** Without the brackets of an IPv6 address. */
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly timeoutMs: number;
}) => Promise<{ readonly certificateUntil: number | undefined }>;

export type SmtpServer = Pick<SmtpMessage, 'host' | 'port' | 'tls' | 'credentials' | 'timeoutMs'>;

/** How a dialogue stood when a mail could have followed. */
export interface SmtpSession {
  readonly isSecure: boolean;
  /** Milliseconds since the epoch; `undefined` without TLS. */
  readonly certificateUntil: number | undefined;
}

/** All that a delivery does before its mail: connect, greeting, TLS, AUTH; then QUIT. Rejects with a `ClientError`. */
export type SmtpProbe = (server: SmtpServer) => Promise<SmtpSession>;

/** GETs from the SES v2 API. Rejects with a `ClientError` when no answer came. */
export type AskSes = (path: string, timeoutMs: number) => Promise<SesAnswer>;

export interface SesAnswer {
  readonly status: number;
  /** Such as `NotFoundException`; empty on success. */
  readonly error: string;
  /** The answer's JSON; empty when it is none. */
  readonly body: Readonly<Record<string, unknown>>;
}
