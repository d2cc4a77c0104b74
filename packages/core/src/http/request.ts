/** A request as plain data, for all runtimes. */
export interface RelayRequest {
  readonly method: string;
  /** As sent, percent-encoded, without query. */
  readonly path: string;
  /** @internal The path prefix below which the relay is mounted, such as a stage. Default: none. */
  readonly mountPath?: string;
  /** @internal Whether the runtime vouches for `mountPath`, which the client could otherwise forge. Default: no. */
  readonly isMountSure?: boolean;
  /** As sent, without `?`. */
  readonly query: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** As sent; `undefined` if it could not be read. */
  readonly body: Uint8Array | undefined;
  /** @internal The body exceeds the form's limit (`maxBodyBytes`, or what `admit` returns), so the runtime need not keep it. */
  readonly isTooLong?: true;
  /** @internal The client's IP address, if the runtime vouches for it. Behind proxies of the owner's it would be theirs. */
  readonly senderAddress?: string;
  /** @internal The peer's IP address: the client's or a proxy's. */
  readonly peerAddress?: string | undefined;
  /** @internal The runtime's id of the request, as in its logs. Default: a fresh UUID. */
  readonly id?: string | undefined;
  /** @internal The runtime's timeout for the answer, in milliseconds, if it has one. */
  readonly timeLeftMs?: number;
  /** @internal Whether the process lives on after the answer, so that work can follow it. Default: no. */
  readonly livesOn?: boolean;
}

/** A request before its body is read. */
export type RequestHead = Omit<RelayRequest, 'body' | 'isTooLong'>;

export interface RelayResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** @internal The answer is the same for everybody until its ETag changes: a runtime may compress it once. */
  readonly isFixed?: true;
  /** @internal The body is the base64 of bytes. Only for fixed answers. */
  readonly isBase64?: true;
}

/** SPEC: Limits. */
export const maxBodyBytes = 65_536;

/** `HX-Request: true`, which counts once however often it was sent: runtimes join equal headers by commas. */
export const asksByHtmx = ({ headers: { 'hx-request': header } }: RequestHead): boolean =>
  header === 'true' || (header !== undefined && /^true(?: *, *true)+$/.test(header));

/** The id of the element that htmx is going to fill: htmx 2 names it by its id, htmx 4 by tag and id. */
export const htmxTarget = ({ headers }: RequestHead): string =>
  headers['hx-target']?.replace(/^\w+#/, '') ?? '';
