/** `/api/v1/captcha.js`: shows the captcha only when the relay asks for it. Until then, its provider is not contacted. */
import { type Captcha, captchaSelector, startCaptcha } from '../element/captcha.ts';
import { putAboveButton } from '../element/controls.ts';

/**
 * The button sends the form to the relay's page, where visitors can type a number if their browser or network
 * blocks the captcha.
 */
function putOtherWay(form: HTMLFormElement, place?: HTMLTemplateElement): void {
  const button = place?.content.querySelector('.form-other-way');
  if (!button) return;
  const own = document.importNode(button, true);
  own.addEventListener('click', () => HTMLFormElement.prototype.submit.call(form));
  putAboveButton(form, own);
}

/** `facts`: the form as the relay renders it, with the captcha in a template. */
export function attach(form: HTMLFormElement, facts = form, send = fetch): typeof fetch {
  let captcha: Captcha | undefined;
  // Keeps the form here, instead of sending it to the relay's own page.
  form.dataset.guarded ??= 'true';
  return async (address, init) => {
    const token = await captcha?.token();
    if (token && init) (init.body as FormData).set(...token);
    const response = await send(address, init);
    if (response.ok) return response;
    captcha?.reset();
    const { code } = response.status === 422 ? await response.clone().json() : {};
    const [place] = [form, facts].flatMap(
      (one) => one.querySelector<HTMLTemplateElement>('[data-captcha]') ?? [],
    );
    const widget = place?.content.querySelector<HTMLElement>(captchaSelector);
    if (code === 'challenge_captcha' && widget && !captcha) {
      const own = document.importNode(widget, true);
      putAboveButton(form, own);
      putOtherWay(form, place);
      captcha = startCaptcha(own);
    }
    return response;
  };
}
