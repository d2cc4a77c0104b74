/** What is to be copied, with the address where the relay will be. */
import { byId, onClick } from './page_parts.ts';
import { stored } from './relay.ts';

const dialog = byId<HTMLDialogElement>('site');
onClick('#site-open', () => dialog.showModal());
onClick('#site [data-close]', () => dialog.close());
// A click beside it, which is one on its backdrop.
dialog.addEventListener('click', ({ target, clientX, clientY }) => {
  const { left, right, top, bottom } = dialog.getBoundingClientRect();
  const isInside = clientX >= left && clientX <= right && clientY >= top && clientY <= bottom;
  if (target === dialog && !isInside) dialog.close();
});

/** As typed, or this studio's own, which works on this machine. */
export const fillInAddress = () => {
  const input = byId<HTMLInputElement>('relay-url');
  if (!input) return;
  const { origin = '' } = input.dataset;
  const typed = stored?.getItem('relay-url') ?? '';
  if (document.activeElement !== input) input.value = typed;
  const address = typed.replace(/\/+$/, '') || origin;
  for (const pre of dialog.querySelectorAll('pre')) {
    pre.dataset.made ??= pre.textContent ?? '';
    pre.textContent = pre.dataset.made.replaceAll(origin, () => address);
  }
};
dialog.addEventListener('input', ({ target }) => {
  if ((target as Element).id !== 'relay-url') return;
  stored?.setItem('relay-url', (target as HTMLInputElement).value.trim());
  fillInAddress();
});
fillInAddress();
