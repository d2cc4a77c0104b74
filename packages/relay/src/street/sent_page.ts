/**
 * The page that follows a submission that ended well. To reload it sends nothing again. Its address holds what the page
 * says, sealed, and no submitted value; the relay stores nothing.
 */

import { apiPath, sealedField, withQuery } from '../api_urls.ts';
import type { RelayResponse } from '../base/http.ts';
import { open, seal } from '../base/seal.ts';
import type { Soon } from '../base/soon.ts';
import { firstValue } from '../base/values.ts';
import { parseQuery } from '../bodies/urlencoded.ts';
import type { AnswerContext, Form, Said } from '../form.ts';
import { confirmationPage } from '../pages/page_answer.ts';
import { failure, saying } from '../pages/respond.ts';

/** How long an address shows its page, in milliseconds. */
const shownForMs = 3_600_000;

/** All that the page needs beside the form. A drop has the same, so that nothing tells it apart. */
interface Sent {
  readonly said: Said;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly receipt?: string | undefined;
}

/** Relative to where the form was sent, so that it is right behind proxies that add a path of their own. */
export function sentAddress(form: Form, said: Said, context: AnswerContext): string {
  const { receipt, now: at, settings, requestId } = context;
  const content = Buffer.from(JSON.stringify({ said, at, receipt } satisfies Sent));
  const sealed = seal(settings.formTokenSecret, 'sent page', form.id, content, requestId);
  return withQuery(apiPath('../../..', 'sent', form), `${sealedField}=${sealed}`);
}

/** GET /api/v1/sent/{form} */
export function sentPage(form: Form, context: AnswerContext): Soon<RelayResponse> {
  const { request, settings, now } = context;
  const sealed = firstValue(parseQuery(request.query) ?? new Map(), sealedField);
  const content = settings.formTokenSecret && open(settings.formTokenSecret, 'sent page', form.id, sealed);
  const sent: Sent | undefined = content ? JSON.parse(content.toString()) : undefined;
  // The same words for an address that is too old and one that is not the relay's.
  if (!sent || now - sent.at > shownForMs) return failure(410, { code: 'sent_page_expired' }, context);
  const answer = confirmationPage(saying(form, sent.said), { ...context, receipt: sent.receipt });
  // Links in the confirmation tell nobody this address.
  return { ...answer, headers: { ...answer.headers, 'referrer-policy': 'no-referrer' } };
}
