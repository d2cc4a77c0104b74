import type { Form } from '../../form.ts';
import { attributes, type Html, html } from '../../html.ts';
import { say } from '../../messages/message.ts';
import { apiPath, pageAddress, withQuery } from '../../views/api_urls.ts';
import { captchaBoxCode, captchaScoreCode, formEventsCode } from '../../views/browser_code.ts';
import { style } from '../../views/page_style.ts';
import { hashSource } from '../../views/page_view.ts';
import { type Mode, titleOf } from './forms_view.ts';

export interface Framed {
  readonly markup: Html;
  readonly policy: string;
}

/** Where the live form's page is. */
export const frameAddress = (form: Form, mode: Mode): string =>
  mode === 'plain' ? pageAddress('', form) : `/playground/${mode}/${encodeURIComponent(form.id)}`;

/** What an owner writes into a page of theirs, on another origin than the relay's; the link is for who has no script. */
export function pageSnippet(form: Form, htmx: 'htmx2' | 'htmx4', origin: string): string {
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

/** A page as an owner would make it: htmx, and one element that loads the form. */
export function hostPage(form: Form, htmx: 'htmx2' | 'htmx4', query: string): Framed {
  // A query fills the form in.
  const address = withQuery(apiPath('', 'form', form), query);
  return framed(
    titleOf(form),
    form,
    html`<div${attributes({ 'hx-get': address, 'hx-trigger': 'load' })}></div>`,
    html`<meta name="htmx-config" content='{"includeIndicatorStyles": false, "includeIndicatorCSS": false}'>
<script src="/playground/${htmx}.js"></script>
`,
  );
}

const english = { language: 'en', say };

/** Stands for the page of another site, to which a plain submission leads in the end. */
export const elsewhere = (location: string): Framed =>
  framed(
    'Sent on',
    english,
    html`<h1>The visitor would now be here:</h1>
<p><code>${location}</code></p>
<p class="field-help">The relay answered 303, and a browser goes there. The playground stays on this machine.</p>
`,
  );

function framed(
  title: string,
  { say, language }: Pick<Form, 'say' | 'language'>,
  content: Html,
  head?: Html,
): Framed {
  const scripts = [formEventsCode(say), captchaBoxCode, captchaScoreCode].map(hashSource).join(' ');
  return {
    markup: html`<!DOCTYPE html>
<html${attributes({ lang: language })}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
${head}</head>
<body>
<main>
${content}
</main>
</body>
</html>
`,
    policy: [
      "default-src 'none'",
      `script-src 'self' ${scripts}`,
      `style-src ${hashSource(style)}`,
      "connect-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'self'",
    ].join('; '),
  };
}
