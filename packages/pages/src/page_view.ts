import { createHash } from 'node:crypto';
import { attributes, type HtmlValue, html, withLinks } from '@form-relay/base/html';
import { labelOf } from '@form-relay/core/fields/label';
import { fragmentAnswer } from '@form-relay/core/html/fragments';
import { publicAddress } from '@form-relay/core/http/request';
import type { Html, RelayResponse, RenderContext, Rendered } from '@form-relay/core/index';
import { formStyle, pageStyle } from '@form-relay/element/built/style';
import type { LookFile } from './look/files.ts';
import type { Look } from './look/index.ts';
import { pageLook } from './look/style.ts';
import { mayRedirect } from './negotiation.ts';
import { pageAddress } from './printed_form.ts';

/** A form, an error (with or without the form), a confirmation, or the page at the relay's root URL. */
export type PageKind = 'form' | 'error' | 'sent' | 'home';

/** The style of the relay's own pages: the forms' style and the page's. */
const style = html`${formStyle}${pageStyle}`;
const styleSource = hashSource(style);

const known = new WeakMap<Look, { readonly own: Html; readonly source: string }>();

/** The style of a design, and its source expression for the Content-Security-Policy. */
function styleOf(look: Look, base: string) {
  const style = known.get(look);
  if (style && base === '') return style;
  const own = pageLook(look, base);
  const made = { own, source: hashSource(own) };
  if (base === '') known.set(look, made);
  return made;
}

type PageContent = Pick<Rendered, 'html'> & Partial<Rendered>;

/** A complete page around a form, or around a message about it, for browsers without htmx. */
export function pageAnswer(
  status: number,
  kind: PageKind,
  content: PageContent,
  answering: RenderContext,
): RelayResponse {
  const { pageLocale: locale, form, request } = answering;
  const { heading, title } = titlesOf(kind, answering);
  const { mountPath: base = '' } = request;
  const script = { src: `${base}/api/v1/form.js`, defer: true };
  const look = form?.provided.get('look');
  const own = look && styleOf(look, base);
  // Screen readers first announce that the form was sent.
  const focus = kind === 'sent' && { tabindex: -1, autofocus: true };
  const markup = html`<!DOCTYPE html>
<html${attributes({ lang: locale.language ?? 'en', dir: locale.direction })}>
<head>
<meta charset="utf-8">
<meta${attributes({ name: 'viewport', content: 'width=device-width, initial-scale=1' })}>
${!(look?.indexed && kind === 'form') && html`<meta name="robots" content="noindex">\n`}<title>${title}</title>
${kind === 'form' && previewOf(title, answering)}<link rel="icon" href="${iconOf(look, base)}">
<style>${style}</style>
${own && html`<style>${own.own}</style>\n`}${content.hasScript && html`<script${attributes(script)}></script>\n`}</head>
<body>
${look?.cover && html`<img class="cover" src="${sourceOf(look.cover, base)}" alt="">\n`}<main>
${look?.logo && html`<img class="logo"${attributes({ src: sourceOf(look.logo, base), alt: look.name ?? '' })}>\n`}<h1${attributes({ ...focus })}>${heading}</h1>
${content.html}</main>
${look?.footer && html`<footer>${withLinks(locale.text(look.footer))}</footer>\n`}</body>
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

/** Allows this style, the form's script, and what the form's markup loads, but nothing else. */
function contentSecurityPolicy(
  { sources = [], scripts = [], hasScript = false }: PageContent,
  { form, settings, request }: RenderContext,
): string {
  const look = form?.provided.get('look');
  const directives = new Map<string, readonly string[]>([
    ['default-src', ["'none'"]],
    ['style-src', [styleSource, ...(look ? [styleOf(look, request.mountPath ?? '').source] : [])]],
    ['img-src', ['data:', ...[look?.logo, look?.cover, look?.icon].flatMap(originOf)]],
    ...(look?.fontFile ? [['font-src', originOf(look.fontFile)] as const] : []),
    ['form-action', ["'self'"]],
    ['base-uri', ["'none'"]],
    // No other site may embed it in a frame (clickjacking), except those in ALLOWED_ORIGINS, which may read it anyway.
    ['frame-ancestors', ["'self'", ...(settings.allowedOrigins === '*' ? [] : settings.allowedOrigins)]],
  ]);
  // Browsers also apply this directive to redirects after a submission, and the relay cannot know where those lead.
  if (mayRedirect(form)) directives.delete('form-action');
  if (scripts.length > 0) directives.set('script-src', scripts.map(hashSource));
  const ofScript = hasScript ? [{ 'script-src': ["'self'"], 'connect-src': ["'self'"] }] : [];
  for (const one of [...ofScript, ...sources])
    for (const [directive, all] of Object.entries(one))
      directives.set(directive, [...new Set([...(directives.get(directive) ?? []), ...all])]);
  return [...directives].map(([name, all]) => `${name} ${all.join(' ')}`).join('; ');
}

/** The source expression of an inline script or style in a Content-Security-Policy. */
function hashSource(content: Html): string {
  return `'sha256-${createHash('sha256').update(content.toString()).digest('base64')}'`;
}

/** The origin that an image or font is loaded from. */
const originOf = (file: LookFile | undefined): readonly string[] =>
  file ? [file.content ? "'self'" : new URL(file.address).origin] : [];

const sourceOf = ({ address, content }: LookFile, base: string): string =>
  content ? base + address : address;

/** An icon of a sheet with lines and a button, in the form's colour. */
function iconOf(look: Look | undefined, base: string): string {
  if (look?.icon) return sourceOf(look.icon, base);
  const { accent = '#1d4ed8', onAccent = '#ffffff' } =
    (look?.mode === 'dark' ? look.dark : look?.light) ?? {};
  const markup = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="${accent}"/><path d="M9 11h14M9 16h14M9 22h6" stroke="${onAccent}" stroke-width="3" stroke-linecap="round"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(markup)}`;
}

/** The preview that chats and social networks show for a shared URL (Open Graph, which X also reads). */
function previewOf(title: string, { form, request, settings, pageLocale: locale }: RenderContext): HtmlValue {
  const look = form?.provided.get('look');
  // Never trust the Host header.
  const address = publicAddress(request, settings.publicUrl);
  const picture = [look?.cover, look?.logo].find((one) => one && !one.content?.type.startsWith('image/svg'));
  const image = picture && (picture.content ? address && address + picture.address : picture.address);
  const description = look?.description && locale.text(look.description);
  const all = {
    'og:title': title,
    'og:type': 'website',
    'og:url': address && form && pageAddress(address, form, locale),
    'og:site_name': look?.name,
    'og:description': description,
    'og:image': image,
  };
  return [
    description && html`<meta name="description" content="${description}">\n`,
    Object.entries(all).map(
      ([property, content]) => content && html`<meta property="${property}" content="${content}">\n`,
    ),
    html`<meta name="twitter:card" content="${look?.cover && image ? 'summary_large_image' : 'summary'}">\n`,
  ];
}
