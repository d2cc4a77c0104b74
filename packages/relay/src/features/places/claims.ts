/** What a form counts, and under which keys. */
import { createHash, createHmac } from 'node:crypto';
import type { Claim, CountPlace } from '../../base/counts.ts';
import { sameAddress } from '../../base/same_address.ts';
import type { Values } from '../../base/values.ts';

export type OptionPlaces = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** One submission for each value of a field. */
export interface Once {
  /** The field. */
  readonly by: string;
  /** For how long, in milliseconds; `undefined`: for ever. */
  readonly for?: number | undefined;
  /** Whether the answer says so. */
  readonly reveal: boolean;
}

export interface Places {
  readonly total: number | undefined;
  readonly options: OptionPlaces;
  /** Whether more is accepted, with a mark, once all places are taken. */
  readonly hasWaitingList: boolean;
  readonly once: Once | undefined;
  /** Whether strangers must not learn who has registered. With `double_opt_in`, only the owner of an address gets that far. */
  readonly isSecret: boolean;
  readonly where: CountPlace;
  /** Whether the same submission may come again: a link in a mail is clicked twice, and servers retry. */
  readonly isRemembered: boolean;
}

export const allPlaces = '';
export const optionKey = (field: string, value: string) => `${field}=${value}`;

/** All that a form counts, whatever is submitted. */
export const everyClaim = ({ total, options }: Places): readonly Claim[] => [
  ...(total === undefined ? [] : [{ key: allPlaces, limit: total }]),
  ...[...options].flatMap(([field, limits]) =>
    [...limits].map(([value, limit]) => ({ key: optionKey(field, value), limit })),
  ),
];

/** What a submission with these values takes. */
export function claimsOf(asked: Places, values: Values): readonly Claim[] {
  const chosen = [...asked.options.keys()].flatMap((field) =>
    (values.get(field) ?? []).map((value) => optionKey(field, value)),
  );
  const taken = new Set([allPlaces, ...chosen]);
  return everyClaim(asked).filter(({ key }) => taken.has(key));
}

export const placesKey = (form: string): string => `places/${nameInStore(form)}`;

/** A value that comes once, as far as a store may know it. */
export interface Registration {
  readonly key: string;
  readonly hash: string;
}

/** Only who has the secret can try values. `undefined`: nothing was filled in. */
export function registrationOf(
  secret: string,
  form: string,
  { by }: Pick<Once, 'by'>,
  value: string,
): Registration | undefined {
  // Spaces make no difference in any value.
  const plain = sameAddress(value.normalize('NFKC').replaceAll(/\s/g, ''));
  if (plain === '') return undefined;
  const key = createHmac('sha256', secret).update('form-relay once').digest();
  const hash = createHmac('sha256', key)
    .update(JSON.stringify([form, by, plain]))
    .digest('hex')
    .slice(0, 32);
  return { key: partKey('once', form, hash), hash };
}

/**
 * The use of a link that works once. Its id alone names it: whether the link itself, one saved for later or a submission
 * that waits for a click carries it, and whatever the config says then, the use is one.
 */
export const registrationOfLink = (form: string, id: string): Registration => ({
  key: partKey('links', form, id),
  hash: id,
});

/** No link works for longer, nor does its use have to be remembered for longer. */
export const longestLinkMs = 3_653 * 86_400_000;

/** The id of a link; `undefined` for the key of something else. */
export const linkOf = (key: string): string | undefined => (/^[0-9a-f]{24}$/.test(key) ? key : undefined);

type Kind = 'once' | 'links';

/** Spread out by how the hash begins, so that none of them grows large. */
const partKey = (kind: Kind, form: string, hash: string): string =>
  `${kind}/${nameInStore(form)}/${hash.slice(0, 2)}`;

/** Where all registrations of a form are, or all uses of its links. */
export const partKeys = (kind: Kind, form: string): readonly string[] =>
  Array.from({ length: 256 }, (_, index) => partKey(kind, form, index.toString(16).padStart(2, '0')));

/** A form's name as a store may have it in a key, whatever the form is called. */
export const nameInStore = (form: string): string =>
  /^[a-z\d_-]{1,60}$/.test(form) ? form : `=${createHash('sha256').update(form).digest('hex').slice(0, 32)}`;

/** The prefix of the keys under which a store remembers a form's `Idempotency-Key`s. */
export const keysFolder = (form: string): string => `keys/${nameInStore(form)}`;
