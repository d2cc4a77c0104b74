import type { Locale, Submission } from '@form-relay/core/index';

/**
 * Who reads the answer, and so the mail: JSON is for programs, so it is in the form's first language; a script of a page asks for
 * its own.
 */
export function readerOf({ form, request }: Pick<Submission, 'form' | 'request'>): Locale {
  const { headers, query } = request;
  const { accept = '', 'hx-request': byHtmx, 'sec-fetch-mode': mode } = headers;
  const isPerson =
    byHtmx !== undefined || mode === 'navigate' || /text\/html/.test(accept) || /(^|&)as=/.test(query);
  if (isPerson) return form.locale(request);
  return /problem\+json/.test(accept)
    ? form.locale({ ...request, headers: { ...headers, 'accept-language': undefined } })
    : form.locale(undefined);
}
