/** Takes the place of the studio's own relay.ts: a worker answers, not a server. */
import type { Answer, Listening } from '../../app/relay.ts';
import type { StudioEvent } from '../../src/events.ts';
import { dataFile, loadData } from './data.ts';
import { onEvent, request } from './worker.ts';

export async function ask(path: string, body?: string | URLSearchParams): Promise<Answer | undefined> {
  const [address = '', query = ''] = path.split('?');
  if (dataFile(address) !== undefined) {
    const text = await loadData(address);
    return text === undefined ? undefined : { ok: true, text };
  }
  const answer = await request({
    method: body === undefined ? 'GET' : 'POST',
    path: address,
    query,
    headers: { host, origin: `http://${host}` },
    body: new TextEncoder().encode(String(body ?? '')),
  });
  return answer && { ok: answer.status < 400, text: answer.body };
}

/** The studio accepts requests for this host alone. */
export const host = 'localhost';

/** Nothing is left behind; in frames, and on pages of a file, browsers may not even let it. */
export const stored: Storage | undefined = undefined;
export const remembered: Storage | undefined = undefined;

let query = '';
export const chosen = () => query;
/** The address itself holds the config. */
export const choose = (address: string, _?: boolean) => {
  query = new URL(address, 'http://localhost').search;
};
export const onChosen = (_: () => unknown): void => {};
/** Whichever worker it is, it is this page's. */
export const restart = (): void => {};

/** Events from before the page listened are kept for it. */
export function listen(_: string): Listening {
  const heard = new Map<string, (data: never) => void>();
  const stop = onEvent(({ type, data }: StudioEvent) => heard.get(type)?.(data as never));
  return { on: (type, then) => void heard.set(type, then), onLost: () => {}, stop };
}
