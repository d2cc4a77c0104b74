import { createHash } from 'node:crypto';
import { partsInFormCode } from '../../built/inline.ts';
import { formStyle, pageStyle } from '../../built/style.ts';
import { attributes, type Html, html } from '../base/html.ts';
import { labelOf } from '../fields/field.ts';
import type { ChallengeAsked, Form, PageKind, Policy } from '../form.ts';
import { say as sayInEnglish } from '../messages/message.ts';
import { scriptsOfFields } from './field_view.ts';
import { partsOf } from './script_attributes.ts';

/** The style of the relay's own pages: that of forms, and of what stands around them. */
const style = html`${formStyle}${pageStyle}`;

/** A complete page around a form, or a message about it, for browsers that came without htmx. */
export interface Page {
  readonly markup: Html;
  /** For the `Content-Security-Policy` header: this style, the captcha's scripts and nothing else. */
  readonly policy: string;
}

interface PageParts {
  /** Absent where the config has none of this name; `reader` then has the language. */
  readonly form: Form | undefined;
  readonly kind: PageKind;
  readonly content: Html;
  /** The origins whose pages may show it in a frame, beside the relay's own; `*` names none. */
  readonly framedBy: '*' | ReadonlySet<string>;
  readonly reader?: Form | undefined;
  readonly challenge?: ChallengeAsked | undefined;
  /** The script that stands in `content`, where there is one. */
  readonly script?: Html | undefined;
}

export function renderPage(parts: PageParts): Page {
  const { form, kind, content, reader = form } = parts;
  const { heading, title } = form ? titlesOf(form, kind) : titlesWithoutForm(reader?.say ?? sayInEnglish);
  // Screen readers announce first that the form was sent.
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
  return { markup, policy: contentSecurityPolicy(parts) };
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

function contentSecurityPolicy({ form, kind, framedBy, challenge, script }: PageParts): string {
  const about = { kind, challenge, hasScript: script !== undefined };
  const policies = form?.answers.policies.map((policy) => policy(form, about)) ?? [];
  const sourcesOf = (place: keyof Policy) => policies.flatMap((policy) => policy[place] ?? []);
  const own = form && kind !== 'sent' ? scriptsOfFields(form) : [];
  const parts =
    form && kind !== 'sent' && partsOf(form).length > 0 ? ["'self'", hashSource(partsInFormCode)] : [];
  const scripts = [
    ...new Set([...[...(script ? [script] : []), ...own].map(hashSource), ...parts, ...sourcesOf('scripts')]),
  ];
  const directives = {
    'default-src': ["'none'"],
    'style-src': [hashSource(style), ...sourcesOf('styles')],
    // Browsers hold every redirect after a submission to this directive too, and nobody knows where those lead.
    ...(!form?.redirect && { 'form-action': ["'self'"] }),
    'base-uri': ["'none'"],
    // No other site may frame it (clickjacking), except those in ALLOWED_ORIGINS, which may read it anyway.
    'frame-ancestors': ["'self'", ...(framedBy === '*' ? [] : framedBy)],
    ...withSources('script-src', scripts),
    ...withSources('frame-src', sourcesOf('frames')),
    ...withSources('connect-src', sourcesOf('connections')),
    ...withSources('worker-src', sourcesOf('workers')),
  };
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources.join(' ')}`)
    .join('; ');
}

const withSources = (directive: string, sources: readonly string[]) =>
  sources.length > 0 && { [directive]: sources };

/** Names an inline script or style in a Content-Security-Policy. */
export const hashSource = (content: Html) =>
  `'sha256-${createHash('sha256').update(content.toString()).digest('base64')}'`;
