import type { RelayRequest, RelayResponse } from '../base/http.ts';
import type { FieldError } from '../base/outcome.ts';
import { parseQuery } from '../bodies/urlencoded.ts';
import type { Form } from '../form.ts';
import { chooseLanguage } from '../messages/languages.ts';
import { withoutLinks } from '../schema/linked_text.ts';
import { vary } from './cors.ts';
import { audienceOf } from './negotiation.ts';

/** The form in the language of whoever reads it: `?lang=`, else as the browser says, else the form's first. */
export function forVisitor(form: Form, request: RelayRequest): Form {
  const { variants } = form;
  if (variants.size === 0) return form;
  const offered = [...variants.keys()];
  const tag = asked(form, request) ?? acceptedAmong(request.headers['accept-language'] ?? '', offered);
  return variants.get(tag ?? form.language) ?? form;
}

/** As an error would be said: JSON is for programs, so it is in the first language; a script of a page asks for its own. */
export function forAnswer(form: Form, request: RelayRequest): Form {
  if (form.variants.size === 0) return form;
  const audience = audienceOf(request, form);
  if (audience === 'json') return form;
  if (audience === 'problem_json') return form.variants.get(asked(form, request) ?? '') ?? form;
  return forVisitor(form, request);
}

/** If a field is named `lang`, the query is for the field (SPEC: GET /api/v1/form/{form}). */
function asked({ fields, variants }: Form, { query }: RelayRequest): string | undefined {
  if (!query.includes('lang=') || fields.some(({ name }) => name === 'lang')) return undefined;
  const tag = parseQuery(query)?.get('lang')?.[0];
  return tag === undefined ? undefined : chooseLanguage([tag], [...variants.keys()]);
}

/** The language that an Accept-Language header prefers (RFC 9110, 12.5.4; RFC 4647); `undefined` if it accepts none. */
export function acceptedAmong(header: string, offered: readonly string[]): string | undefined {
  const ranges = header.split(',', mostRanges).map((range) => {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const q = parameters.find((parameter) => parameter.startsWith('q='));
    return { tag, quality: q === undefined ? 1 : Number(q.slice(2)) || 0 };
  });
  const isRefused = (one: string) =>
    ranges.some(
      ({ tag, quality }) => quality === 0 && tag !== '' && `${one.toLowerCase()}-`.startsWith(`${tag}-`),
    );
  const left = offered.filter((one) => !isRefused(one));
  const wanted = ranges.filter(({ quality }) => quality > 0).sort((a, b) => b.quality - a.quality);
  return chooseLanguage(
    wanted.map(({ tag }) => tag),
    left,
  );
}

/** People list a few. */
const mostRanges = 30;

/** Headers about an answer's language; `undefined` if the config names none. */
export function languageHeaders(
  form: Form | undefined,
  request: RelayRequest,
  headers: RelayResponse['headers'],
): Readonly<Record<string, string>> | undefined {
  if (form?.direction === undefined) return undefined;
  const depends = form.variants.size > 0 && { vary: `${vary}, Accept-Language` };
  const type = headers['content-type'];
  if (type === undefined) return { ...depends };
  const { language } = (type.startsWith('text/html') ? forVisitor : forAnswer)(form, request);
  return { 'content-language': language, ...depends };
}

/** Errors as the form found them, in the words of one of its languages: some quote the form itself. */
export const errorsIn = ({ fields }: Form, errors: readonly FieldError[]): readonly FieldError[] =>
  errors.map((error) => {
    if (error.params?.help === undefined) return error;
    const help = fields.find(({ name }) => name === error.field)?.help ?? '';
    return { ...error, params: { ...error.params, help: withoutLinks(help) } };
  });

export function errorBeside({ say, sentences }: Pick<Form, 'say' | 'sentences'>, error: FieldError): string {
  const code = sentences.get(error.field)?.codes[error.code];
  return say(code ? { code } : error);
}
