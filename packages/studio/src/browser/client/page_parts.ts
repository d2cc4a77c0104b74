/** Parts of the page that others need. */
import { ask } from './relay.ts';

export const byId = <E extends HTMLElement = HTMLElement>(id: string) => document.getElementById(id) as E;
export const frame = byId<HTMLIFrameElement>('frame');
export const stage = () => byId('stage').dataset;
export const say = (text: string) => {
  byId('said').textContent = text;
};

/** Calls back when one of these is clicked, whenever it came into the page. */
export const onClick = (selector: string, then: (target: HTMLElement) => unknown) =>
  document.addEventListener('click', (event) => {
    const target = (event.target as Element).closest<HTMLElement>(selector);
    if (target) void then(target);
  });

export const post = (path: string, values: Record<string, string>) => ask(path, new URLSearchParams(values));
