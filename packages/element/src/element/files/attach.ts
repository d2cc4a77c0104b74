import { buttonOf } from '../controls.ts';
import { make } from '../dom.ts';
import { type Chosen, chosenIn } from './chosen.ts';

/** `/api/v1/files.js`: what forms with a file field do beyond browsers (load_parts.ts, inline/parts_in_form.ts). */

const attached = new WeakMap<HTMLFormElement, typeof fetch>();

/** Gives what sends the form as `fetch` does, and shows how much was sent. `facts`: the relay's own form, with words and limits. */
export function attach(form: HTMLFormElement, facts: HTMLFormElement = form): typeof fetch {
  const known = attached.get(form);
  if (known) return known;
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
  const follow = (xhr: XMLHttpRequest) => showProgress(xhr, form, facts);
  const send = sendFollowed(follow);
  attached.set(form, send);
  withHtmx(form, send, follow);
  carryOver(form);
  return send;
}

const isWithInput = (node: Node) =>
  node instanceof Element && (node.matches('input[type=file]') || node.querySelector('input[type=file]'));

/** Shows above the button how much of a request was sent, where that takes its time. */
function showProgress(xhr: XMLHttpRequest, form: HTMLFormElement, { dataset }: HTMLFormElement): void {
  const words = make('span', '');
  const bar = make('progress', '');
  const shown = make('label', 'file-progress', words, ' ', bar);
  const startedAt = performance.now();
  xhr.upload.addEventListener('progress', ({ loaded, total }) => {
    // A quick upload needs no words.
    if (!total || performance.now() - startedAt < 500) return;
    const percent = Math.floor((100 * loaded) / total);
    words.textContent = (dataset.fileSending ?? '{percent} %').replace('{percent}', `${percent}`);
    bar.max = 100;
    bar.value = percent;
    if (!shown.isConnected) (form.querySelector('.form-status') ?? buttonOf(form))?.before(shown);
  });
  xhr.addEventListener('loadend', () => shown.remove());
}

/** The parts of htmx's events that are used here: `ctx` comes from htmx 4, the rest from htmx 2 and the inline scripts. */
interface Detail {
  xhr?: object;
  formData?: FormData;
  fetch?: typeof fetch;
  ctx?: { fetch?: typeof fetch; request: { body: FormData; timeout?: number | string } };
}

/** htmx sends the form itself; what it sends is followed. */
function withHtmx(form: HTMLFormElement, send: typeof fetch, follow: (xhr: XMLHttpRequest) => void): void {
  const on = (names: string, then: (detail: Detail, isOwn: boolean) => void) => {
    for (const name of names.split(' '))
      form.addEventListener(name, (event) =>
        then((event as CustomEvent<Detail>).detail, event.target === form),
      );
  };
  on('htmx:beforeRequest htmx:before:request', (detail, isOwn) => {
    if (!isOwn) return;
    if (detail.xhr instanceof XMLHttpRequest) follow(detail.xhr);
    else (detail.ctx ?? detail).fetch = send;
  });
  on('htmx:configRequest htmx:config:request', ({ formData, ctx }, isOwn) => {
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

/** As `fetch` does, which cannot say how much of a body was sent. */
const sendFollowed =
  (follow: (xhr: XMLHttpRequest) => void): typeof fetch =>
  (input, init = {}) => {
    const { body, method = 'GET', headers, signal, mode, credentials } = init;
    const url = new URL(`${input}`, document.baseURI);
    // A page may forbid itself other origins.
    const isForbidden = mode === 'same-origin' && url.origin !== location.origin;
    if (!(body instanceof FormData) || isForbidden) return fetch(input, init);
    // Before the last step, it is enough to know that files are there.
    if (/\/api\/v1\/check\//.test(url.pathname)) return fetch(input, { ...init, body: withoutFiles(body) });
    return new Promise((resolve, reject) => {
      const xhr = new XMLHttpRequest();
      const abort = () => xhr.abort();
      xhr.open(method, url);
      xhr.withCredentials = credentials === 'include';
      new Headers(headers).forEach((value, name) => {
        xhr.setRequestHeader(name, value);
      });
      xhr.onload = () => {
        const empty = [204, 205, 304].includes(xhr.status);
        resolve(
          new Response(empty ? null : xhr.responseText, { status: xhr.status, headers: headersOf(xhr) }),
        );
      };
      xhr.onerror = () => reject(new TypeError('Failed to fetch'));
      xhr.onabort = () => reject(new DOMException('aborted', 'AbortError'));
      xhr.onloadend = () => signal?.removeEventListener('abort', abort);
      signal?.addEventListener('abort', abort);
      follow(xhr);
      if (signal?.aborted) abort();
      else xhr.send(body);
    });
  };

const withoutFiles = (body: FormData): URLSearchParams =>
  new URLSearchParams(
    [...body].map(([name, value]): [string, string] => [name, value instanceof File ? value.name : value]),
  );

const headersOf = (xhr: XMLHttpRequest): [string, string][] =>
  xhr
    .getAllResponseHeaders()
    .split('\r\n')
    .filter(Boolean)
    .map((line) => {
      const [name = '', ...value] = line.split(': ');
      return [name, value.join(': ')];
    });
