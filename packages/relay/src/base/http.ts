/** HTTP as the core sees it: plain objects that every runtime can make. */
export interface RelayRequest {
  readonly method: string;
  /** As sent, percent-encoded, without query. */
  readonly path: string;
  /** What the sender's path has before `path`, where the relay is mounted below a path. Default: nothing. */
  readonly mountPath?: string;
  /** Whether the runtime vouches for `mountPath`, which its sender may else have made up. Default: no. */
  readonly isMountSure?: boolean;
  /** As sent, without `?`. */
  readonly query: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** As sent; `undefined` when it could not be read. */
  readonly body: Uint8Array | undefined;
  /** Whether it is longer than the form takes (`maxBodyBytes`, or what `admit` says): then a runtime need not keep it. */
  readonly isTooLong?: true;
  /** The sender's IP address, where the runtime vouches for it. Behind your own proxies it would be theirs. */
  readonly senderAddress?: string;
  /** The IP address of whoever is at the other end of the connection: the sender's, or a proxy's. */
  readonly peerAddress?: string | undefined;
  /** The runtime's own name for the request, as its logs have it. Default: a fresh UUID. */
  readonly id?: string | undefined;
  /** How long the runtime will wait for the answer, in milliseconds, when it will not wait for ever. */
  readonly timeLeftMs?: number;
  /** Whether the process lives on after the answer, so that what its sender need not wait for can follow it. Default: no. */
  readonly livesOn?: boolean;
}

/** What is known of a request before its body is read. */
export type RequestHead = Omit<RelayRequest, 'body' | 'isTooLong'>;

export interface RelayResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The same for everybody, for as long as its tag says: a runtime may compress it once and keep that. */
  readonly isFixed?: true;
}

/** How a body may be compressed, the best first. */
export const encodings = ['br', 'gzip'] as const;
export type Encoding = (typeof encodings)[number];

/** SPEC: Limits. */
export const maxBodyBytes = 65_536;

/** How large a submission with files may be where its form does not say. */
export const defaultUploadBytes = 10 * 1_048_576;

/** How large a body may be on AWS Lambda: an event has 6 MB, in which a body is base64 beside its headers. */
export const lambdaBodyBytes = 4_613_734;
