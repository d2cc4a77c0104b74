import { type Captcha, startCaptcha } from '../element/captcha.ts';
import { buttonOf, putAboveButton } from '../element/controls.ts';
import type { Guard } from './guarded_form.ts';

/** The captcha of a form that asks only whom the relay doubts for it. */
interface CaptchaOnDemand {
  /** Puts it into the form. */
  show(): void;
  /** Puts its token into what is sent, where it has no widget that does. */
  fill(body: FormData | URLSearchParams): Promise<void>;
  /** A token is good for one submission. */
  reset(): void;
}

/** Until it is shown, the provider learns of no visitor. */
export function captchaOnDemand({ form, facts }: Guard): CaptchaOnDemand {
  let captcha: Captcha | undefined;
  return {
    show: () => {
      const place =
        form.querySelector<HTMLElement>('[data-captcha]') ??
        facts.querySelector<HTMLElement>('[data-captcha]');
      if (captcha || !place) return;
      const element = elementFor(place.dataset);
      putAboveButton(form, element);
      captcha = startCaptcha(element);
      const { challengeOther, challengeField } = facts.dataset;
      // Below the button that sends: Enter presses the first.
      if (challengeOther) buttonOf(form)?.after(' ', otherWay(form, challengeOther, challengeField));
    },
    fill: async (body) => {
      const token = await captcha?.token();
      if (token) body.set(...token);
    },
    reset: () => captcha?.reset(),
  };
}

/** The element that startCaptcha expects: a box of the provider's class, or an input for a provider without a widget. */
function elementFor({ captcha = '', sitekey, responseFieldName, api }: DOMStringMap): HTMLElement {
  const isBox = captcha !== 'score';
  const element = document.createElement(isBox ? 'div' : 'input');
  Object.assign(element.dataset, { sitekey, api });
  if (element instanceof HTMLInputElement) {
    element.type = 'hidden';
    element.name = responseFieldName ?? '';
  } else {
    element.className = captcha;
    if (responseFieldName) element.dataset.responseFieldName = responseFieldName;
  }
  return element;
}

/** For whoever cannot solve it, or whose network keeps it out: on its own page, the relay asks for something else, too. */
function otherWay(form: HTMLFormElement, words: string, field = ''): HTMLElement {
  const button = document.createElement('button');
  button.className = 'form-other-way';
  button.setAttribute('formaction', form.getAttribute('action') ?? '');
  // As features/proof/challenge_shown.ts reads it.
  button.name = field;
  button.value = 'number';
  button.textContent = words;
  return button;
}
