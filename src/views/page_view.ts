import { createHash } from 'node:crypto';
import type { Form } from '../form.ts';
import { attributes, type Html, html } from '../html.ts';
import { captchaScoreCode } from './browser_code.ts';
import { labelOf } from './field_view.ts';
import { style } from './page_style.ts';

/** A complete page around a form, or a message about it, for browsers that came without htmx. */
export interface Page {
  readonly markup: Html;
  /** For the `Content-Security-Policy` header: this style, the captcha's scripts and nothing else. */
  readonly policy: string;
}

/** `framedBy`: the origins whose pages may show it in a frame, beside the relay's own; `*` names none. */
export function renderPage(
  form: Form,
  content: Html,
  hasErrors: boolean,
  framedBy: '*' | ReadonlySet<string>,
): Page {
  const title = form.title ?? labelOf({ name: form.id });
  const markup = html`<!DOCTYPE html>
<html${attributes({ lang: form.language })}>
<head>
<meta charset="utf-8">
<meta${attributes({ name: 'viewport', content: 'width=device-width, initial-scale=1' })}>
<meta name="robots" content="noindex">
<title>${hasErrors ? form.say({ code: 'page_title_with_errors', params: { title } }) : title}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}</main>
</body>
</html>
`;
  return { markup, policy: contentSecurityPolicy(form, framedBy) };
}

function contentSecurityPolicy({ captcha, redirect }: Form, framedBy: '*' | ReadonlySet<string>): string {
  const providers = captcha?.siteKey === undefined ? [] : captcha.origins;
  const directives = {
    'default-src': ["'none'"],
    'style-src': [hashSource(style), ...providers],
    // Browsers hold every redirect after a submission to this directive too, and nobody knows where those lead.
    ...(!redirect && { 'form-action': ["'self'"] }),
    'base-uri': ["'none'"],
    // No other site may frame it (clickjacking), except those in ALLOWED_ORIGINS, which may read it anyway.
    'frame-ancestors': ["'self'", ...(framedBy === '*' ? [] : framedBy)],
    ...(providers.length > 0 && {
      'script-src': [...providers, hashSource(captchaScoreCode)],
      'frame-src': providers,
      'connect-src': providers,
    }),
  };
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources.join(' ')}`)
    .join('; ');
}

/** Names an inline script or style in a Content-Security-Policy. */
export const hashSource = (content: Html) =>
  `'sha256-${createHash('sha256').update(content.toString()).digest('base64')}'`;
