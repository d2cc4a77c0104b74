import { attributes, type Html, html } from '@form-relay/relay/base';

/** Outcomes are told by a word, a shape and a colour, so that none of them is needed. */
export type Tone = 'ok' | 'quiet' | 'warn' | 'bad';

const icon = (path: string): Html =>
  html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path${attributes({ d: path })}/></svg>`;

export const check = icon('M3 8.5l3.2 3.2L13 4.8');
export const cross = icon('M4 4l8 8M12 4l-8 8');
export const alert = icon('M8 2.8v6.4M8 12.6v.6');
export const slash = icon('M8 2a6 6 0 100 12A6 6 0 008 2zM3.8 3.8l8.4 8.4');
export const clock = icon('M8 2a6 6 0 100 12A6 6 0 008 2zM8 5v3.2l2.2 1.4');
export const down = icon('M8 2.5v10M4 8.8l4 4 4-4');
export const up = icon('M8 13.5v-10M4 7.2l4-4 4 4');
export const ring = icon('M8 5.5a2.5 2.5 0 100 5 2.5 2.5 0 000-5z');
export const lock = icon('M4 7.5h8v5.8H4zM5.5 7.5V5.2a2.5 2.5 0 015 0v2.3');
export const send = icon('M2.5 8L13.5 3l-3 10.5-3-4zM7.5 9.5L13.5 3');
export const copy = icon('M5.5 5.5h7v7h-7zM3.5 10.5v-7h7');
export const again = icon('M12.8 8a4.8 4.8 0 11-1.5-3.5M12.8 2.4v2.8H10');
export const pen = icon('M3 13l.7-2.9L10.6 3l2.4 2.4-7 7z');
export const robot = icon('M3.5 6h9v6.5h-9zM8 6V3.2M6 9v.6M10 9v.6');
export const open = icon('M9.5 3h3.5v3.5M13 3L7.5 8.5M11.5 9.5V13H3V4.5h3.5');
