import {
  type Address,
  absolute,
  addressAtOrigin,
  addressOf,
  load,
  sleep,
  withQuery,
  withQueryOf,
} from './address.ts';
import { type Captcha, captchaSelector, startCaptcha } from './captcha.ts';
import { applyConditions } from './conditions.ts';
import { putAboveButton } from './controls.ts';
import { statusOf } from './errors.ts';
import { loadPart } from './load_part.ts';
import { type Steps, startSteps } from './steps.ts';

/** A form of the page that this script sends. */
export interface TakenForm {
  readonly form: HTMLFormElement;
  address: Address;
  readonly name: string;
  /** While it is being sent: ends what shows that. */
  endBusy?: (() => void) | undefined;
  /** The script's texts in the form's language, once known. */
  words(): DOMStringMap;
  /** The min-fill token's field and value, of forms that need one. */
  token(): readonly [name: string, value: string] | undefined;
  /** How long a submission has to be held back, in milliseconds: `Infinity` while something has not come. */
  waitMs(): number;
  /** Asks again for what has not come. Resolves once all is there. */
  retry(): Promise<void>;
  /** Takes another token, that is to be waited for so long. */
  renew(token: { readonly value: string; readonly wait_ms?: number } | undefined): void;
  /** Fetches another token where this one has become old. */
  refresh(isSurelyOld?: boolean): void;
  /** While the form is not open: the relay's sentence, and the owner's words if there are any. */
  closed?: readonly Element[] | undefined;
  captcha?: Captcha;
  steps?: Steps | undefined;
  /** Resolves to the function that sends the form, once its parts are loaded. */
  send?: Promise<typeof fetch>;
  /** Fields that come and go agree with what is chosen. */
  update(): void;
}

