import { buttonOf } from '../controls.ts';
import { make } from '../dom.ts';

/** A quick upload needs no bar. */
const quickMs = 500;

/** Shows above the button how much of a request was sent. */
export function showProgress(xhr: XMLHttpRequest, form: HTMLFormElement, { dataset }: HTMLFormElement): void {
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
export const post = (
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
