/** Opens the link with which a form is shown or sent. */
import type { FormView } from '@form-relay/core/index';
import { firstValue, parseQuery } from '@form-relay/core/kit';
import { type Link, openLink } from './sealed_link.ts';

/** The input and the query parameter with the link. */
export const linkField = 'fill';

export type Opened =
  | { readonly kind: 'none' | 'unknown' | 'expired' }
  | { readonly kind: 'open'; readonly link: Link };

/** @param sealed Empty if there is none. */
export function openedLink(secret: string, formId: string, sealed: string, now: number): Opened {
  if (sealed === '') return { kind: 'none' };
  const link = secret === '' ? undefined : openLink(secret, formId, sealed);
  if (!link) return { kind: 'unknown' };
  return now > link.until ? { kind: 'expired' } : { kind: 'open', link };
}

/** The link in the address, or in what was sent. */
export const sealedIn = ({ sent, request }: FormView): string =>
  firstValue(sent ?? (request && parseQuery(request.query)) ?? new Map(), linkField);

export const openedIn = (view: FormView): Opened =>
  view.isAsked
    ? { kind: 'none' }
    : openedLink(view.settings?.formTokenSecret ?? '', view.form.id, sealedIn(view), view.now ?? 0);
