/** The page on which a form was filled in. The client reports it, so it can be forged like any other submitted value. */

import { html } from '@form-relay/base/html';
import { parseUrl } from '@form-relay/base/url';
import { firstValue } from '@form-relay/base/values';
import { hiddenInput } from '@form-relay/core/html/fragments';
import type { Page, Plugin, RelayRequest, Values } from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { guard } from '@form-relay/core/submission';
import { pageContextCode } from '@form-relay/element/built/inline';
import { boolean } from '@form-relay/schema/scalars';
import { withDefault } from '@form-relay/schema/schema';
import { pageAt, plainText } from '@form-relay/schema/template';

/** The fields that report the page. Forms with `page` cannot have fields of these names. */
export const pageFields = { url: '_page_url', title: '_page_title' } as const;

const mostUrlCharacters = 2_000;
const mostTitleCharacters = 200;

/**
 * The page according to its own fields, htmx, or the browser; `undefined` if unknown.
 *
 * @param ownOrigins ALLOWED_ORIGINS; `*` lists none.
 * @param leftOut Parameters to remove from the URL.
 */
export function pageOf(
  sent: Values,
  { 'hx-current-url': current = '', referer = '' }: RelayRequest['headers'],
  ownOrigins: '*' | ReadonlySet<string> = '*',
  leftOut: readonly string[] = [],
): Page | undefined {
  const url = addressIn(firstValue(sent, pageFields.url)) ?? addressIn(current) ?? refererOf(referer);
  for (const name of leftOut) if (url?.searchParams.has(name)) url.searchParams.delete(name);
  return url && pageAt(url, titleIn(firstValue(sent, pageFields.title)), ownOrigins);
}

function addressIn(text: string): URL | undefined {
  if (text === '' || text.length > mostUrlCharacters) return undefined;
  const url = parseUrl(plainText(text));
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  // Some sites keep tokens in fragments, which servers never get.
  if (url.href.includes('#')) url.hash = '';
  return url.href.length > mostUrlCharacters ? undefined : url;
}

/** The page, or only the site, that links to the relay's own page: most browsers send only the site to another origin. */
function linkedFrom({ referer = '' }: RelayRequest['headers']): string | undefined {
  const url = addressIn(referer);
  return url && !isRelays(url) ? url.href : undefined;
}

/**
 * The Referer of a cross-origin request is only the site, which does not tell the page. The relay's own page
 * does not count, unless its URL has `utm_source`.
 */
function refererOf(referer: string): URL | undefined {
  const url = addressIn(referer);
  if (!url || (url.pathname === '/' && url.search === '')) return undefined;
  return isRelays(url) && !isTagged(url) ? undefined : url;
}

const isRelays = ({ pathname }: URL) => /\/api\/v1\/(form|submit)\//.test(pathname);
const isTagged = ({ pathname, search }: URL) =>
  pathname.includes('/api/v1/form/') && /[?&]utm[_-]/.test(search);

function titleIn(text: string): string {
  const line = text.trim();
  return line.length > mostTitleCharacters || /[\n\r\u2028\u2029]/.test(line) ? '' : plainText(line);
}

/** URL parameters that fill in the form: anyone who has the link can read the values. */
const linkField = 'fill';
const savedField = '_resume';

declare module '@form-relay/core/plugin' {
  interface Provided {
    /** The form records the page that contains it. */
    page: true;
  }
}

const page = feature({
  name: 'page',
  // Submissions that these features reject are kept with their page (`keep_dropped`).
  before: ['honeypot', 'min_fill', 'captcha', 'proof'],
  keys: {
    form: {
      page: withDefault(
        'false',
        'Whether to record the page that contained the form, for `.page.url` and others in [templates](#templates). That address may contain personal data (docs/page.md).',
        boolean(),
      ),
    },
  },
  configure: ({ form: { page: isWanted } }) => {
    if (!isWanted) return undefined;
    return {
      provides: true as const,
      reserves: Object.values(pageFields).map((name) => ({
        name,
        key: [],
        what: 'the hidden field for the page',
      })),
      beforeValidation: guard((submission) => {
        const { sent, request, settings, form } = submission;
        const leftOut = form.provided.get('links') ? [linkField, savedField] : [savedField];
        submission.page = pageOf(sent, request.headers, settings.allowedOrigins, leftOut);
        return undefined;
      }),
      markup: ({ request, sent, medium }) => {
        const { headers = {} } = request ?? {};
        const linked = medium === 'page' && !sent && linkedFrom(headers);
        const known = sent ? pageOf(sent, headers) : linked && { url: linked, title: '' };
        // On the relay's own page, no script fills in these inputs.
        const hasInputs = medium !== 'script' && (medium !== 'page' || known);
        return {
          ...(hasInputs && {
            inputs: html`${hiddenInput(pageFields.url, known ? known.url : '')}\n${hiddenInput(pageFields.title, known ? known.title : '')}\n`,
          }),
          ...(medium === 'script' && { attributes: { 'data-page': 'true' } }),
          ...(medium === undefined && { scripts: [pageContextCode] }),
        };
      },
    };
  },
});

/** Keys that decide who gets a submission, or what a server receives besides the payload. */
const decisiveKeys: ReadonlySet<unknown> = new Set(['to', 'reply_to', 'headers']);

export const plugin: Plugin = {
  name: 'page',
  features: [page],
  validate: (forms, at) => {
    for (const { id, outputs, provided } of forms.values()) {
      if (!provided.get('page')) continue;
      for (const [index, { templates }] of outputs.entries())
        for (const { path, template } of templates)
          for (const read of decisiveKeys.has(path[0]) ? template.pagePaths : [])
            at.in('forms', id, 'outputs', index, ...path.slice(0, path[0] === 'headers' ? 2 : 1)).warning(
              `anyone who sends the form, or links to its page, controls ${read}, on which this setting depends; do not use .page in to, reply_to and headers`,
            );
    }
  },
};
