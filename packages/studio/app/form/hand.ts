/** Shows pages in the frame, and works with the form in them. */
import { attend, formHand } from './form_hand.ts';
import { formPage } from './form_page.ts';
import { frame } from './frame.ts';

/** Requests to the script beside the form, which may be in another frame. */
export type Hand = {
  readonly [N in keyof typeof formHand]: (
    ...given: Parameters<(typeof formHand)[N]>
  ) => ReturnType<(typeof formHand)[N]> | Promise<Awaited<ReturnType<(typeof formHand)[N]>>>;
};
export const hand: Hand = formHand;

/** Shows another page, in place of the one before: Back leads to the form before. Tells when it is there. */
export const open = (address: string): Promise<void> =>
  new Promise((resolve) => {
    frame.addEventListener('load', () => resolve(), { once: true });
    frame.contentWindow?.location.replace(address);
  });

frame.addEventListener('load', attend);
if (formPage()?.readyState === 'complete') attend();
