/** Takes the place of the studio's own hand.ts: the form is in a frame of an origin of its own. */
import { frame } from '../../app/form/frame.ts';
import type { Hand } from '../../app/form/hand.ts';
import { pointAtKey } from '../../app/form/point_at.ts';
import { say } from '../../app/store.ts';
import type { Answered, Asked, FromFrame } from '../protocol.ts';
import { type Framed, load } from './frames.ts';
import { ask, host } from './relay.ts';
import { linked } from './share.ts';
import { request } from './worker.ts';

let framed: Framed | undefined;
let calls = 0;
const waiting = new Map<number, (result: unknown) => void>();

/** Calls a function of the frame's page. Stays unanswered if that page is gone by then. */
const call = (name: string, ...given: unknown[]): Promise<unknown> =>
  new Promise((resolve) => {
    calls += 1;
    waiting.set(calls, resolve);
    framed?.post({ kind: 'call', id: calls, name, given });
    if (!framed) resolve(undefined);
  });

/** All of them, or it does not compile. */
const names: Readonly<Record<keyof Hand, true>> = {
  typed: true,
  shown: true,
  focused: true,
  refocus: true,
  give: true,
};
export const hand = Object.fromEntries(
  Object.keys(names).map((name) => [name, (...given: unknown[]) => call(name, ...given)]),
) as unknown as Hand;

/** A page as a browser asks for it. */
export async function open(address: string): Promise<void> {
  const [path = '', query = ''] = address.replace(/^https?:\/\/localhost(?=\/)/, '').split('?');
  if (!path.startsWith('/')) return;
  await navigate({ method: 'GET', path, query, headers: {}, body: new Uint8Array() });
}

let opened = 0;
async function navigate(asked: Asked): Promise<void> {
  opened += 1;
  const mine = opened;
  const headers = {
    ...asked.headers,
    host,
    accept: 'text/html,application/xhtml+xml',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'iframe',
    ...(asked.method === 'POST' && { origin: `http://${host}` }),
  };
  const answer = await request({ ...asked, headers });
  if (!answer) return;
  const { location } = answer.headers;
  if (location !== undefined) return open(location);
  const markup = await withStyle(answer);
  const next = await load(frame);
  // Another page was wanted meanwhile.
  if (mine !== opened) return;
  for (const resolve of waiting.values()) resolve(undefined);
  waiting.clear();
  framed = next;
  await new Promise<void>((resolve) => {
    next.hear = (message) => (message.kind === 'shown' ? resolve() : hear(next, message));
    next.post({ kind: 'show', markup, policy: policyOf(answer) });
  });
}

/** The frame holds the relay's own scripts and styles already; only the style of the studio's pages is missing. */
async function withStyle({ headers, body }: Answered): Promise<string> {
  if (!headers['content-type']?.startsWith('text/html')) {
    const text = document.createElement('p');
    text.textContent = body;
    return `<!DOCTYPE html><html lang="en"><head><title>The answer</title></head><body>${text.outerHTML}</body></html>`;
  }
  const [link = '', address] = /<link rel="stylesheet" href="(\/studio\/theme\/own\.css)">/.exec(body) ?? [];
  const style = address && (await ask(address));
  return body
    .replace(/<script src="[^"]*"[^>]*><\/script>/g, '')
    .replace(link, () => (style ? `<style>${style.text}</style>` : ''));
}

/** As the relay says, but that its page's style stands in it. */
const policyOf = ({ headers }: Answered): string =>
  (headers['content-security-policy'] ?? "default-src 'none'")
    .replace("style-src 'self'", "style-src 'unsafe-inline'")
    // Which no policy in a page can say.
    .replace(/;? *frame-ancestors [^;]*/, '');

/** The config's author may have made up a message: it is treated as text and numbers, and answered like any visitor's. */
function hear(from: Framed, message: FromFrame): void {
  if (from !== framed) return;
  switch (message.kind) {
    case 'result':
      waiting.get(message.id)?.(message.result);
      waiting.delete(message.id);
      break;
    case 'ask':
      void answerTo(message.request).then((answer) => from.post({ kind: 'answer', id: message.id, answer }));
      break;
    case 'navigate':
      if (isOfRelay(message.request)) void navigate(message.request);
      break;
    case 'link':
      linked.value = `The link leads to ${message.href}: the page stays here.`;
      say(linked.value);
      break;
    case 'height':
      frame.style.height = `${Math.min(Math.max(Number(message.height) || 0, 160), 20_000)}px`;
      break;
    case 'key':
      pointAtKey(String(message.key));
      break;
    case 'shown':
      break;
  }
}

/** The relay's own API, as visitors have it: never the studio's. */
const isOfRelay = ({ method, path }: Asked) =>
  /^\/api\/v1\//.test(path) && (method === 'GET' || method === 'POST');

/** For a script in the page, which the relay may send on to another. */
async function answerTo(asked: Asked): Promise<Answered | undefined> {
  if (!isOfRelay(asked)) return undefined;
  const headers = {
    ...asked.headers,
    host,
    origin: `http://${host}`,
    'sec-fetch-mode': 'cors',
    'sec-fetch-dest': 'empty',
  };
  const answer = await request({ ...asked, headers });
  if (answer?.status !== 200 || !answer.headers['content-type']?.includes('json')) return answer;
  const { redirect, ...others } = JSON.parse(answer.body);
  if (typeof redirect !== 'string') return answer;
  // No script there can leave its page.
  void open(redirect);
  return { ...answer, body: JSON.stringify(others) };
}
