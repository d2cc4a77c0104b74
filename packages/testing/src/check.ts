import assert from 'node:assert/strict';
import type { MakePlugin } from '@form-relay/plugin-host/kit';

/** A promise, for any runner of tests. `run` rejects with an `AssertionError` that says how it was broken. */
export interface Check {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** The plug-in under test. */
export interface Tested {
  /** The module's default export. Absent: the relay brings the unit. */
  readonly plugin?: MakePlugin | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** Fails if a text, such as a log or an answer, holds one of these. Values below four characters are in every text. */
export function assertHoldsNone(where: string, text: string, secrets: Iterable<string>): void {
  for (const secret of secrets)
    assert.ok(secret.length < 4 || !text.includes(secret), `${where} holds ${secret}`);
}

/** Fails if a plug-in rejected a submission with a code that has no words. */
export function assertWorded({ logged }: { readonly logged: readonly object[] }): void {
  assert.doesNotMatch(JSON.stringify(logged), /a code without words/, 'a code has no words in `messages`');
}

/** The plug-in's mistake that the log names, of which a visitor reads nothing. */
export const faultIn = ({ logged }: { readonly logged: readonly Readonly<Record<string, unknown>>[] }) =>
  [logged.findLast(({ event }) => event === 'internal_error')?.stack].flat()[0];
