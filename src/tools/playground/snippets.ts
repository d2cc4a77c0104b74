import type { Form } from '../../form.ts';
import { attributes, html } from '../../html.ts';
import { apiPath, pageAddress } from '../../views/api_urls.ts';
import { titleOf } from './forms_view.ts';

export interface Snippet {
  /** What the site is made with. */
  readonly name: string;
  /** Where to paste it. */
  readonly file: string;
  readonly code: string;
}

/** What an owner writes into a page of theirs, on another origin than the relay's. */
export const snippets = (form: Form, origin: string): readonly Snippet[] => [
  { name: 'htmx 4', file: 'Into a page with htmx 4', code: withHtmx(form, 'htmx4', origin) },
  { name: 'htmx 2', file: 'Into a page with htmx 2', code: withHtmx(form, 'htmx2', origin) },
  {
    name: 'A link',
    file: 'Into any page, post or mail: it leads to the relay’s own page',
    code: String(html`<a${attributes({ href: pageAddress(origin, form) })}>${titleOf(form)}</a>`),
  },
];

/** The link is for who has no script. */
function withHtmx(form: Form, htmx: 'htmx2' | 'htmx4', origin: string): string {
  const load = { 'hx-get': apiPath(origin, 'form', form), 'hx-trigger': 'load' };
  return `<meta name="htmx-config" content='${crossOriginConfig[htmx]}'>
<script src="https://cdn.jsdelivr.net/npm/htmx.org@${htmxVersions[htmx]}/dist/htmx.min.js"></script>
${html`<div${attributes(load)}>
  <a${attributes({ href: pageAddress(origin, form) })}>${titleOf(form)}</a>
</div>`}`;
}

/** Those of package.json, which the playground's own pages load. */
const htmxVersions = { htmx2: '2.0.11', htmx4: '4.0.1' } as const;

/** htmx talks to its own origin only, unless it is told; htmx 4 wants to be told before it is loaded. */
const crossOriginConfig = { htmx2: '{"selfRequestsOnly": false}', htmx4: '{"mode": "cors"}' } as const;
