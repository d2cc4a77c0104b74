import { attributes, html } from '@form-relay/base/html';
import type { Form, Locale } from '@form-relay/core/index';
import { curlLine, type Sample } from '@form-relay/dry-run/samples';
import {
  formAddress,
  formLink,
  formScriptPath,
  formTag,
  pageAddress,
  printedForm,
  scriptTag,
  styleLink,
} from '@form-relay/pages/printed_form';
import type { SiteState, Snippet } from './state.ts';

/** `npm run sites` builds its sites with these very parts, by name and number, and sends their forms. */
export function snippets(form: Form, locale: Locale, origin: string): readonly Snippet[] {
  const tag = String(formTag(form, origin, locale));
  const script = String(scriptTag(origin));
  const link = String(styleLink(origin, form));
  const loaded = `${link}\n${script}`;
  const all = `${loaded}\n${tag}`;
  const head = { where: 'Into <head> of index.html.', code: loaded };
  const one = (name: string, where: string, code: string): Snippet => ({ name, parts: [{ where, code }] });
  return [
    one('HTML', 'Into any page.', all),
    {
      name: 'Hugo',
      parts: [
        { where: 'As layouts/shortcodes/contact.html.', code: all },
        { where: 'Into a page.', code: '{{< contact >}}' },
      ],
    },
    {
      name: 'Jekyll',
      parts: [
        { where: 'As _includes/contact.html.', code: all },
        { where: 'Into a page.', code: '{% include contact.html %}' },
      ],
    },
    one(
      'Astro',
      'Into a page or a component. is:inline leaves the script as it is.',
      `${link}\n<script is:inline${attributes({ src: origin + formScriptPath, defer: true })}></script>\n${tag}`,
    ),
    one('Eleventy', 'Into a page: Nunjucks or Markdown.', all),
    { name: 'React', parts: [head, { where: 'Into a component, with React 19.', code: tag }] },
    {
      name: 'Vue',
      parts: [
        head,
        {
          where: 'Into vite.config.js, as a plugin: relay-form is not a Vue component.',
          code: "vue({ template: { compilerOptions: { isCustomElement: (tag) => tag === 'relay-form' } } })",
        },
        { where: 'Into the template of a component.', code: tag },
      ],
    },
    { name: 'Svelte', parts: [head, { where: 'Into a component.', code: tag }] },
    one(
      'WordPress',
      'Into a block “Custom HTML”. If your account may not add scripts, WordPress keeps only the link to the relay’s own page.',
      all,
    ),
    one(
      'A printed form',
      'Into any page. Change anything except the names of fields.',
      String(printedForm(form, origin, { locale, script: true })),
    ),
    one('htmx 4', 'Into a page with htmx 4.', withHtmx(form, locale, 'htmx4', origin)),
    one('htmx 2', 'Into a page with htmx 2.', withHtmx(form, locale, 'htmx2', origin)),
    one(
      'A link',
      'Into any page, post or mail: links to the relay’s own page.',
      String(formLink(form, origin, locale)),
    ),
  ];
}

function withHtmx(form: Form, locale: Locale, htmx: 'htmx2' | 'htmx4', origin: string): string {
  const load = { 'hx-get': formAddress(origin, form, locale), 'hx-trigger': 'load' };
  return `<meta name="htmx-config" content='${crossOriginConfig[htmx]}'>
<script src="https://cdn.jsdelivr.net/npm/htmx.org@${htmxVersions[htmx]}/dist/htmx.min.js"></script>
${styleLink(origin, form)}
${html`<div${attributes(load)}>
  ${formLink(form, origin, locale)}
</div>`}`;
}

/** The versions in package.json, which the studio's own pages load. */
const htmxVersions = { htmx2: '2.0.11', htmx4: '4.0.1' } as const;

/** By default, htmx talks only to its own origin; htmx 4 reads the setting before it loads. */
const crossOriginConfig = { htmx2: '{"selfRequestsOnly": false}', htmx4: '{"mode": "cors"}' } as const;

/** Code to copy: the form in a page of each kind, and lines for a terminal. */
export function siteOf(form: Form, locale: Locale, origin: string, samples: readonly Sample[]): SiteState {
  const url = `${origin}/api/v1/submit/${encodeURIComponent(form.id)}`;
  const captcha = form.provided.get('captcha');
  const token: readonly Sample[] = captcha ? [[captcha.field, 'pretend-human']] : [];
  return {
    page: pageAddress(origin, form),
    snippets: snippets(form, locale, origin),
    curl: curlLine(url, [...samples, ...token]),
    curlNote: form.cards.find(({ withoutBrowser }) => withoutBrowser)?.withoutBrowser ?? '',
  };
}
