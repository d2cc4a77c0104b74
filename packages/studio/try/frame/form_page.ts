/** Takes the place of the studio's own form_page.ts: the form is on this page. */
import { tell } from './tell.ts';

export const formPage = (): Document => document;
export const pointAt = (key: string) => tell({ kind: 'key', key });
export const grow = (height: number) => tell({ kind: 'height', height });
