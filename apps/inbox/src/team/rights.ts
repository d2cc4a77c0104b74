import type { PersonRight, Right } from '../api.ts';
import type { Failure } from './provider.ts';

/** The rights that a config gives to somebody. */
export interface Rights {
  /** The forms that the person may read; `undefined`: all. */
  readonly forms: ReadonlySet<string> | undefined;
  may(right: Right, form: string): boolean;
  /** Whether the person says who may use the inbox, which is all the rest, too. */
  readonly mayManage: boolean;
  /** The same for the same rights. */
  readonly print: string;
}

interface Entry {
  readonly email?: string | undefined;
  readonly group?: string | undefined;
  readonly may: readonly PersonRight[];
  readonly forms?: readonly string[] | undefined;
}

/** The rights of all entries that mean this person, by an address that the provider verified, together; `undefined` if there is none to read. */
export function rightsOf(
  people: readonly Entry[],
  { email, groups }: { readonly email: string | undefined; readonly groups: readonly string[] },
): Rights | undefined {
  const address = email && lowerCase(email);
  const own = people.filter(
    (entry) =>
      (entry.email !== undefined && lowerCase(entry.email) === address) ||
      (entry.group !== undefined && groups.includes(entry.group)),
  );
  const mayManage = own.some(({ may }) => may.includes('manage'));
  const has = (right: Right, form: string) =>
    mayManage || own.some(({ may, forms }) => may.includes(right) && (forms?.includes(form) ?? true));
  const reading = own.filter(({ may }) => may.includes('read') || may.includes('manage'));
  if (reading.length === 0) return undefined;
  return {
    mayManage,
    print: JSON.stringify(own.map(({ may, forms }) => [may, forms])),
    forms: reading.some(({ forms, may }) => !forms || may.includes('manage'))
      ? undefined
      : new Set(reading.flatMap(({ forms = [] }) => forms)),
    may: (right, form) => has('read', form) && has(right, form),
  };
}

/** Changes only ASCII: `toLowerCase` would turn the Kelvin sign into a `k`, and another address into this one. */
export const lowerCase = (text: string): string =>
  text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Why somebody cannot sign in, for that person. */
export interface Refusal {
  readonly status: number;
  /** Default: `Inbox`. */
  readonly title?: string;
  readonly words: string;
}

/** @param provider Its host. */
export const refusalOf = (failure: Failure, provider: string): Refusal =>
  ({
    provider_down: {
      status: 503,
      words: `${provider} does not answer, so nobody can sign in at the moment. People who are signed in can go on. Try again in a minute.`,
    },
    secret_missing: {
      status: 503,
      words: 'The inbox has no client secret, so nobody can sign in. The log names the missing variable.',
    },
    client_refused: {
      status: 503,
      words: `${provider} does not accept the inbox's client id and secret. Compare them with the values at the provider.`,
    },
    denied: { status: 403, words: `${provider} did not let you sign in, or you cancelled it.` },
    code_refused: {
      status: 403,
      words: `${provider} does not accept this sign-in any more: it was used before, or took too long. Sign in again.`,
    },
    not_accepted: {
      status: 403,
      words: `The answer from ${provider} was not made for this sign-in, so it was not accepted. Sign in again.`,
    },
    other_domain: { status: 403, words: 'This account does not belong to the organisation of this inbox.' },
  })[failure];

export type LinkFailure = 'elsewhere' | 'used' | 'old' | 'unknown';

export const linkFailures: Readonly<Record<LinkFailure, Refusal>> = {
  elsewhere: {
    status: 403,
    title: 'This link belongs to another browser',
    words: 'Open it in the browser in which you asked for it, or ask for a new one here.',
  },
  used: {
    status: 410,
    title: 'This link was used',
    words: 'Each link works once. Ask for a new one.',
  },
  old: {
    status: 410,
    title: 'This link is too old',
    words: 'Links work for 15 minutes. Ask for a new one.',
  },
  unknown: {
    status: 404,
    title: 'This is not a sign-in link',
    words: 'Perhaps a part of the address is missing, or the link is weeks old. Ask for a new one.',
  },
};

export const removed = (email: string): Refusal => ({
  status: 403,
  title: 'You cannot sign in',
  words: `${email} may not use this inbox any more. Somebody who manages it can invite you again.`,
});

export const noWay: Refusal = {
  status: 401,
  words:
    'Sign-in does not work: no form has an output that sends mails, so no link can be sent. Add one to the config.',
};

export const notBegun: Refusal = {
  status: 400,
  words:
    'This sign-in did not begin in this browser, or began more than 10 minutes ago, or another tab began a later one. Sign in again.',
};

export const tooMany: Refusal = {
  status: 429,
  words: 'Too many people tried to sign in from here. Try again in a minute.',
};

export const busy: Refusal = {
  status: 429,
  words: 'Too many people try to sign in at the moment. Try again in a few seconds.',
};

export const wrongHost: Refusal = {
  status: 403,
  words: 'The inbox does not answer under this host name; use the address in its config.',
};

export const forged: Refusal = {
  status: 403,
  words: 'This request came from a page of another site, so nothing was done.',
};

export const turnedOff: Refusal = { status: 503, words: 'The config has no inbox any more.' };

/** @param name As the provider calls the person. */
export const stranger = (name: string, isVerified: boolean, hasGroupsLeftOut: boolean): Refusal => ({
  status: 403,
  words: `${name} may not use this inbox. Somebody who manages it can invite you.${
    isVerified ? '' : ' The provider did not vouch for your address, so rights by address do not apply.'
  }${hasGroupsLeftOut ? ' You are in so many groups that the provider left them out, so rights by group do not apply.' : ''}`,
});
