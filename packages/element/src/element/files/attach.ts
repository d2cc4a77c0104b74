import { buttonOf, make } from '../controls.ts';
import { type Chosen, chosenIn } from './chosen.ts';

/** `/api/v1/files.js`: what forms with a file field do beyond browsers (load_parts.ts, inline/parts_in_form.ts). */

const attached = new WeakMap<HTMLFormElement, typeof fetch>();

/** Returns what sends the form as `fetch` does. `facts`: the relay's own form, with words and limits. */
export function attach(form: HTMLFormElement, facts: HTMLFormElement = form): typeof fetch {
  const known = attached.get(form);
  if (known) return known;
  const follow = (xhr: XMLHttpRequest) => showProgress(xhr, form, facts);
  const send: typeof fetch = (input, init) => {
    const { body } = init ?? {};
    if (!(body instanceof FormData)) return fetch(input, init);
    // Before the last step, it is enough to know that files are there.
    const isStep = /\/api\/v1\/check\//.test(`${input}`);
    return isStep
      ? fetch(input, { ...init, body: withoutFiles(body) })
      : post(input, { ...init, body }, follow);
  };
  attached.set(form, send);
  const all = new Map<HTMLInputElement, Chosen>();
  const update = () => {
    let bytes = 0;
    for (const chosen of all.values()) bytes += chosen.bytes();
    const isTooMuch = bytes > Number(facts.dataset.filesLimit);
    for (const chosen of all.values()) chosen.update(isTooMuch ? facts.dataset.filesTooLarge : '');
  };
  const setUp = () => {
    for (const input of all.keys()) if (!form.contains(input)) all.delete(input);
    for (const input of inputsOf(form)) if (!all.has(input)) all.set(input, chosenIn(input, facts));
    update();
  };
  setUp();
  // Fields come and go.
  new MutationObserver((changes) => {
    if (changes.some(({ addedNodes, removedNodes }) => [...addedNodes, ...removedNodes].some(isWithInput)))
      setUp();
  }).observe(form, { childList: true, subtree: true });
  form.addEventListener('change', update);
  // Before it, nothing is reset yet.
  form.addEventListener('reset', () => setTimeout(update));
  // A file that misses its place must not take the place of the page.
  for (const type of ['dragover', 'drop']) {
    form.addEventListener(type, (event) => {
      const { target } = event;
      if (!(target instanceof HTMLInputElement)) event.preventDefault();
    });
  }
  withHtmx(form, send, follow);
  carryOver(form);
  return send;
}

const isWithInput = (node: Node) =>
  node instanceof Element && (node.matches('input[type=file]') || node.querySelector('input[type=file]'));

/** The parts of htmx's events that are used here: `ctx` comes from htmx 4, the rest from htmx 2. */
interface Detail {
  xhr?: XMLHttpRequest;
  formData?: FormData;
  ctx?: { fetch?: typeof fetch; request: { body: FormData; timeout?: number | string } };
}

function withHtmx(form: HTMLFormElement, send: typeof fetch, follow: (xhr: XMLHttpRequest) => void): void {
  for (const name of ['htmx:beforeRequest', 'htmx:before:request'])
    form.addEventListener(name, (event) => {
      const { xhr, ctx } = (event as CustomEvent<Detail>).detail;
      if (event.target !== form) return;
      if (xhr) follow(xhr);
      if (ctx) ctx.fetch = send;
    });
  for (const name of ['htmx:configRequest', 'htmx:config:request'])
    form.addEventListener(name, (event) => {
      const { formData, ctx } = (event as CustomEvent<Detail>).detail;
      const isOwn = event.target === form;
      // htmx 4 waits for a minute. The relay gives slow uploads two.
      if (isOwn && ctx) ctx.request.timeout = '180s';
      if (isOwn) return;
      // Whether a file is there may decide which fields are.
      const data = formData ?? ctx?.request.body;
      for (const [name, value] of [...(data ?? [])])
        if (value instanceof File) data?.set(name, value.name && 'file');
    });
}

/** htmx puts the form as the relay shows it again in the place of this one, and with it go the files: they go along. */
function carryOver(form: HTMLFormElement): void {
  const parent = form.parentNode;
  if (!parent) return;
  new MutationObserver((changes, observer) => {
    if (form.isConnected) return;
    observer.disconnect();
    const next = changes
      .flatMap(({ addedNodes }) => [...addedNodes])
      .find((node): node is HTMLFormElement => node instanceof HTMLFormElement && node.id === form.id);
    if (!next) return;
    for (const input of inputsOf(form)) {
      const place = inputsOf(next).find(({ name }) => name === input.name);
      if (!place || !input.files?.length) continue;
      place.files = input.files;
      for (const words of place.closest('.field')?.querySelectorAll('[data-forgotten]') ?? []) words.remove();
    }
    attach(next);
  }).observe(parent, { childList: true });
}

const inputsOf = (form: HTMLFormElement) => [...form.querySelectorAll<HTMLInputElement>('input[type=file]')];

const withoutFiles = (body: FormData): URLSearchParams =>
  new URLSearchParams(
    [...body].map(([name, value]): [string, string] => [name, value instanceof File ? value.name : value]),
  );

/** A quick upload needs no bar. */
const quickMs = 500;

/** Shows above the button how much of a request was sent. */
function showProgress(xhr: XMLHttpRequest, form: HTMLFormElement, { dataset }: HTMLFormElement): void {
  const words = make('span', '');
  const bar = make('progress', '');
  const shown = make('label', 'file-progress', words, ' ', bar);
  const startedAt = performance.now();
  bar.max = 100;
  xhr.upload.addEventListener('progress', ({ loaded, total }) => {
    if (!total || performance.now() - startedAt < quickMs) return;
    bar.value = Math.floor((100 * loaded) / total);
    words.textContent = (dataset.fileSending ?? '{percent} %').replace('{percent}', `${bar.value}`);
    if (!shown.isConnected) (form.querySelector('.form-status') ?? buttonOf(form))?.before(shown);
  });
  xhr.addEventListener('loadend', () => shown.remove());
}

/** Posts as `fetch` does, which cannot tell how much of a body was sent. */
const post = (
  input: Parameters<typeof fetch>[0],
  { body, headers, signal }: RequestInit & { readonly body: FormData },
  follow: (xhr: XMLHttpRequest) => void,
): Promise<Response> =>
  new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    xhr.open('POST', `${input}`);
    new Headers(headers).forEach((value, name) => {
      xhr.setRequestHeader(name, value);
    });
    xhr.onload = () => {
      const { status, responseText } = xhr;
      resolve(new Response(status === 204 ? null : responseText, { status, headers: headersOf(xhr) }));
    };
    xhr.onerror = () => reject(new TypeError('Failed to fetch'));
    xhr.onabort = () => reject(new DOMException('aborted', 'AbortError'));
    signal?.addEventListener('abort', () => xhr.abort(), { once: true });
    follow(xhr);
    xhr.send(body);
  });

const headersOf = (xhr: XMLHttpRequest): [name: string, value: string][] =>
  xhr
    .getAllResponseHeaders()
    .split('\r\n')
    .filter(Boolean)
    .map((line) => {
      const [name = '', ...value] = line.split(': ');
      return [name, value.join(': ')];
    });
