import { createHash } from 'node:crypto';
import { attributes, html } from '@form-relay/base/html';
import { labelOf } from '@form-relay/core/fields/label';
import { fragmentAnswer } from '@form-relay/core/html/fragments';
import type { Html, RelayResponse, RenderContext, Rendered } from '@form-relay/core/index';
import { formStyle, pageStyle } from '@form-relay/element/built/style';
import { mayRedirect } from './negotiation.ts';

/** A form, an error (with the form or without it), a confirmation, or the page at the relay's own address. */
export type PageKind = 'form' | 'error' | 'sent' | 'home';

/** The style of the relay's own pages: that of forms, and of what stands around them. */
const style = html`${formStyle}${pageStyle}`;
const styleSource = hashSource(style);

type PageContent = Pick<Rendered, 'html'> & Partial<Rendered>;

/** A complete page around a form, or a message about it, for browsers that came without htmx. */
export function pageAnswer(
  status: number,
  kind: PageKind,
  content: PageContent,
  answering: RenderContext,
): RelayResponse {
  const { pageLocale: locale } = answering;
  const { heading, title } = titlesOf(kind, answering);
  const script = { src: `${answering.request.mountPath ?? ''}/api/v1/form.js`, defer: true };
  // Screen readers announce first that the form was sent.
  const focus = kind === 'sent' && { tabindex: -1, autofocus: true };
  const markup = html`<!DOCTYPE html>
<html${attributes({ lang: locale.language ?? 'en', dir: locale.direction })}>
<head>
<meta charset="utf-8">
<meta${attributes({ name: 'viewport', content: 'width=device-width, initial-scale=1' })}>
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${style}</style>
${content.hasScript && html`<script${attributes(script)}></script>\n`}</head>
<body>
<main>
<h1${attributes({ ...focus })}>${heading}</h1>
${content.html}</main>
</body>
</html>
`;
  const answer = fragmentAnswer(status, markup);
  return {
    ...answer,
    headers: {
      ...answer.headers,
      ...(locale.language !== undefined && { 'content-language': locale.language }),
      'content-security-policy': contentSecurityPolicy(content, answering),
    },
  };
}

function titlesOf(kind: PageKind, { form, pageLocale: locale }: RenderContext) {
  const { translate } = locale;
  if (kind === 'home') return { heading: 'Form Relay', title: 'Form Relay' };
  if (!form) {
    const problem = translate({ code: 'page_title_problem' });
    return { heading: problem, title: problem };
  }
  const heading = form.title === undefined ? labelOf({ name: form.id }, locale) : locale.text(form.title);
  const code = { form: undefined, error: 'page_title_with_errors', sent: 'page_title_sent' }[kind];
  return { heading, title: code ? translate({ code, params: { title: heading } }) : heading };
}

/** This style, the form's script, what the form's markup loads, and nothing else. */
function contentSecurityPolicy(
  { sources = [], scripts = [], hasScript = false }: PageContent,
  { form, settings }: RenderContext,
): string {
  const directives = new Map<string, readonly string[]>([
    ['default-src', ["'none'"]],
    ['style-src', [styleSource]],
    ['form-action', ["'self'"]],
    ['base-uri', ["'none'"]],
    // No other site may frame it (clickjacking), except those in ALLOWED_ORIGINS, which may read it anyway.
    ['frame-ancestors', ["'self'", ...(settings.allowedOrigins === '*' ? [] : settings.allowedOrigins)]],
  ]);
  // Browsers hold every redirect after a submission to this directive too, and the relay cannot know where those lead.
  if (mayRedirect(form)) directives.delete('form-action');
  if (scripts.length > 0) directives.set('script-src', scripts.map(hashSource));
  const ofScript = hasScript ? [{ 'script-src': ["'self'"], 'connect-src': ["'self'"] }] : [];
  for (const one of [...ofScript, ...sources])
    for (const [directive, all] of Object.entries(one))
      directives.set(directive, [...new Set([...(directives.get(directive) ?? []), ...all])]);
  return [...directives].map(([name, all]) => `${name} ${all.join(' ')}`).join('; ');
}

/** Names an inline script or style in a Content-Security-Policy. */
function hashSource(content: Html): string {
  return `'sha256-${createHash('sha256').update(content.toString()).digest('base64')}'`;
}
