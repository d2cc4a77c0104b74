/**
 * The link for changing or withdrawing a submission. The link itself contains the encrypted submission, so
 * nothing has to be stored.
 */

import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { parseJson } from '@form-relay/base/json';
import { seal, unseal } from '@form-relay/base/seal';
import { mostLinkCharacters } from '@form-relay/base/url';
import { apiPath } from '@form-relay/core/html/element_ids';
import { publicAddress } from '@form-relay/core/http/request';
import type { Form, Outcome, Settings, Submission, Values } from '@form-relay/core/index';
import { noTokenSecret, refused } from '@form-relay/core/submission';

/** The query parameter of the link. */
export const linkParameter = 't';

/** The name of the form's input, and of its page's query parameter, that carry the content of the link. */
export const changeField = 'change';

/** A submission that may be changed or withdrawn. */
export interface Changeable {
  /** The id of the submission. Changes have their own ids. */
  readonly id: string;
  readonly receivedAt: number;
  /** When the right to change it ends, in milliseconds since the epoch. */
  readonly until: number;
  /** The fields whose values the owner's link fixed. */
  readonly locked: readonly string[];
}

export interface ChangeLink extends Changeable {
  /** The submission or the change that has these values. */
  readonly latest: string;
  readonly values: Values;
  /** Whether the link is too short to hold all values. */
  readonly isPart: boolean;
  /** Whether a check dropped the submission, which its sender must not learn. */
  readonly isDecoy: boolean;
}

type Packed = readonly [
  id: string,
  receivedAt: number,
  forSeconds: number,
  latest: string,
  flags: number,
  locked: readonly string[],
  ...values: (readonly [name: string, ...values: string[]])[],
];

/** Limits decompression. */
const mostBytes = 65_536;

/** The address for a mail or a response, with as many values as fit. `undefined`: no link can be made. */
export function changeAddress(
  { form, request, services, settings }: Submission,
  link: Omit<ChangeLink, 'isPart'>,
): string | undefined {
  const { formTokenSecret: secret, publicUrl } = settings;
  const relay = publicAddress(request, publicUrl);
  if (secret === '' || relay === undefined) return undefined;
  const query = [form.locale(request).query, `${linkParameter}=`].filter(Boolean).join('&');
  const address = `${apiPath(relay, 'changes', form.id)}?${query}`;
  const sizeOf = ([, all]: readonly [string, readonly string[]]) => all.join('').length;
  const values = [...link.values].toSorted((a, b) => sizeOf(a) - sizeOf(b));
  // Assumes that values compress to a quarter of their length at best.
  for (let left = 4 * mostLinkCharacters, index = 0; index < values.length; index += 1) {
    left -= sizeOf(values[index] as (typeof values)[number]);
    if (left < 0) values.length = index;
  }
  for (;;) {
    const isPart = values.length < link.values.size;
    const sealed = sealLink(secret, form, { ...link, values: new Map(values), isPart }, services.uuid());
    if (address.length + sealed.length <= mostLinkCharacters || values.length === 0) return address + sealed;
    values.pop();
  }
}

function sealLink(secret: string, { id: formId }: Pick<Form, 'id'>, link: ChangeLink, fresh: string): string {
  const { id, receivedAt, until, latest, values, locked, isDecoy, isPart } = link;
  const flags = (isPart ? 1 : 0) + (isDecoy ? 2 : 0);
  const seconds = Math.ceil((until - receivedAt) / 1_000);
  const entries = [...values].map(([name, all]) => [name, ...all] as const);
  const packed: Packed = [id, receivedAt, seconds, latest, flags, locked, ...entries];
  return seal(secret, 'change', formId, deflateRawSync(JSON.stringify(packed)), fresh);
}

/** The content of a link, or why it is refused. */
export function openLink(
  { formTokenSecret: secret }: Pick<Settings, 'formTokenSecret'>,
  form: Pick<Form, 'id'>,
  sealed: string,
  now: number,
): ChangeLink | Outcome {
  if (secret === '') return noTokenSecret;
  const content = unseal(secret, 'change', form.id, sealed);
  const packed = content && (parseJson(inflated(content)) as Packed | undefined);
  if (!packed)
    return refuse(
      400,
      'change_unknown',
      'the link is incomplete, or belongs to another form or FORM_TOKEN_SECRET',
    );
  const [id, receivedAt, forSeconds, latest, flags, locked, ...entries] = packed;
  const until = receivedAt + forSeconds * 1_000;
  if (now > until) return refuse(410, 'change_expired', 'the link has expired');
  const values = new Map(entries.map(([name, ...all]) => [name, all] as const));
  const [isPart, isDecoy] = [(flags & 1) > 0, (flags & 2) > 0];
  return { id, receivedAt, until, latest, locked, values, isPart, isDecoy };
}

function inflated(content: Uint8Array): string {
  try {
    return inflateRawSync(content, { maxOutputLength: mostBytes }).toString();
  } catch {
    return '';
  }
}

/** Replaces both the form and the submitted values. */
export const refuse = (status: number, code: string, why: string): Outcome => ({
  ...refused(status, code),
  kind: 'change_refused',
  isClosed: true,
  by: 'changes',
  why,
});
