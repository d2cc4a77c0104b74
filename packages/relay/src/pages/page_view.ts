import { createHash } from 'node:crypto';
import { captchaScoreCode, guardInFormCode } from '../../built/inline.ts';
import { attributes, type Html, html } from '../base/html.ts';
import { captcha } from '../features/captcha/captcha.ts';
import { labelOf } from '../fields/field.ts';
import type { Form } from '../form.ts';
import { say as sayInEnglish } from '../messages/message.ts';
import { style } from './page_style.ts';

/** What a page is about: a form to fill in, what went wrong (with the form or without it), or that it was sent. */
export type PageKind = 'form' | 'error' | 'sent';

/** A complete page around a form, or a message about it, for browsers that came without htmx. */
export interface Page {
  readonly markup: Html;
  /** For the `Content-Security-Policy` header: this style, the captcha's scripts and nothing else. */
  readonly policy: string;
}

/**
 * `form` is absent where the config has none of this name; `reader` then has the language. `framedBy`: the origins whose pages may show it in a frame,
 * beside the relay's own; `*` names none. `script`: the one that stands in `content`, where there is one.
 * `isGuarded`: the form loads views/guard, which works in a worker and asks the relay for puzzles.
 */
export function renderPage(
  form: Form | undefined,
  kind: PageKind,
  content: Html,
  framedBy: '*' | ReadonlySet<string>,
  reader: Form | undefined = form,
  script?: Html,
  isGuarded = false,
  asksForCaptcha = false,
): Page {
  const { heading, title } = form ? titlesOf(form, kind) : titlesWithoutForm(reader?.say ?? sayInEnglish);
  // What has happened is to be heard first, also by those who do not see that the page is another one.
  const focus = kind === 'sent' && { tabindex: -1, autofocus: true };
  const markup = html`<!DOCTYPE html>
<html${attributes({ lang: reader?.language ?? 'en', dir: reader?.direction })}>
<head>
<meta charset="utf-8">
<meta${attributes({ name: 'viewport', content: 'width=device-width, initial-scale=1' })}>
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1${attributes({ ...focus })}>${heading}</h1>
${content}</main>
</body>
</html>
`;
  return { markup, policy: contentSecurityPolicy(form, framedBy, script, isGuarded, asksForCaptcha) };
}

function titlesOf({ say, title, id }: Form, kind: PageKind) {
  const heading = title ?? labelOf({ name: id });
  const code = titleCodes[kind];
  return { heading, title: code ? say({ code, params: { title: heading } }) : heading };
}

const titleCodes = { form: undefined, error: 'page_title_with_errors', sent: 'page_title_sent' } as const;

function titlesWithoutForm(say: Form['say']) {
  const problem = say({ code: 'page_title_problem' });
  return { heading: problem, title: problem };
}

function contentSecurityPolicy(
  form: Form | undefined,
  framedBy: '*' | ReadonlySet<string>,
  script: Html | undefined,
  isGuarded: boolean,
  asksForCaptcha: boolean,
): string {
  const asked = form && captcha.of(form);
  // A page allows a provider's scripts where it has its widget.
  const shown = asked?.onlyInDoubt && !asksForCaptcha ? undefined : asked;
  const providers = shown?.siteKey === undefined ? [] : shown.origins;
  const hasCaptcha = providers.length > 0 && !script;
  const own = isGuarded ? ["'self'"] : [];
  const scripts = [
    ...(script ? [hashSource(script)] : []),
    ...(hasCaptcha ? [...providers, hashSource(captchaScoreCode)] : []),
    ...(isGuarded ? [...own, hashSource(guardInFormCode)] : []),
  ];
  const directives = {
    'default-src': ["'none'"],
    'style-src': [hashSource(style), ...providers],
    // Browsers hold every redirect after a submission to this directive too, and nobody knows where those lead.
    ...(!form?.redirect && { 'form-action': ["'self'"] }),
    'base-uri': ["'none'"],
    // No other site may frame it (clickjacking), except those in ALLOWED_ORIGINS, which may read it anyway.
    'frame-ancestors': ["'self'", ...(framedBy === '*' ? [] : framedBy)],
    ...(scripts.length > 0 && { 'script-src': scripts }),
    ...(hasCaptcha && { 'frame-src': providers }),
    ...((hasCaptcha || isGuarded) && { 'connect-src': [...(hasCaptcha ? providers : []), ...own] }),
    ...(isGuarded && { 'worker-src': ['blob:'] }),
  };
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources.join(' ')}`)
    .join('; ');
}

/** Names an inline script or style in a Content-Security-Policy. */
export const hashSource = (content: Html) =>
  `'sha256-${createHash('sha256').update(content.toString()).digest('base64')}'`;
