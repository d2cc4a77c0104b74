import { linkField } from '../../api_urls.ts';
import { linkUseName } from '../../base/doubt.ts';
import { firstValue, type Values } from '../../base/values.ts';
import { sentByParts } from '../../fields/stored_value.ts';
import type { AnswerContext, Filling, Form, Found, Passage } from '../../form.ts';
import { type Link, openLink } from './sealed_link.ts';

type Opened =
  | { readonly kind: 'none' | 'unknown' | 'expired' }
  | { readonly kind: 'open'; readonly link: Link };

/** @param sealed Empty where there is none. */
export function openedLink(
  { id }: Pick<Form, 'id'>,
  sealed: string,
  { settings, now }: Pick<AnswerContext, 'settings' | 'now'>,
): Opened {
  if (sealed === '') return { kind: 'none' };
  const link = settings.formTokenSecret ? openLink(settings.formTokenSecret, id, sealed) : undefined;
  if (!link) return { kind: 'unknown' };
  return now > link.until ? { kind: 'expired' } : { kind: 'open', link };
}

/** What a link fills in, or what visitors read of it. */
export function filling(
  isRequired: boolean,
  form: Form,
  sealed: string,
  context: Pick<AnswerContext, 'settings' | 'now'>,
): Filling {
  const opened = openedLink(form, sealed, context);
  if (isRequired && !isOwners(opened))
    return { refusal: { code: opened.kind === 'expired' ? 'link_expired' : 'link_missing' } };
  if (opened.kind === 'none') return {};
  if (opened.kind !== 'open')
    return { message: { code: opened.kind === 'expired' ? 'fill_expired' : 'fill_unknown' } };
  const { values, locked } = opened.link;
  return { values: inParts(values, form), token: sealed, locked: new Set(locked) };
}

const isOwners = (opened: Opened): boolean => opened.kind === 'open' && opened.link.isOwners;

const openedIn = ({ form, submission, settings }: Passage): Opened =>
  openedLink(form, firstValue(submission.values, linkField), { settings, now: submission.receivedAt });

/** A form that takes links alone is sent with one. */
export function checkLink(passage: Passage): Found {
  const opened = openedIn(passage);
  if (isOwners(opened)) return { evidence: { check: 'links', code: 'open' } };
  const isExpired = opened.kind === 'expired';
  return {
    evidence: { check: 'links', code: isExpired ? 'expired' : 'missing' },
    ending: { kind: 'link_needed', refusal: { code: isExpired ? 'link_expired' : 'link_missing' } },
  };
}

/** Notes the link for the count, right before the delivery, if it works once. */
export function claimUse(passage: Passage, isCounted: boolean): Found {
  const opened = openedIn(passage);
  if (opened.kind !== 'open' || opened.link.singleUse === undefined) return {};
  if (!isCounted)
    return {
      evidence: { check: 'links', code: 'nowhere' },
      ending: { kind: 'uncounted', refusal: { code: 'link_uncounted' } },
    };
  return { marks: new Map([[linkUseName, [opened.link.singleUse]]]) };
}

/** The submitted values with those that the link locks, whatever was sent in their place. */
export function fixedValues(
  values: Values,
  form: Form,
  context: Pick<AnswerContext, 'settings' | 'now'>,
): Values {
  const opened = openedLink(form, firstValue(values, linkField), context);
  if (opened.kind !== 'open' || opened.link.locked.length === 0) return values;
  const { locked, values: filled } = opened.link;
  const fixed = new Map([...values, ...locked.map((name) => [name, filled.get(name) ?? []] as const)]);
  for (const { name, parts } of form.fields)
    if (parts && locked.includes(name)) for (const part of parts.all) fixed.delete(part.name);
  return inParts(fixed, form, locked);
}

/** With what the parts of a field would send in place of its value, which nobody sends. */
function inParts(values: Values, { fields }: Form, only?: readonly string[]): Values {
  const ofParts = fields.filter(
    ({ name, parts }) => parts && values.has(name) && (!only || only.includes(name)),
  );
  if (ofParts.length === 0) return values;
  const spread = new Map(values);
  for (const field of ofParts) {
    const [value = ''] = values.get(field.name) ?? [];
    spread.delete(field.name);
    for (const [name, sent] of sentByParts(field, value)) spread.set(name, sent);
  }
  return spread;
}
