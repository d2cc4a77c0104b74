import type { RelayRequest } from '../../base/http.ts';
import type { Encoded } from '../encoded.ts';

/** One kind of event that brings a request, and the answer that whoever sent it understands. */
export interface EventShape<E, R> {
  /** By this, and nothing that the sender of the request wrote, it is told from others. */
  readonly isOne: (event: unknown) => boolean;
  readonly request: (event: E) => RelayRequest;
  readonly result: (answer: Encoded, event: E) => R;
  /** Whether bytes reach the visitor as such, in base64 on their way: only then is an answer compressed. */
  readonly takesBytes: boolean;
}

/** An answer in JSON, with a body that is text or base64. */
export interface Body {
  readonly body: string;
  readonly isBase64Encoded?: boolean;
}

export const bodyOf = ({ body }: Encoded): Body =>
  typeof body === 'string' ? { body } : { body: Buffer.from(body).toString('base64'), isBase64Encoded: true };

/** What came, as bytes; `sam local` and REST APIs say `null` where there is none. */
export const bytesOf = (body: string | null | undefined, isBase64Encoded = false): Buffer =>
  Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8');

export type Headers = Readonly<Record<string, string | undefined>>;

/** Names come in lower case or as they were sent. */
export const inLowerCase = (headers: Headers = {}): Headers =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/**
 * The stage, or the path that a custom domain maps to the API: what stands before the relay's own paths, also when a
 * form is called `healthz`. Forms are sent below it, so no link may choose it freely: `//evil.example` or a backslash
 * would be another host.
 */
const mountPath =
  /^(?:\/[\w.~%$+!*'()-]+)+?(?=\/api\/v1(?:\/|$)|(?<!\/api\/v1\/(?:submit|check|form|token|confirm))\/(?:healthz|readyz)$)/;

/** A path in two: what the relay is mounted below, and its own. */
export function splitPath(path: string): Required<Pick<RelayRequest, 'mountPath' | 'path'>> {
  const [before = ''] = mountPath.exec(path) ?? [];
  // HTTP APIs decode the path, all others do not: a `%` that starts no escape was one.
  return { mountPath: before, path: path.slice(before.length).replaceAll(/%(?![0-9a-f]{2})/gi, '%25') };
}

/** The same where an HTTP API puts its stage in front, also for a custom domain, which leads to the stage without naming it. */
export function splitStagePath(
  path: string,
  stage: string,
  host = '',
): Required<Pick<RelayRequest, 'mountPath' | 'path' | 'isMountSure'>> {
  const split = splitPath(path);
  const isMountSure = split.mountPath === `/${stage}`;
  const isUnseen = isMountSure && !host.includes('.execute-api.');
  return { ...split, mountPath: isUnseen ? '' : split.mountPath, isMountSure };
}

/** Of what comes several times, all of it. */
export type MultiValues = Readonly<Record<string, readonly string[] | undefined>>;

/** Either map of headers; where both are there, the one that keeps those which came several times. */
export const allHeaders = (headers?: Headers | null, multi?: MultiValues | null): Headers =>
  inLowerCase(
    multi
      ? Object.fromEntries(Object.entries(multi).map(([name, values]) => [name, values?.join(', ')]))
      : (headers ?? {}),
  );

/** Either map of what the query says, as names and values. */
export const allParameters = (
  query?: Headers | null,
  multi?: MultiValues | null,
): readonly (readonly [name: string, value: string])[] =>
  multi
    ? Object.entries(multi).flatMap(([name, values]) => (values ?? []).map((value) => [name, value] as const))
    : Object.entries(query ?? {}).map(([name, value]) => [name, value ?? ''] as const);