/** Takes over a form, with the facts that the page states, or else those that the relay sends. */
export function takeForm(form: HTMLFormElement): TakenForm | undefined {
  const action = form.getAttribute('action');
  const given = form.dataset.formRelay;
  const address = (action && addressOf(absolute(action))) || (given && addressAtOrigin(given)) || undefined;
  if (!address) return undefined;
  const send = address('submit');
  // Without this script it is sent by its browser, to a page of the relay's.
  if (!action) form.setAttribute('action', withQuery(send, 'as=page'));
  form.setAttribute('method', 'post');
  makeIdsUnique(form);
  // On the relay's own page, what is marked may not apply without this script.
  for (const mark of form.querySelectorAll<HTMLElement>('[data-mark],.form-note')) {
    mark.hidden = false;
    mark.append(mark.dataset.mark ?? '');
  }

  // Sanitizers of some sites remove data attributes.
  let facts = form.dataset.notSent ? form : undefined;
  let rule = tokenInput(form);
  let token = rule?.value;
  // A token that comes with the form is as old as the form.
  let readyAt = 0;
  let fetchedAt = performance.now();
  let asking: Promise<void> | undefined;

  const startIt = () => {
    if (facts) taken.send = loadParts(form, facts, absolute(taken.address('form')), () => taken.steps);
    const element = captchaIn(form) ?? captchaIn(facts);
    if (!element || taken.captcha) return;
    if (!form.contains(element)) putAboveButton(form, element);
    taken.captcha = startCaptcha(element);
  };
  const keepToken = (value: string, waitMs?: number) => {
    token = value;
    const now = performance.now();
    fetchedAt = now;
    // A submission too quick for the form itself does not wait, unless the form may have been filled in before.
    const isTooQuick = now < minFillMs() && !performance.navigation?.type;
    readyAt = now + (waitMs ?? (isTooQuick ? 0 : minFillMs()));
  };
  const minFillMs = () => +(rule?.dataset.minFillMs as string);
  const isComplete = () => facts && (!rule || token);
  const ask = async () => {
    if (!facts) {
      const answer = await load<HTMLFormElement>(taken.address('form'), '.form-relay');
      const closed = answer.elements ? undefined : [...answer.querySelectorAll('p')];
      // An alert that is written again is read out again.
      if (closed?.[0]?.textContent !== taken.closed?.[0]?.textContent)
        statusOf(form).replaceChildren(...(closed ?? []));
      taken.closed = closed;
      if (closed) return;
      facts = answer;
      rule = tokenInput(facts);
      // From now on it speaks the language that the relay chose.
      taken.address = addressOf(withQueryOf(facts, send)) ?? address;
      if (rule) keepToken(rule.value);
      startIt();
      taken.update();
    } else {
      const { value, dataset } = await load<HTMLInputElement>(taken.address('token'), 'input[type=hidden]');
      // The token may come with a puzzle, for the guard.
      Object.assign(rule?.dataset as object, dataset);
      keepToken(value);
    }
  };
  const taken: TakenForm = {
    form,
    address,
    name: decodeURIComponent(/[^/?]*(?=\?|$)/.exec(send)?.[0] ?? ''),
    words: () =>
      facts?.dataset ?? {
        notReady: taken.closed?.[0]?.textContent || english.not_sent,
        notSentYet: english.not_sent_yet,
        failureMessage: taken.closed?.[1]?.textContent ?? undefined,
        failureMessageHtml: taken.closed?.[1]?.innerHTML,
      },
    token: () => (rule && token ? [rule.name, token] : undefined),
    waitMs: () => (isComplete() ? Math.max(0, readyAt - performance.now()) : Infinity),
    retry: () => {
      asking ??= ask()
        .catch(() => {})
        .finally(() => {
          asking = undefined;
        });
      return asking;
    },
    renew: (next) => {
      if (next) keepToken(next.value, next.wait_ms ?? 0);
    },
    refresh: (isSurelyOld) => {
      const ageMs = performance.now() - fetchedAt;
      if (!rule || !token || taken.endBusy) return;
      if (isSurelyOld || ageMs > +(rule.dataset.ttlMs as string) / 2) void taken.retry();
    },
    update: () => {
      applyConditions(form, facts?.dataset.when);
      if (facts) taken.steps ??= startSteps(form, facts.dataset);
      taken.steps?.update();
    },
  };
  const persist = async () => {
    for (let ms = 2000; form.isConnected && !isComplete(); ms *= 2) {
      await taken.retry();
      await sleep(ms);
    }
  };
  startIt();
  taken.update();
  void persist();
  return taken;
}

const captchaIn = (form: HTMLFormElement | undefined) => form?.querySelector<HTMLElement>(captchaSelector);

const tokenInput = (form: HTMLFormElement) => form.querySelector<HTMLInputElement>('input[data-min-fill-ms]');

/** A form may be in the page more than once: labels and errors must lead to their own. All its ids begin with the form's. */
function makeIdsUnique(form: HTMLFormElement): void {
  const id = form.getAttribute('id');
  const root = form.getRootNode() as Document;
  if (!id || !root.getElementById || root.getElementById(id) === form) return;
  let count = 2;
  while (root.getElementById(`${id}-${count}`)) count += 1;
  for (const element of [form, ...form.querySelectorAll('*')]) {
    for (const name of ['id', 'for', 'aria-describedby']) {
      const value = element.getAttribute(name);
      if (value) element.setAttribute(name, value.split(id).join(`${id}-${count}`));
    }
  }
}

/** Each part gets what sends the form from the one before. Without a part, forms do as browsers do. */
async function loadParts(
  form: HTMLFormElement,
  facts: HTMLFormElement,
  address: string,
  steps: () => Steps | undefined,
): Promise<typeof fetch> {
  let send = fetch;
  const parts = facts.dataset.parts?.split(' ').map((name) => loadPart(name, address)) ?? [];
  for (const part of parts) part.catch(() => {});
  for (const part of parts) {
    try {
      send = (await part).attach(form, facts, send, steps());
    } catch {}
  }
  return send;
}
