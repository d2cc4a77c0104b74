/** `/api/v1/fallback.js`: sends to the relay's second URL if the first does not respond. */
import { absolute, sleep } from '../element/address.ts';

/** A relay responds within 25 s. */
const patienceMs = 30_000;

const apiOf = (url: string) => /^.*\/api\/v1\//.exec(url)?.[0];

export function attach(form: HTMLFormElement, _?: HTMLFormElement, send = fetch): typeof fetch {
  const host = form.closest('relay-form');
  const action = apiOf(absolute(form.getAttribute('action') as string));
  const api = ['src', 'fallback']
    .map((name) => apiOf(absolute(host?.getAttribute(name) ?? '')))
    .find((one) => one && one !== action);
  if (!api) return send;
  // For later requests of other parts.
  form.dataset.fallback = api;
  return async (input, init) => {
    try {
      // An upload has no time limit here.
      const late = init?.body instanceof FormData ? [] : [sleep(patienceMs)];
      const response = await Promise.race([send(input, init), ...late]);
      const isAnswer = (one: Response) =>
        !/^50[234]/.test(`${one.status}`) || /json/.test(`${one.headers.get('content-type')}`);
      if (response && isAnswer(response)) return response;
    } catch {
      // There is no network, or no relay.
    }
    return send(`${input}`.replace(apiOf(`${input}`) as string, api), init);
  };
}
