import { type Headers, inLowerCase } from './event_shape.ts';

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
