import type { Locale, Submission } from '@form-relay/core/index';

/** Who reads the answer, and so the mail: programs get the form's first language, and scripts of pages choose one. */
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
