import { attributes, type Html, html } from '@form-relay/relay/base';
import { clock } from './icons.ts';

/** By how much the clock is pushed on at a click. */
const pushes = {
  '1 min': 60_000,
  '15 min': 15 * 60_000,
  '1 h': 3_600_000,
  '1 day': 86_400_000,
} as const;

/** The clock, where something waits for it. */
export const clockView = (aheadMs: number): Html => html`<p>${clock} ${
  aheadMs === 0
    ? 'What is kept is tried by the clock: push it on'
    : html`The clock is <b>${aheadInWords(aheadMs)}</b> ahead`
}</p>
<p role="group" aria-label="Push the clock on">${Object.entries(pushes).map(
  ([words, ms]) =>
    html`<button type="button" class="tool"${attributes({ id: `push-${ms}`, 'data-push': ms, title: `Push the clock on by ${words}` })}>+${words}</button> `,
)}</p>`;

/** Such as `1 day 2 h 15 min`. */
export function aheadInWords(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  const parts = [
    [Math.floor(minutes / 1_440), 'day'],
    [Math.floor(minutes / 60) % 24, 'h'],
    [minutes % 60, 'min'],
  ] as const;
  const words = parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit === 'day' && count > 1 ? 'days' : unit}`);
  return words.join(' ') || 'less than a minute';
}
