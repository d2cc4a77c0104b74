import type { RelayRequest } from '../base/http.ts';
import { parseUrl } from '../base/url.ts';
import type { Values } from '../base/values.ts';
import { type Field, inputsOf } from '../fields/field.ts';
import { meantBy } from '../fields/meaning.ts';
import type { AnswerContext, Filling, Form, FormView, Medium } from '../form.ts';
import { slotElementId, slotElementPrefix } from './fragments.ts';
import { htmxTarget } from './negotiation.ts';

/** A form as GET shows it, with values from the query. */
export function shownFirst(
  form: Form,
  query: Values,
  medium: Medium,
  context: AnswerContext,
  filling: Filling = {},
): FormView {
  const { request, settings } = context;
  const isInside = isAskedInside(form, request);
  // A field inside the form sends what the visitor has entered. Any other query may be a stranger's link.
  const open = isInside ? form.fields : form.fields.filter(({ from_query }) => from_query);
  return {
    base: addressBase(request, settings.publicUrl, medium),
    values: filling.values
      ? filled(form, declaredValues(inputsOf(open), query), filling.values)
      : declaredValues(inputsOf(open), query),
    seen: isInside ? seenBy(htmxTarget(request), form) : [],
    errors: [],
    messages: [],
    link: filling,
    answer: context,
    medium,
  };
}

/** The form below a note that says why a link fills in nothing. */
export function belowNote(form: Form, medium: Medium, { message }: Filling = {}): Form {
  // On a page with several forms, the link may be another's.
  if (!message || (medium === 'script' && message.code === 'fill_unknown')) return form;
  return { ...form, notes: [{ text: form.say(message), before: 0 }, ...form.notes] };
}

/** A link wins over the rest of the address. Rows and parts of a field have names of their own below its name. */
const filled = ({ inputs }: Form, asked: Values, link: Values): Values =>
  new Map([...asked, ...link, ...declaredValues(inputs, link)]);

/** Whether a field in the form asks which fields to show. */
export const isAskedInside = (form: Form, request: RelayRequest): boolean =>
  htmxTarget(request).startsWith(slotElementPrefix(form));

/**
 * The fields in view when one of them asks which fields to show. The other conditional fields in view are among the
 * values, if only empty (inline/form_events.ts).
 */
const seenBy = (asking: string, form: Form): readonly Field[] =>
  inputsOf(
    form.fields.filter(({ name, visible_when }) => !visible_when || slotElementId(form, name) === asking),
  );

/** Submitted values of the form's fields, without the token and the honeypot. */
export const declaredValues = (fields: readonly Field[], sent: Values): Map<string, readonly string[]> =>
  new Map(
    fields.flatMap((field) => {
      const values = sent.get(field.name);
      return values ? [[field.name, meantBy(field, values)]] : [];
    }),
  );

/**
 * The prefix of addresses in a rendered form: the mount path alone in a page of the relay's own origin, such as
 * its own pages (`plain`). A page of another origin needs the relay's: PUBLIC_URL, or what the request says of it.
 */
export function addressBase(request: RelayRequest, publicUrl: string | undefined, medium: Medium): string {
  const { headers, mountPath = '' } = request;
  const { origin, host: hostHeader = '', 'sec-fetch-site': site } = headers;
  if (medium === 'plain' || site === 'same-origin' || site === 'none') return mountPath;
  const host = firstOf(headers['x-forwarded-host']) ?? hostHeader;
  const from = origin ? parseUrl(origin) : undefined;
  // Older browsers, and all on plain HTTP, send no Sec-Fetch-Site.
  if (site === undefined && (!origin || from?.host === host)) return mountPath;
  if (publicUrl !== undefined) return publicUrl + mountPath;
  if (!/^[\w.:[\]-]+$/.test(host)) return mountPath;
  const scheme = /^https?$/.exec(firstOf(headers['x-forwarded-proto']) ?? '')?.[0];
  // A page that has a scheme of the web shares it; one from a file has none.
  if (scheme === undefined && /^https?:$/.test(from?.protocol ?? '')) return `//${host}${mountPath}`;
  return `${scheme ?? 'http'}://${host}${mountPath}`;
}

/** The value of the outermost proxy. */
const firstOf = (header: string | undefined) => header?.split(',')[0]?.trim() || undefined;
