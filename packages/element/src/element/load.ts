import { absolute } from './address.ts';
import { make, setMarkup } from './dom.ts';

/** The relay's own markup at an address. Rejects when something else answers. */
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
