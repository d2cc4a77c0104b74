/** `page: true`: asks for the page on which the form is filled in. */

import { hiddenInput } from '@form-relay/core/html/fragments';
import { html } from '@form-relay/core/html/html';
import type { Plugin } from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { guard } from '@form-relay/core/submission';
import { pageContextCode } from '@form-relay/element/built/inline';
import { boolean } from '@form-relay/schema/scalars';
import { withDefault } from '@form-relay/schema/schema';
import { linkedFrom, pageFields, pageOf } from './page.ts';

/** A parameter of the page's address that fills in the form: whoever has the link can read what is in it. */
const linkField = 'fill';

declare module '@form-relay/core/plugin' {
  interface Provided {
    /** The form asks for its page. */
    page: true;
  }
}

const page = feature({
  name: 'page',
  // Submissions that these reject are kept with their page (`keep_dropped`).
  before: ['honeypot', 'min_fill', 'captcha', 'proof'],
  keys: {
    form: {
      page: withDefault(
        'false',
        'Whether the form asks for the page on which it is filled in, for `.page.url` and the like in [templates](#templates). Its address may hold personal data (docs/page.md).',
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
        const leftOut = form.provided.get('links') ? linkField : undefined;
        submission.page = pageOf(sent, request.headers, settings.allowedOrigins, leftOut);
        return undefined;
      }),
      markup: ({ request, sent, medium }) => {
        const { headers = {} } = request ?? {};
        const linked = medium === 'page' && !sent && linkedFrom(headers);
        const known = sent ? pageOf(sent, headers) : linked && { url: linked, title: '' };
        // On the relay's own page, no script fills them in.
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

/** Keys that decide who gets something, or what a server receives besides the payload. */
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
              `whoever sends the form, or made the link to its page, can put anything into ${read}, which decides this; keep .page out of to, reply_to and headers`,
            );
    }
  },
};
