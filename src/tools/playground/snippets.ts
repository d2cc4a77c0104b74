import type { Form } from '../../form.ts';
import { attributes, html } from '../../html.ts';
import { apiPath, pageAddress, sendAddress } from '../../views/api_urls.ts';
import { titleOf } from './forms_view.ts';
import { formScriptPath } from './framed_page.ts';

export interface Snippet {
  /** What the site is made with. */
  readonly name: string;
  /** Where to paste it. */
  readonly file: string;
  readonly code: string;
}

/** What an owner writes into a page of theirs, on another origin than the relay's. The link is for who has no script. */
export function snippets(form: Form, origin: string): readonly Snippet[] {
  const src = apiPath(origin, 'form', form);
  const link = html`<a${attributes({ href: pageAddress(origin, form) })}>${titleOf(form)}</a>`;
  const script = (more = '') => `<script src="${origin}${formScriptPath}"${more} defer></script>`;
  const element = `<relay-form src="${src}">${link}</relay-form>`;
  const tag = `${script()}\n${element}`;
  const once = `<!-- index.html, in <head> -->\n${script()}\n\n`;
  return [
    { name: 'HTML', file: 'Into any page.', code: tag },
    {
      name: 'Hugo',
      file: 'As layouts/shortcodes/contact.html; then {{< contact >}} in a page.',
      code: tag,
    },
    {
      name: 'Jekyll',
      file: 'As _includes/contact.html; then {% include contact.html %} in a page.',
      code: tag,
    },
    {
      name: 'Astro',
      file: 'Into a page or component. is:inline leaves the script as it is.',
      code: `${script(' is:inline')}\n${element}`,
    },
    { name: 'Eleventy', file: 'Into a page or layout: Nunjucks, Liquid or Markdown.', code: tag },
    {
      name: 'React',
      file: 'React 19 knows elements of others.',
      code: `${once}{/* in a component */}\n${element}`,
    },
    {
      name: 'Vue',
      file: 'In vite.config, tell vue() that relay-form is no component of yours.',
      code: `${once}<!-- vite.config: vue({ template: { compilerOptions: { isCustomElement: (tag) => tag === 'relay-form' } } }) -->\n<!-- in a template -->\n${element}`,
    },
    { name: 'Svelte', file: 'Into a component.', code: `${once}<!-- in a component -->\n${element}` },
    { name: 'WordPress', file: 'Into a block “Custom HTML”, by somebody who may write scripts.', code: tag },
    {
      name: 'Your own markup',
      file: 'Keep your form. Its fields have the names that the config declares.',
      code: `${script()}\n${html`<form${attributes({ action: sendAddress(origin, form), method: 'post', 'data-form-relay': form.id })}>`}\n  …\n  <button>${html`${form.submitLabel}`}</button>\n</form>`,
    },
    { name: 'htmx 4', file: 'Into a page with htmx 4.', code: withHtmx(form, 'htmx4', origin) },
    { name: 'htmx 2', file: 'Into a page with htmx 2.', code: withHtmx(form, 'htmx2', origin) },
    {
      name: 'A link',
      file: 'Into any page, post or mail: it leads to the relay’s own page.',
      code: String(link),
    },
  ];
}

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
