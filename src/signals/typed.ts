import { withoutEmpty } from '../values.ts';
import type { Seen } from './signal.ts';

type Typed = Pick<Seen, 'fields' | 'values'>;

/** What was typed into fields of these types. */
const typedInto = ({ fields, values }: Typed, types: readonly string[]): readonly string[] =>
  fields.flatMap(({ name, type }) =>
    types.includes(type) ? withoutEmpty(values.get(name) ?? []).map((value) => value.trim()) : [],
  );

/** Where visitors write what they like. */
export const freeTexts = (seen: Typed): readonly string[] => typedInto(seen, ['text', 'textarea']);

/** Mail addresses, as far as they are some. */
export const mailAddresses = (seen: Typed): readonly string[] => typedInto(seen, ['email']);

/** More domains in one submission are not looked at. */
const mostDomains = 200;

/** The domains of mail addresses, of web addresses, and whatever else may be a domain in what was typed. */
export function domainsIn(seen: Typed): ReadonlySet<string> {
  const domains = new Set<string>();
  for (const text of typedInto(seen, ['email', 'url', 'text', 'textarea'])) {
    for (const word of text.split(/[\s<>"'()[\],;]+/)) {
      if (!word.includes('.') || word.length > longestAddress) continue;
      const [authority = ''] = word.replace(/^[a-z][a-z\d+.-]*:\/\//i, '').split(/[/?#]/, 1);
      const host = authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d*$/, '');
      if (host.includes('.')) domains.add(host.replace(/[.!]$/, '').toLowerCase());
      if (domains.size >= mostDomains) return domains;
    }
  }
  return domains;
}

/** No browser has longer addresses. */
const longestAddress = 2_048;
