import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { open, seal } from '../../base/seal.ts';
import type { Values } from '../../base/values.ts';

/** What a link fills in. It stands in the address, where nobody but the relay can read or change it. */
export interface Link {
  /** Until when it can be used, in milliseconds since the epoch. */
  readonly until: number;
  readonly values: Values;
  /** The fields whose values visitors cannot change. */
  readonly locked: readonly string[];
  /** The owner made it (`relay link`), and not a visitor who goes on later. */
  readonly isOwners: boolean;
  /** Its id, if only one submission can come with it; the owner's alone have one. */
  readonly singleUse?: string | undefined;
}

type Packed = readonly [
  untilSeconds: number,
  /** Text: the owner's, and the id of its single use. */
  isOwners: 0 | 1 | string,
  locked: readonly string[],
  ...values: (readonly [name: string, ...values: string[]])[],
];

/** `fresh`: a text that was never used before. */
export function sealLink(secret: string, formId: string, link: Link, fresh: string): string {
  const { until, values, locked, isOwners, singleUse } = link;
  const entries = [...values].map(([name, all]) => [name, ...all] as const);
  const packed: Packed = [Math.floor(until / 1000), isOwners ? (singleUse ?? 1) : 0, locked, ...entries];
  return seal(secret, 'link', formId, deflateRawSync(JSON.stringify(packed)), fresh);
}

/** What a link holds; `undefined` where this relay did not seal it, for this form. */
export function openLink(secret: string, formId: string, sealed: string): Link | undefined {
  const content = open(secret, 'link', formId, sealed);
  if (!content) return undefined;
  try {
    const text = inflateRawSync(content, { maxOutputLength: mostBytes }).toString();
    const [until, isOwners, locked, ...entries] = JSON.parse(text) as Packed;
    const values = new Map(entries.map(([name, ...all]) => [name, all] as const));
    const singleUse = typeof isOwners === 'string' ? isOwners : undefined;
    return { until: until * 1000, values, locked, isOwners: isOwners !== 0, singleUse };
  } catch {
    // Another version of the relay may have meant something else by it.
    return undefined;
  }
}

/** No link holds more, however well it is compressed. */
const mostBytes = 65_536;
