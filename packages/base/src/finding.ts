/** Findings of the checks of `relay doctor`, and the words that they share. */
import { ClientError, PluginMistake } from './client_error.ts';

/** Never holds a secret or a rendered credential. */
export interface Finding {
  readonly level: 'ok' | 'warning' | 'failure';
  /** For example a server or a variable. Default: the name of the check. */
  readonly subject?: string;
  /** The first line is the finding; others explain it. */
  readonly says: string;
  /** The owner's remedy. */
  readonly remedy?: string;
  /** @internal The places in the config that the finding is about, such as `forms.contact.outputs[0]`. */
  readonly places?: readonly string[];
  /** @internal The DNS record to publish. */
  readonly record?: DnsRecord;
}

export interface DnsRecord {
  readonly name: string;
  readonly type: 'TXT';
  readonly value: string;
}

export const ok = (subject: string, says: string): Finding => ({ level: 'ok', subject, says });

export const warning = (subject: string, says: string, remedy: string): Finding => ({
  level: 'warning',
  subject,
  says,
  remedy,
});

export const failure = (subject: string, says: string, remedy: string): Finding => ({
  level: 'failure',
  subject,
  says,
  remedy,
});

/** Groups by a key, in the order of the first of each group. */
export function groupBy<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
): readonly (readonly [T, ...T[]])[] {
  const groups = new Map<string, [T, ...T[]]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return [...groups.values()];
}

/** The first few places, as text. */
export const places = (all: readonly { readonly place: string }[]): string => {
  const shown = all.slice(0, 3).map(({ place }) => place);
  return all.length > 3 ? `${shown.join(', ')} and ${all.length - 3} more` : shown.join(', ');
};

/** The first few forms, as text. */
export function firstOf([first, ...more]: readonly { readonly id: string }[]): string {
  return more.length > 0 ? `"${first?.id}" and ${more.length} more` : `"${first?.id}"`;
}

/** The finding that a secret is set, with its use as text. */
export function secretSet(name: string, weakness: string | undefined, use: string): Finding {
  return weakness === undefined ? ok(name, `set; ${use}`) : warning(name, weakness, makeSecret);
}

export const makeSecret =
  'Set it to a long random text, the same for every copy of the relay: openssl rand -hex 32';

/** A connection to test, and the place in the config that uses it. */
export interface Placed<C> {
  readonly place: string;
  readonly subject: string;
  /** The remedy where the test fails without findings. */
  readonly remedy: string;
  probe(call: C): Promise<readonly Finding[]>;
}

export async function probeEach<C>(all: readonly Placed<C>[], call: C): Promise<readonly Finding[]> {
  const found = all.map(async ({ place, subject, remedy, probe }): Promise<readonly Finding[]> => {
    try {
      return (await probe(call)).map((finding) => ({ subject, ...finding, places: [place] }));
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      return [{ ...failure(subject, error.message, remedy), places: [place] }];
    }
  });
  return (await Promise.all(found)).flat();
}

const expected = "[{ level: 'ok', says: 'has a token' }]; the other levels are warning and failure";

/** @param what The member of a plug-in that returned them. Throws a `PluginMistake` if the value is not a list of findings. */
export function checkedFindings(found: unknown, what = 'probe'): readonly Finding[] {
  if (!Array.isArray(found)) throw new PluginMistake(`${what} did not return a list; expected ${expected}`);
  for (const { level, says } of found.map((one) => Object(one)))
    if (!/^(ok|warning|failure)$/.test(level) || typeof says !== 'string')
      throw new PluginMistake(`${what} returned ${JSON.stringify({ level, says })}; expected ${expected}`);
  return found;
}
