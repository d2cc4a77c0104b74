/** Stands in for the scripts of captcha providers, as far as forms use them: a box asks who to be. */
{
  type Answer = 'human' | 'bot' | 'none';
  const tokens: Readonly<Record<Answer, string>> = { human: 'pretend-human', bot: 'pretend-bot', none: '' };
  const providers = [
    { global: 'grecaptcha', className: 'g-recaptcha', field: 'g-recaptcha-response', name: 'reCAPTCHA' },
    { global: 'hcaptcha', className: 'h-captcha', field: 'h-captcha-response', name: 'hCaptcha' },
    { global: 'turnstile', className: 'cf-turnstile', field: 'cf-turnstile-response', name: 'Turnstile' },
  ];
  let chosen: Answer = 'human';
  let boxes = 0;

  /** A box whose choice becomes the value of `input`. */
  const boxFor = (input: HTMLInputElement, provider: string) => {
    boxes += 1;
    const box = document.createElement('fieldset');
    box.className = 'stand-in';
    const legend = document.createElement('legend');
    legend.textContent = `Stand-in for ${provider}: who sends this?`;
    box.append(legend);
    const labels: Readonly<Record<Answer, string>> = {
      human: 'A human',
      bot: 'A bot',
      none: 'Nobody solved it',
    };
    for (const [answer, text] of Object.entries(labels) as [Answer, string][]) {
      const label = document.createElement('label');
      const radio = document.createElement('input');
      radio.type = 'radio';
      radio.name = `stand-in-${boxes}`;
      // Belongs to no form, so that it is not submitted.
      radio.setAttribute('form', 'none');
      radio.checked = answer === chosen;
      radio.onchange = () => {
        chosen = answer;
        input.value = tokens[answer];
      };
      label.append(radio, text);
      box.append(label);
    }
    input.value = tokens[chosen];
    return box;
  };

  /** An invisible captcha has an input and no box. */
  const showScores = () => {
    for (const input of document.querySelectorAll<HTMLInputElement>('input[data-sitekey]')) {
      if (!input.dataset.boxed) input.after(boxFor(input, 'reCAPTCHA v3'));
      input.dataset.boxed = 'true';
    }
  };

  for (const { global, className, field, name } of providers) {
    const render = (place: HTMLElement, parameters: Record<string, string | undefined> = {}) => {
      const input = document.createElement('input');
      input.type = 'hidden';
      input.name = parameters['response-field-name'] ?? place.dataset.responseFieldName ?? field;
      place.replaceChildren(input, boxFor(input, name));
    };
    const script = {
      render,
      ready: (then: () => void) => then(),
      execute: async () => {
        showScores();
        return tokens[chosen];
      },
    };
    Object.assign(window, { [global]: script });
    for (const place of document.querySelectorAll<HTMLElement>(`.${className}`)) render(place);
  }

  const look = new CSSStyleSheet();
  look.replaceSync(`
  .stand-in{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;margin:0 0 1.5rem;padding:.6rem .9rem .8rem;border:1px dashed var(--line,gray);border-radius:.35rem}
  .stand-in legend{padding:0 .4rem;font-size:.85rem;font-weight:400;color:var(--soft,inherit)}
  .stand-in label{display:flex;gap:.5rem;align-items:center;font-weight:400}`);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, look];
}
