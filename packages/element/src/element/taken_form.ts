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

/** A form on the page that this script sends. */
export interface TakenForm {
  readonly form: HTMLFormElement;
  address: Address;
  readonly name: string;
  /** Set while the form is being sent: ends the busy state. */
  endBusy?: (() => void) | undefined;
  /** The script's texts in the form's language, once loaded. */
  words(): DOMStringMap;
  /** The field and value of the min-fill token, if the form needs one. */
  token(): readonly [name: string, value: string] | undefined;
  /** How long to hold back a submission, in milliseconds; `Infinity` while something is still loading. */
  waitMs(): number;
  /** Loads again what failed to load. Resolves once everything is there. */
  retry(): Promise<void>;
  /** Replaces the token by another one, which requires this wait. */
  renew(token: { readonly value: string; readonly wait_ms?: number } | undefined): void;
  /** Fetches another token if this one is too old. */
  refresh(isSurelyOld?: boolean): void;
  /** Set while the form is closed: the relay's sentence, and the owner's text if there is one. */
  closed?: readonly Element[] | undefined;
  captcha?: Captcha;
  steps?: Steps | undefined;
  /** Resolves to the function that sends the form, once its parts are loaded. */
  send?: Promise<typeof fetch>;
  /** Updates conditional fields to match the current choices. */
  update(): void;
}

/** Takes over a form, with the data in the page, or else the data that the relay sends. */
export function takeForm(form: HTMLFormElement): TakenForm | undefined {
  const action = form.getAttribute('action');
  const given = form.dataset.formRelay;
  const address = (action && addressOf(absolute(action))) || (given && addressAtOrigin(given)) || undefined;
  if (!address) return undefined;
  const send = address('submit');
  // Without this script, the browser sends the form to a page of the relay.
  if (!action) form.setAttribute('action', withQuery(send, 'as=page'));
  form.setAttribute('method', 'post');
  makeIdsUnique(form);
  // On the relay's own page, required marks depend on conditions, which only this script evaluates.
  for (const mark of form.querySelectorAll<HTMLElement>('[data-mark],.form-note')) {
    mark.hidden = false;
    mark.append(mark.dataset.mark ?? '');
  }

  // Some sites' sanitizers remove data attributes.
  let facts = form.dataset.notSent ? form : undefined;
  let rule = tokenInput(form);
  let token = rule?.value;
  // A token that came with the page is as old as the page.
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
    // If the submission comes too soon after the page has loaded, it does not wait, because only a bot is
    // that fast; after a reload or Back, the form may have been filled in before.
    const isTooQuick = now < minFillMs() && !performance.navigation?.type;
    readyAt = now + (waitMs ?? (isTooQuick ? 0 : minFillMs()));
  };
  const minFillMs = () => +(rule?.dataset.minFillMs as string);
  const isComplete = () => facts && (!rule || token);
  const ask = async () => {
    if (!facts) {
      const answer = await load<HTMLFormElement>(taken.address('form'), '.form-relay');
      const closed = answer.elements ? undefined : [...answer.querySelectorAll('p')];
      // Screen readers read an alert again whenever it is rewritten.
      if (closed?.[0]?.textContent !== taken.closed?.[0]?.textContent)
        statusOf(form).replaceChildren(...(closed ?? []));
      taken.closed = closed;
      if (closed) return;
      facts = answer;
      rule = tokenInput(facts);
      // From now on, responses are in the language that the relay chose.
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

/**
 * Makes all ids unique. A form may be on the page more than once, and its labels and errors must point to its
 * own controls. All its ids start with the form's.
 */
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

/** Each part wraps the function that sends the form. If a part fails to load, the form works without it. */
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
