/** Parts of the page that others need. */
export const byId = <E extends HTMLElement = HTMLElement>(id: string) => document.getElementById(id) as E;
export const frame = byId<HTMLIFrameElement>('frame');
export const stage = () => byId('stage').dataset;
export const say = (text: string) => {
  byId('said').textContent = text;
};
