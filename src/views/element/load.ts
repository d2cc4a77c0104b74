import { absolute } from './address.ts';

/** The relay's own markup at an address. Rejects when something else answers. */
export async function load<E extends Element>(url: string, selector: string): Promise<E> {
  const response = await fetch(absolute(url), { headers: { accept: 'text/html;profile=form-relay' } });
  const template = document.createElement('template');
  template.innerHTML = await response.text();
  const element = response.ok && template.content.querySelector<E>(selector);
  if (!element) throw new Error(`${url}: ${response.status}`);
  return element;
}

export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
