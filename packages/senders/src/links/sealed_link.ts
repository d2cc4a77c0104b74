import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { seal, unseal } from '@form-relay/base/seal';
import { parseQuery } from '@form-relay/base/urlencoded';
import { withoutEmpty } from '@form-relay/base/values';
import { sentByInputs } from '@form-relay/core/html/field_view';
import type { Field, Form, FormView, Provided, Submission, Values } from '@form-relay/core/index';

/** How long a link can work: at most ten years. */
export const longestLinkMs = 3_653 * 86_400_000;

/** The values that a link fills in. The values are encrypted in the URL, so only the relay can read or change them. */
export interface Link {
  /** When it expires, in milliseconds since the epoch. */
  readonly until: number;
  readonly values: Values;
  /** The fields whose values visitors cannot change. */
  readonly locked: readonly string[];
  /** The link's id, if it works once. */
  readonly singleUse?: string | undefined;
  /** Set if a feature sent the form to one person. The link works once, and the form does not open without it. */
  readonly purpose?: LinkPurpose | undefined;
}

/** The feature that made a link, and its data. Forms without that feature reject the link. */
export interface LinkPurpose {
  readonly feature: keyof Provided;
  readonly data: readonly string[];
}

type Packed = readonly [
  untilSeconds: number,
  /** The id of a single-use link; 1 for a link that works repeatedly. */
  kind: string | number,
  locked: readonly string[],
  /** The purpose comes last. */
  ...values: (readonly [name: string, ...values: string[]] | LinkPurpose)[],
];

/** `fresh`: a text that was never used before. */
export function sealLink(secret: string, formId: string, link: Link, fresh: string): string {
  const { until, values, locked, singleUse = 1, purpose } = link;
  const entries = [...values].map(([name, all]) => [name, ...all] as const);
  const packed: Packed = [
    Math.floor(until / 1000),
    singleUse,
    locked,
    ...entries,
    ...(purpose ? [purpose] : []),
  ];
  return seal(secret, 'link', formId, deflateRawSync(JSON.stringify(packed)), fresh);
}

/** Opens a link. `undefined` if this relay did not encrypt it for this form. */
export function openLink(secret: string, formId: string, sealed: string): Link | undefined {
  const content = unseal(secret, 'link', formId, sealed);
  if (!content) return undefined;
  try {
    const text = inflateRawSync(content, { maxOutputLength: mostBytes }).toString();
    const [until, kind, locked, ...packed] = JSON.parse(text) as Packed;
    const values = new Map<string, readonly string[]>();
    let purpose: LinkPurpose | undefined;
    for (const one of packed)
      if ('feature' in one) purpose = one;
      else values.set(one[0], one.slice(1));
    const singleUse = typeof kind === 'string' ? kind : undefined;
    return { until: until * 1000, values, locked, singleUse, purpose };
  } catch {
    // Another version of the relay may have used another format.
    return undefined;
  }
}

/** Limits decompression. */
const mostBytes = 65_536;

/** The name of the input and of the query parameter that contain the link. */
export const linkField = 'fill';

export type Opened =
  | { readonly kind: 'none' | 'unknown' }
  | { readonly kind: 'open' | 'expired'; readonly link: Link; readonly sealed: string };

const mostTried = 10;

/** Opens the first link that is for this form, because a page with several forms may be opened with one link per form. */
export function openedLink(
  secret: string,
  { id, provided }: Pick<Form, 'id' | 'provided'>,
  values: Values,
  now: number,
): Opened {
  const all = withoutEmpty(values.get(linkField) ?? []).slice(0, mostTried);
  const opened = all.map((sealed): Opened => {
    const link = secret === '' ? undefined : openLink(secret, id, sealed);
    const { feature } = link?.purpose ?? {};
    if (!link || (feature && provided.get(feature) === undefined)) return { kind: 'unknown' };
    return { kind: now > link.until ? 'expired' : 'open', link, sealed };
  });
  const known = opened.find(({ kind }) => kind === 'open') ?? opened.find(({ kind }) => kind === 'expired');
  return known ?? opened[0] ?? { kind: 'none' };
}

/** The link in the URL, or in what was sent. */
export function openedIn({ isLoaded, settings, form, sent, request, now = 0 }: FormView): Opened {
  if (isLoaded) return { kind: 'none' };
  const values = sent ?? (request && parseQuery(request.query)) ?? new Map();
  return openedLink(settings?.formTokenSecret ?? '', form, values, now);
}

/** The submitted values, in which the link's locked values replace whatever was sent. */
export function fixedValues(
  { sent, form }: Pick<Submission, 'sent' | 'form'>,
  { locked, values }: Pick<Link, 'locked' | 'values'>,
): Values {
  if (locked.length === 0) return sent;
  const isLocked = (name: string) => locked.some((one) => name === one || name.startsWith(`${one}.`));
  const own = [...sent].filter(([name]) => !isLocked(name));
  const fixed = new Map(locked.map((name) => [name, values.get(name) ?? []] as const));
  return new Map([...own, ...spread(fixed, form.fields)]);
}

/** Splits the stored value of fields with several inputs into the inputs' values. */
export function spread(values: Values, fields: readonly Field[]): Values {
  const all = new Map(values);
  for (const field of fields) {
    const [stored] = values.get(field.name) ?? [];
    if (!field.inputs || stored === undefined) continue;
    all.delete(field.name);
    for (const [name, sent] of sentByInputs(field, stored)) all.set(name, sent);
  }
  return all;
}
