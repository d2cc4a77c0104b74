import { buttonOf, make } from '../controls.ts';
import { type Chosen, chosenIn } from './chosen.ts';

/** `/api/v1/files.js`: adds what browsers lack to forms with a file field (load_parts.ts, inline/parts_in_form.ts). */

const attached = new WeakMap<HTMLFormElement, typeof fetch>();

/** Returns a function that sends the form like `fetch`. `facts`: the relay's own form, with texts and limits. */
export function attach(form: HTMLFormElement, facts: HTMLFormElement = form): typeof fetch {
  const known = attached.get(form);
  if (known) return known;
  const follow = (xhr: XMLHttpRequest) => showProgress(xhr, form, facts);
  const send: typeof fetch = (input, init) => {
    const { body } = init ?? {};
    if (!(body instanceof FormData)) return fetch(input, init);
    // Before the last step, the relay only needs to know that files were chosen.
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
  // Fields are added and removed.
  new MutationObserver((changes) => {
    if (changes.some(({ addedNodes, removedNodes }) => [...addedNodes, ...removedNodes].some(isWithInput)))
      setUp();
  }).observe(form, { childList: true, subtree: true });
  form.addEventListener('change', update);
  // The event fires before the fields are reset.
  form.addEventListener('reset', () => setTimeout(update));
  // A file dropped next to its field must not replace the page.
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

/** The parts of htmx's events that are used here: `ctx` is from htmx 4, the rest from htmx 2. */
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
      // htmx 4 times out after a minute. The relay gives slow uploads two minutes.
      if (isOwn && ctx) ctx.request.timeout = '180s';
      if (isOwn) return;
      // Conditions may depend on whether a file was chosen.
      const data = formData ?? ctx?.request.body;
      for (const [name, value] of [...(data ?? [])])
        if (value instanceof File) data?.set(name, value.name && 'file');
    });
}

/** When htmx replaces the form with the one that the relay shows again, moves the chosen files to the new form. */
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

/** A quick upload needs no progress bar. */
const quickMs = 500;

/** Shows above the button how much of the request has been sent. */
function showProgress(xhr: XMLHttpRequest, form: HTMLFormElement, { dataset }: HTMLFormElement): void {
  const words = make('span', '');
  const bar = make('progress', '');
  const shown = make('label', 'file-progress', words, ' ', bar);
  const startedAt = performance.now();
  bar.max = 100;
  xhr.upload.addEventListener('progress', ({ loaded, total }) => {
    if (!total || performance.now() - startedAt < quickMs) return;
    bar.value = Math.floor((100 * loaded) / total);
    words.textContent = (dataset.fileSending ?? '{percent}%').replace('{percent}', `${bar.value}`);
    if (!shown.isConnected) (form.querySelector('.form-status') ?? buttonOf(form))?.before(shown);
  });
  xhr.addEventListener('loadend', () => shown.remove());
}

/** Posts like `fetch`, which cannot report how much of a body was sent. */
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
