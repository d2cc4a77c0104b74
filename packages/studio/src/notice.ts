import type { RelayRequest, RelayResponse } from '@form-relay/core/index';
import { html } from '@form-relay/core/kit';
import { isForVisitors } from './guard.ts';

/** Outside the studio, forms look like those of a running relay: what their visitors see says whether they deliver. */
export function withNotice(
  answer: RelayResponse,
  request: RelayRequest,
  isDelivering: boolean,
): RelayResponse {
  if (!isOutside(request)) return answer;
  const words = isDelivering
    ? 'Served by the Form Relay studio, which really delivers what is sent (--live).'
    : 'Served by the Form Relay studio, which delivers nothing.';
  const notice = html`<div class="field-note" lang="en" dir="ltr"><strong>${words}</strong></div>\n`;
  const type = answer.headers['content-type'] ?? '';
  if (type.startsWith('text/html'))
    return { ...answer, body: answer.body.replace(shown, (tag) => `${tag}\n${notice}`) };
  if (request.method !== 'POST' || answer.status !== 200 || !type.includes('json')) return answer;
  const said = JSON.parse(answer.body);
  if (said.confirmation === undefined) return answer;
  said.confirmation = `${words} ${said.confirmation}`;
  if (said.confirmation_html) said.confirmation_html = `${notice}${said.confirmation_html}`;
  return { ...answer, body: JSON.stringify(said) };
}

/** Scripts and frames of the studio's own pages ask from its origin. */
const isOutside = ({ path, headers }: RelayRequest): boolean =>
  (isForVisitors(path) || path === '/studio/elsewhere') &&
  ((headers.origin ?? `http://${headers.host}`) !== `http://${headers.host}` ||
    headers['sec-fetch-dest'] === 'document' ||
    /^(?:same|cross)-site$/.test(headers['sec-fetch-site'] ?? ''));

/** Scripts take the form out of a fragment, and leave what stands around it. */
const shown = /<main[^>]*>|<(?:form|div) [^>]*class="form-(?:relay|confirmation)[^>]*>/;
