/** `/api/v1/verify.js`: shows the input for the code that an address was mailed, once the relay asks for it. */
import { putAboveButton } from '../element/controls.ts';
import { show } from '../element/dom.ts';

/** `facts`: the form as the relay renders it, with the input. */
export function attach(form: HTMLFormElement, facts = form, send = fetch): typeof fetch {
  const frameIn = (one: HTMLFormElement) => one.querySelector<HTMLElement>('[data-form-code]');
  const own = frameIn(form);
  const frame = own ?? frameIn(facts);
  // The site's own rules may show what is hidden.
  if (own?.hidden) show(own, false);
  return async (address, init) => {
    const response = await send(address, init);
    const { verify } = response.status === 422 ? await response.clone().json() : {};
    if (verify && frame) {
      const { name, value } = verify.token;
      if (!own) putAboveButton(form, frame);
      frame.hidden = false;
      // Without a token, the next submission gets a new code.
      show(frame, value !== '');
      for (const input of frame.querySelectorAll('input')) {
        input.disabled = false;
        input.value = input.name === name ? value : '';
      }
    }
    return response;
  };
}
