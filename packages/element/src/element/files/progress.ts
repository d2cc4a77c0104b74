import { buttonOf } from '../controls.ts';
import { make } from '../make.ts';

/** Shows above the button how much of a request was sent, where that takes its time. */
export function followed(xhr: XMLHttpRequest, form: HTMLFormElement, { dataset }: HTMLFormElement): void {
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

/** As `fetch` does, which cannot say how much of a body was sent. */
export const sendFollowed =
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
