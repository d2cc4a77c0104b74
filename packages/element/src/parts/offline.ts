/** `/api/v1/offline.js`: stores a finished form in this browser while no relay can be reached, and sends it later. */
import { addressOf, load, sleep } from '../element/address.ts';
import { captchaSelector } from '../element/captcha.ts';
import { type SubmitResult, submitForm } from '../element/client.ts';
import { addEntries, type Control, controlsOf, fillIn, make, member, withOwn } from '../element/controls.ts';
import { type Kept, list, put, remove, type Values } from './offline_store.ts';

/** The limit for a form in one browser: submissions, and bytes of all their files and values. */
const most = { count: 20, bytes: 50_000_000 };
/** The delay between attempts, in milliseconds. */
const waitMs = { first: 5_000, longest: 300_000 };

const attached = new WeakSet<HTMLFormElement>();

export function attach(form: HTMLFormElement, facts: HTMLFormElement, send?: typeof fetch): typeof fetch {
  // Only submissions sent by a script can be stored.
  if (!send || attached.has(form)) return send as typeof fetch;
  attached.add(form);
  const words = facts.dataset;
  const { ms, field } = JSON.parse(words.offline as string) as {
    readonly ms: number;
    readonly field: string;
  };
  const place = absoluteAction(form);
  /** The same form at each URL of the relay. */
  const addresses = () => [
    place,
    ...(form.dataset.fallback ? [place.replace(/^.*\/api\/v1\//, form.dataset.fallback)] : []),
  ];
  const own = async () => {
    const places = addresses().map(placeOf);
    return (await list().catch((): readonly Kept[] => [])).filter((one) =>
      places.includes(placeOf(one.place)),
    );
  };

  const items = make('ul', '');
  const status = make('p', '');
  status.setAttribute('role', 'status');
  const panel = make('div', 'form-offline', items, status);
  panel.tabIndex = -1;
  panel.hidden = true;
  form.prepend(panel);
  const channel = globalThis.BroadcastChannel && new BroadcastChannel('form-relay offline');

  let shown = '';
  const show = async () => {
    const all = await own();
    const key = JSON.stringify(all.map(({ id, problem }) => [id, problem]));
    if (key !== shown) items.replaceChildren(...all.map(itemOf));
    shown = key;
    panel.hidden = all.length === 0 && !status.textContent;
  };
  const changed = async () => {
    channel?.postMessage('');
    await show();
    plan();
  };
  const say = (text = '') => {
    status.textContent = text;
  };
  const itemOf = (kept: Kept) => {
    const button = (label = '', press: () => unknown) => {
      const made = make('button', withOwn('field-button', words.buttonClass), label);
      made.type = 'button';
      made.onclick = press;
      return made;
    };
    const text = kept.problem ?? inWords(words.offlineKept, kept.until, form);
    return make(
      'li',
      '',
      make('p', '', text),
      ...(kept.problem ? [] : [button(words.offlineNow, () => run()), ' ']),
      button(words.offlineOpen, async () => {
        await giveBack(kept);
        form.querySelector<HTMLElement>('input:not([type=hidden]),select,textarea')?.focus();
      }),
      ' ',
      button(words.offlineDelete, async () => {
        await remove(kept.id);
        await changed();
        (panel.hidden ? form.querySelector<HTMLElement>('input:not([type=hidden])') : panel)?.focus();
      }),
    );
  };

  let id = newId();
  /** Whether the visitor has typed since the form was empty. */
  let isTyped = false;
  let tried: Values | undefined;
  for (const type of ['input', 'change', 'reset'])
    form.addEventListener(type, () => {
      id = newId();
      isTyped = type !== 'reset';
    });

  const giveBack = async (kept: Kept) => {
    await remove(kept.id);
    fill(form, kept.values);
    // If unchanged, it is the same submission, because an earlier attempt may have arrived.
    id = kept.id;
    say();
    await changed();
  };
  const keep = async (values: Values) => {
    const error = form.querySelector('.form-status');
    const before = [...(error?.childNodes ?? [])];
    error?.replaceChildren();
    const now = Date.now();
    const kept: Kept = { id, place, at: now, until: now + ms, values };
    try {
      const all = [...(await own()), kept];
      if (all.length > most.count || all.reduce((sum, one) => sum + bytesOf(one), 0) > most.bytes)
        throw new Error('full');
      await put(kept);
    } catch {
      error?.replaceChildren(...before);
      (error as HTMLElement | null)?.focus();
      return;
    }
    HTMLFormElement.prototype.reset.call(form);
    const detail = {
      form: decodeURIComponent(placeOf(place).replace(/^.*\/submit\//, '')),
      until: kept.until,
    };
    form.dispatchEvent(new CustomEvent('form-relay:kept', { bubbles: true, composed: true, detail }));
    await changed();
    // Runs after everything else that follows the reset.
    setTimeout(() => panel.focus());
  };
  form.addEventListener('form-relay:failed', () => {
    const values = tried;
    tried = undefined;
    // By then, the error about the whole form is shown, and it is replaced.
    if (values) queueMicrotask(() => void keep(values));
  });

  const token = () =>
    [form, facts].map((one) => one.querySelector<HTMLInputElement>('input[data-min-fill-ms]')).find(Boolean);
  const postTo = async (address: string, { id, values }: Kept): Promise<SubmitResult> => {
    const data = new FormData();
    for (const [name, value] of values) data.append(name, value);
    data.set(field, id);
    const rule = token();
    if (rule) {
      const fresh = await load<HTMLInputElement>(
        addressOf(address)?.('token') as string,
        'input[type=hidden]',
      );
      Object.assign(rule.dataset, fresh.dataset);
      data.set(fresh.name, fresh.value);
      // A submission sent earlier would look like a bot's.
      await sleep(Number(rule.dataset.minFillMs));
    }
    return submitForm(address, data, send);
  };
  /** Sends to the relay's first URL, and to the second if the first does not respond. */
  const post = async (kept: Kept): Promise<SubmitResult> => {
    for (const address of addresses()) {
      const result = await postTo(address, kept).catch(() => unanswered);
      if (result.kind !== 'failed' || result.status) return result;
    }
    return unanswered;
  };
  const settle = async (kept: Kept, result: SubmitResult) => {
    if (result.kind === 'sent') {
      await remove(kept.id);
      say([words.offlineSent, result.confirmation].filter(Boolean).join(' '));
      return;
    }
    const reasons =
      result.kind === 'invalid'
        ? result.errors.map(({ summary, label, message }) => summary ?? `${label}: ${message}`)
        : [reasonOf(result)];
    const problem = [words.offlineAgain, ...reasons].filter(Boolean).join(' ');
    if (isTyped) return void (await put({ ...kept, problem }));
    await giveBack(kept);
    say(problem);
  };
  /** Stops at the first submission for which no relay has time. */
  const sendAll = async () => {
    for (const kept of await own()) {
      if (kept.until < Date.now()) {
        await remove(kept.id);
        say(inWords(words.offlineExpired, kept.until, form));
      } else if (!kept.problem && navigator.onLine) {
        const needsVisitor = [form, facts].some((one) => one.querySelector(captchaSelector));
        const result: SubmitResult = needsVisitor
          ? await load(addressOf(kept.place)?.('form') as string, 'form').then(
              () => asked,
              () => unanswered,
            )
          : await post(kept);
        if (isLater(result)) break;
        await settle(kept, result);
        await changed();
      }
    }
  };

  let timer: ReturnType<typeof setTimeout> | undefined;
  let nextMs = waitMs.first;
  let isWaiting = false;
  const plan = () => {
    clearTimeout(timer);
    isWaiting = shown !== '' && shown !== '[]';
    if (isWaiting && form.isConnected) timer = setTimeout(run, nextMs);
  };
  const run = async () => {
    nextMs = Math.min(2 * nextMs, waitMs.longest);
    const { locks } = navigator as Partial<Navigator>;
    await (locks?.request(
      `form-relay ${placeOf(place)}`,
      { ifAvailable: true },
      (lock) => lock && sendAll(),
    ) ?? sendAll());
    await show();
    plan();
  };
  const soon = () => {
    nextMs = waitMs.first;
    void run();
  };
  addEventListener('online', soon);
  document.addEventListener('visibilitychange', () => {
    if (isWaiting && document.visibilityState === 'visible') soon();
  });
  if (channel) channel.onmessage = () => void show().then(plan);
  void show().then(run);

  return async (input, init) => {
    const body = init?.body as FormData | undefined;
    if (!body || !/\/api\/v1\/submit\//.test(`${input}`)) return send(input, init);
    say();
    const values = [...body].filter(([, value]) => typeof value === 'string' || value.name !== '');
    tried = values;
    body.set(field, id);
    const response = await send(input, init);
    const { headers, status } = response;
    // With 502 to 504, a proxy reports that the relay is down.
    if (status < 502 || status > 504 || headers.get('content-type')?.includes('json')) tried = undefined;
    if (status !== 422) return response;
    const { code } = await response
      .clone()
      .json()
      .catch(() => ({}));
    // The page's own script changed a value without firing an event.
    if (code !== 'idempotency_key_reused') return response;
    id = newId();
    body.set(field, id);
    return send(input, init);
  };
}

const unanswered: SubmitResult = { kind: 'failed', message: '' };
/** A captcha needs the visitor. */
const asked: SubmitResult = { kind: 'failed', status: 400, message: '' };

/** Whether a later attempt may succeed without the visitor. */
const isLater = (result: SubmitResult) =>
  result.kind === 'expired' ||
  (result.kind === 'failed' &&
    (!result.status || result.status >= 500 || result.status === 409 || result.status === 429));

const reasonOf = (result: SubmitResult) =>
  result.kind === 'failed' ? result.message.replace(/./, (first) => first.toLocaleUpperCase()) : '';

const absoluteAction = (form: HTMLFormElement) =>
  new URL(form.getAttribute('action') as string, document.baseURI).href.replace(/\bas=\w+&?/, '');

/** Identifies the form by its URL, without the language. */
const placeOf = (address: string) =>
  `${addressOf(new URL(address, document.baseURI).href)?.('submit')}`.split('?', 1)[0] as string;

const newId = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

const bytesOf = ({ values }: Kept) =>
  values.reduce((sum, [, value]) => sum + (typeof value === 'string' ? value.length : value.size), 0);

function inWords(text = '', time: number, form: HTMLFormElement): string {
  const language = form.lang || document.documentElement.lang || undefined;
  const style = { dateStyle: 'long', timeStyle: 'short', hourCycle: 'h23' } as const;
  return text.replace('{time}', new Date(time).toLocaleString(language === 'en' ? 'en-GB' : language, style));
}

/** Puts a stored submission back into its form, with its files. */
function fill(form: HTMLFormElement, values: Values): void {
  const textsOf = (name: string) =>
    values.flatMap(([one, value]) => (one === name && typeof value === 'string' ? value : []));
  addEntries(
    form,
    [...new Set(values.map(([name]) => name))].map((name) => [name, textsOf(name)]),
  );
  const controls = [...member(form, 'elements')] as Control[];
  for (const name of new Set(controls.map((one) => one.name))) {
    const all = controlsOf(form, name).filter(({ type }) => !/^(hidden|submit|button|file)$/.test(type));
    if (name && all.length > 0) fillIn(all, textsOf(name));
    for (const input of form.querySelectorAll<HTMLInputElement>('input[type=file]')) {
      const files = values.flatMap(([one, value]) => (one === name && value instanceof File ? value : []));
      if (input.name !== name || files.length === 0) continue;
      const transfer = new DataTransfer();
      for (const file of files) transfer.items.add(file);
      input.files = transfer.files;
      input.dispatchEvent(new Event('change', { bubbles: true }));
    }
  }
}
