/** The relay's own script (packages/element/src/element): which pages may load it, which forms it sends, and what these require. */

import { err, ok, type Result } from '@form-relay/base/result';
import { clientOf, decodeSegment, formSegments, isLoopback, parseUrl } from '@form-relay/base/url';
import type { Place } from '@form-relay/schema/diagnostics';
import { nearest } from '@form-relay/schema/suggestion';
import { proofField } from '@form-relay/spam/proof/challenge';
import { htmxAttribute, type Page, type PageElement, placeOf } from './markup.ts';
import {
  error,
  isSubmitButton,
  type PageCheck,
  type PageFinding,
  quote,
  type Subject,
  warning,
} from './page_form.ts';

/** Whether a page loads the script, or is part of a page that may. */
export const mayHaveScript = (page: Page) => !page.isWhole || loadsScript(page);

/** The site's own bundle may contain the script. */
export const mayBundleScript = ({ elements }: Page) =>
  elements.some(({ tag, form, attributes }) => tag === 'script' && !form && attributes.has('src'));

const loadsScript = ({ elements }: Page) => elements.some(isOwnScript);

const isOwnScript = ({ tag, attributes }: PageElement) =>
  tag === 'script' && /\/api\/v1\/form\.js([?#]|$)/.test(attributes.get('src') ?? '');

/** The relay's URL that a form is sent to, possibly relative to the page; `undefined` if it is sent elsewhere. */
export function sentTo({ value, verdict }: Target, { page, config }: Subject): string | undefined {
  if (!verdict?.ok) return undefined;
  const { origin, href, pathname } = verdict.value;
  if (origin !== unknownOrigin) return href;
  if (value.includes('/')) return pathname;
  // The relay's own script identifies the form by its name.
  const script = page.elements.find(isOwnScript)?.attributes.get('src');
  return script?.replace(/\/form\.js.*$/s, `/submit/${encodeURIComponent(config.id)}`);
}

/** Whether the script, if loaded, sends this form. The script leaves forms with `hx-post` to htmx. */
export const isForScript = (form: PageElement) =>
  form.attributes.has('data-form-relay') || (hasClass(form) && htmxAttribute(form, 'hx-post') === undefined);

const hasClass = ({ attributes }: PageElement) =>
  attributes.get('class')?.split(/\s+/).includes('form-relay') ?? false;

/** A sanitizer may have removed the attribute by which the script identifies the form. */
export const unseen: PageCheck = ({ form, page, config }) => {
  if (!loadsScript(page) || isForScript(form) || htmxAttribute(form, 'hx-post') !== undefined) return [];
  const message = `the relay's script ignores this form; expected data-form-relay="${config.id}"`;
  return [warning(form.place, 'form_not_seen', message)];
};

/** With `proof_of_work: true`, something on the page must solve the puzzle. */
export const puzzleSolver: PageCheck = (subject) => {
  const { config, page, form, controls } = subject;
  const wanted = config.provided.get('proof');
  if (!wanted?.isForAll) return [];
  if (page.forms.get(form)?.some(({ tag }) => tag === 'altcha-widget')) return [];
  // With htmx, the token contains the puzzle, and the form loads its script.
  const isOfRelay =
    (isForScript(form) && mayHaveScript(page)) || htmxAttribute(form, 'hx-post') !== undefined;
  if (isOfRelay || mayBundleScript(page) || controls.some(({ name }) => name === proofField)) return [];
  const help = `relay form html ${config.id} prints a form that solves the puzzle, or add ALTCHA's widget`;
  const message = `nothing on this page solves the puzzle, so every visitor has to answer a question; ${help}`;
  return [warning(form.place, 'puzzle_unsolved', message)];
};

/** A form of the page, with every URL that it can be sent to. */
export interface Candidate {
  readonly form: PageElement;
  readonly targets: readonly Target[];
}

interface Target {
  readonly value: string;
  readonly place: Place;
  /** htmx sends it, not the browser. */
  readonly isScript: boolean;
  /** `undefined` if the URL belongs to another server or form. */
  readonly verdict: Verdict | undefined;
}

/** All forms of the page. */
export function candidates(subject: Subject): readonly Candidate[] {
  return [...subject.page.forms].map(([form, own]) => ({
    form,
    targets: [form, ...own].flatMap((element) => targetsOf(element, subject)),
  }));
}

function targetsOf(element: PageElement, subject: Subject): readonly Target[] {
  const { tag, attributes } = element;
  const isSender = tag === 'form' || isSubmitButton(element);
  const target = (attribute: string, isScript: boolean): readonly Target[] => {
    const value = isScript ? htmxAttribute(element, attribute) : attributes.get(attribute);
    if (value === undefined) return [];
    const place = placeOf(element, attribute);
    const verdict = judgeAddress(value, place, 'submit', subject);
    // A field may send its value to another server for validation.
    return verdict || isSender ? [{ value, place, isScript, verdict }] : [];
  };
  return [
    ...(tag === 'form' ? [...target('action', false), ...named(element, subject)] : []),
    ...(isSubmitButton(element) ? target('formaction', false) : []),
    ...target('hx-post', true),
    // In htmx 4, method and URL may be in two attributes.
    ...(htmxAttribute(element, 'hx-method')?.toLowerCase() === 'post' ? target('hx-action', true) : []),
  ];
}

/** The relay's own script identifies a form by its name, even if it has no action. */
function named(element: PageElement, subject: Subject): readonly Target[] {
  const value = element.attributes.get('data-form-relay');
  if (!value || element.attributes.has('action')) return [];
  const place = placeOf(element, 'data-form-relay');
  const base = subject.baseUrl?.href.replace(/\/+$/, '') ?? '';
  const address = `${base}/api/v1/submit/${formSegments(value)}`;
  return [{ value, place, isScript: true, verdict: judgeAddress(address, place, 'submit', subject) }];
}

/** Whether this form of the page is sent to the form of the config, or is supposed to be. */
export const isMeant = ({ targets }: Candidate) => targets.some(({ verdict }) => verdict);

export const isSentByScript = ({ form, targets }: Candidate, { page }: Subject) =>
  isForScript(form)
    ? mayHaveScript(page)
    : page.mayHaveHtmx && targets.some(({ isScript, verdict }) => isScript && verdict);

/** Findings about the URLs of a form that `isMeant`. */
export function addressFindings({ targets }: Candidate, subject: Subject): readonly PageFinding[] {
  const elsewhere = `this address leads elsewhere; expected ${addressOf('submit', subject)}`;
  return targets.flatMap(({ value, place, verdict, isScript }) => {
    if (!verdict) return [(isScript ? error : warning)(place, 'address_elsewhere', elsewhere)];
    if (!verdict.ok) return [verdict.error];
    const isReadable = /^\s*http:/i.test(value) && !isLoopback(verdict.value.hostname);
    return isReadable ? [warning(place, 'address_unencrypted', readable)] : [];
  });
}

const readable = 'http: sends values unencrypted, and browsers block it on https pages; use https:';

/** Findings about the URLs of a page's forms if none is meant for the form of the config. */
export function strangers(forms: readonly Candidate[], subject: Subject): readonly PageFinding[] {
  const { config, formIds, page } = subject;
  if (forms.length === 0) {
    const loaders = page.elements.filter((element) =>
      /\/api\/v1\/form\//.test(htmxAttribute(element, 'hx-get') ?? ''),
    );
    if (loaders.length > 0) {
      const message = `this address loads another form; expected ${addressOf('form', subject)}`;
      return loaders.map((element) => error(placeOf(element, 'hx-get'), 'loads_another_form', message));
    }
    const saved = 'if a script creates the form, save the page from the browser, and check the saved file';
    return [error({ offset: 0, length: 0 }, 'form_missing', `this page has no <form>; ${saved}`)];
  }
  const expected = addressOf('submit', subject);
  const named = forms.filter(({ form: { attributes } }) =>
    [attributes.get('id'), attributes.get('name')].includes(config.id),
  );
  return (named.length > 0 ? named : forms).map(({ form, targets: [target] }) => {
    const id = /\/api\/v1\/submit\/([^/?#]+)/.exec(target?.value ?? '')?.[1] ?? '';
    const known = formIds.includes(id) ? ' (another form of the config)' : '';
    const found = target ? `this form is sent to ${quote(target.value)}${known}` : 'this form has no action';
    const message = `${found}, and no form of this page is sent to ${quote(config.id)}; expected ${expected}`;
    return error(target?.place ?? form.place, 'form_sent_elsewhere', message);
  });
}

type Route = 'submit' | 'form' | 'token';

/** Whether a URL leads to a route of this form, or what is wrong with it if it clearly should. */
type Verdict = Result<URL, PageFinding>;

/** The page is a file, so its origin is unknown. */
const unknownOrigin = 'http://page.invalid';

/** `undefined` if `value`, the URL at `place`, leads elsewhere. */
export function judgeAddress(
  value: string,
  place: Place,
  route: Route,
  subject: Subject,
): Verdict | undefined {
  const { config, formIds } = subject;
  const url = resolve(value, subject);
  if (!url) return undefined;
  const wrong = (code: string, problem: string) =>
    err(error(place, code, `${problem}; expected ${addressOf(route, subject)}`));
  const all = segmentsOf(url);
  // The name of a client's form consists of two segments.
  const segments =
    clientOf(config.id) && all.slice(-2).join('/') === config.id ? [...all.slice(0, -2), config.id] : all;
  const trimmed = segments.at(-1) === '' ? segments.slice(0, -1) : segments;
  // `/f/contact` is the short address of `/api/v1/form/contact`.
  const depth = route === 'form' && trimmed.at(-2) === 'f' ? 2 : 4;
  const [id = '', found, version, api] =
    depth === 2 ? [trimmed.at(-1), 'form', 'v1', 'api'] : trimmed.slice(-4).reverse();
  if (api === 'api' && version === 'v1' && ['submit', 'form', 'token'].includes(found ?? '')) {
    if (id !== config.id) {
      const isTypo = !formIds.includes(id) && nearest(id, [config.id]) !== undefined;
      return isTypo ? wrong('address_form_unknown', `${quote(id)} is not a form of the config`) : undefined;
    }
    if (found !== route)
      return wrong('address_of_another_route', `this address goes to the relay's /api/v1/${found}/`);
    if (segments !== trimmed)
      return wrong('address_ends_with_slash', 'the trailing slash makes this a different address (404)');
    const { baseUrl } = subject;
    if (!baseUrl || isAt(baseUrl, url, segments.slice(0, -depth), value)) return ok(url);
    return url.origin === unknownOrigin
      ? wrong('address_relative', "a relative address goes to the page's own site")
      : wrong('address_of_another_server', `this address leads to ${quote(url.origin)}`);
  }
  const isNamed = route === 'submit' && trimmed.at(-1) === config.id;
  return isNamed ? wrong('address_without_route', 'this is not the address for submissions') : undefined;
}

/** With `--base-url`, the path must also be at the right origin and prefix. */
const isAt = (baseUrl: URL, url: URL, prefix: readonly string[], value: string): boolean =>
  url.host === baseUrl.host &&
  (url.protocol === baseUrl.protocol || value.startsWith('//')) &&
  prefix.join('/') === segmentsOf(baseUrl).join('/').replace(/\/$/, '');

/** The URL that the form should have. */
export const addressOf = (route: Route, { config, baseUrl }: Subject) =>
  `${baseUrl?.href.replace(/\/$/, '') ?? ''}/api/v1/${route}/${formSegments(config.id)}`;

/** The script tag for a page that lacks it, from the same relay as another URL of the page. */
export const scriptTag = (subject: Subject, address = addressOf('form', subject)) =>
  `<script src="${address.replace(/\/api\/v1\/.*/s, '/api/v1/form.js')}" defer></script>`;

/** Resolves a URL as browsers do; `undefined` if it is invalid. */
const resolve = (value: string, { page }: Subject): URL | undefined =>
  parseUrl(value.trim(), parseUrl(page.base ?? '', unknownOrigin)?.href ?? unknownOrigin);

/** The decoded segments, because a name can be encoded in several ways. */
const segmentsOf = ({ pathname }: URL): readonly string[] =>
  pathname
    .slice(1)
    .split('/')
    .map((segment) => decodeSegment(segment) ?? segment);
