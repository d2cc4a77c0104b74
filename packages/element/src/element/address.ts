import { make, setMarkup } from './controls.ts';

export type Route = 'submit' | 'check' | 'form' | 'token';
/** Returns the relay's URL for a route of the form. */
export type Address = (route: Route) => string;

/**
 * Builds the function from any URL of the form; `undefined` if the URL is not one. Keeps the language and
 * drops the rest of the query.
 */
export function addressOf(url: string): Address | undefined {
  const [, base, name] =
    /^([^?#]*)\/(?:api\/v1\/(?:submit|form|token)|f)\/([^/?#]+(?:\/[^/?#]+)?)/.exec(url) ?? [];
  const language = /[?&](lang=[^&#]*)/.exec(url)?.[1];
  if (base === undefined) return undefined;
  return (route) => `${base}/api/v1/${route}/${name}${language ? `?${language}` : ''}`;
}

const ownName = /\/api\/v1\/form\.js/;
// On a server, where a bundle may also be loaded, there is no document.
const own = (globalThis.document?.currentScript as HTMLScriptElement | null | undefined)?.src;

/** URLs at the relay that served this script. Not available in modules, which do not know their own element. */
export function addressAtOrigin(name: string): Address | undefined {
  const script = [own, ...[...document.scripts].map(({ src }) => src)].find(
    (src) => src && ownName.test(src),
  );
  if (!script) return undefined;
  return addressOf(`${script.split(ownName, 1)[0]}/api/v1/form/${encodeURIComponent(name)}`);
}

export const withQuery = (url: string, query: string): string =>
  query ? `${url}${url.includes('?') ? '&' : '?'}${query}` : url;

/** Adds the query of this form's action, which has the language that the relay chose. */
export const withQueryOf = (form: HTMLFormElement, url: string): string =>
  url.split('?', 1)[0] + (/\?.*/.exec(form.getAttribute('action') ?? '')?.[0] ?? '');

export const absolute = (url: string): string => new URL(url, document.baseURI).href;

/** Loads the relay's own markup from a URL. Rejects if another server answers. */
export async function load<E extends Element>(url: string, selector: string): Promise<E> {
  const headers = { accept: 'text/html;profile=form-relay' };
  const response = await fetch(absolute(url), { headers, signal: AbortSignal.timeout?.(20_000) });
  const template = make('template', '');
  setMarkup(template, await response.text());
  const element = response.ok && template.content.querySelector<E>(selector);
  if (!element) throw new Error(url);
  return element;
}

export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
