import type { RelayRequest } from '@form-relay/core/http/request';
import type { Encoded } from '../encoded.ts';

/** A request that an event holds, and the way to answer it. */
export interface Opened<R> {
  readonly request: RelayRequest;
  readonly result: (answer: Encoded) => R;
  /** Whether an answer may be binary, as base64: only then is it compressed. */
  readonly takesBytes: boolean;
}

/** Opens events of one shape; `undefined` for others. Nothing that the sender of the request wrote decides which it is. */
export type OpenEvent<R> = (event: unknown) => Opened<R> | undefined;

/** An answer in JSON, with a body that is text or base64. */
export interface Body {
  readonly body: string;
  readonly isBase64Encoded?: boolean;
}

export const bodyOf = ({ body }: Encoded): Body =>
  typeof body === 'string' ? { body } : { body: Buffer.from(body).toString('base64'), isBase64Encoded: true };

/** The body's bytes; `sam local` and REST APIs send `null` for none. */
export const bytesOf = (body: string | null | undefined, isBase64Encoded = false): Buffer =>
  Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8');

export type Headers = Readonly<Record<string, string | undefined>>;

/** Header names may come in lower case or as they were sent. */
export const inLowerCase = (headers: Headers = {}): Headers =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/**
 * The path before the relay's own: a stage, or the path that a custom domain maps to the API; also if a form is called
 * `healthz`. Forms are sent below it, so a link must not choose it freely: `//evil.example` or a backslash would be another
 * host.
 */
const mountPath =
  /^(?:\/[\w.~%$+!*'()-]+)+?(?=\/api\/v1(?:\/|$)|(?<!\/api\/v1\/(?:submit|check|form|token|confirm))\/(?:healthz|readyz)$)/;

/** Splits a path into the mount path and the relay's own. */
export function splitPath(path: string): Required<Pick<RelayRequest, 'mountPath' | 'path'>> {
  const [before = ''] = mountPath.exec(path) ?? [];
  // Only HTTP APIs decode the path: a `%` that begins no escape was encoded.
  return { mountPath: before, path: path.slice(before.length).replaceAll(/%(?![0-9a-f]{2})/gi, '%25') };
}

/** The same for an HTTP API, which puts its stage in front, even for a custom domain whose path doesn't name it. */
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

/** All values of each name. */
export type MultiValues = Readonly<Record<string, readonly string[] | undefined>>;

/** The headers of either map; the one with multiple values if both are there. */
export const allHeaders = (headers?: Headers | null, multi?: MultiValues | null): Headers =>
  inLowerCase(
    multi
      ? Object.fromEntries(Object.entries(multi).map(([name, values]) => [name, values?.join(', ')]))
      : (headers ?? {}),
  );

/** The query's names and values, of either map. */
export const allParameters = (
  query?: Headers | null,
  multi?: MultiValues | null,
): readonly (readonly [name: string, value: string])[] =>
  multi
    ? Object.entries(multi).flatMap(([name, values]) => (values ?? []).map((value) => [name, value] as const))
    : Object.entries(query ?? {}).map(([name, value]) => [name, value ?? ''] as const);
