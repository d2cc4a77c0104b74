/**
 * A page in a frame: what the relay answered is written into it, and what it asks for goes to the page around it, which
 * has the relay. Its origin is its own, and its policies let nothing else out.
 */

import { start } from '@form-relay/element/element/start';
import { attend, formHand } from '../../app/form/form_hand.ts';
import { standInForCaptcha } from '../../src/browser/stand_in/captcha.ts';
import type { Answered, Asked, ToFrame } from '../protocol.ts';
import { begin, port, tell } from './tell.ts';

let asked = 0;
const waiting = new Map<number, (answer: Answered | undefined) => void>();

/** In place of `fetch`, which can reach nothing here. */
async function ask(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const request = new Request(new URL(String(input), document.baseURI), init);
  const body = new Uint8Array(await request.arrayBuffer());
  asked += 1;
  const id = asked;
  const { method } = request;
  const headers = Object.fromEntries(request.headers);
  tell({ kind: 'ask', id, request: { method, ...placeOf(request.url), headers, body } });
  const answer = await new Promise<Answered | undefined>((resolve) => waiting.set(id, resolve));
  if (!answer) throw new TypeError('nothing else can be reached here');
  const { status } = answer;
  return new Response(status === 204 ? null : answer.body, { status, headers: answer.headers });
}

/** As the relay has it. On pages of a file, a drive may stand before. */
function placeOf(address: string): Pick<Asked, 'path' | 'query'> {
  const { pathname, search } = new URL(address);
  return { path: pathname.replace(/^\/[A-Za-z]:(?=\/)/, ''), query: search.slice(1) };
}

/** A form that no script sends, as browsers do. */
async function submit(event: SubmitEvent): Promise<void> {
  if (event.defaultPrevented) return;
  event.preventDefault();
  await send(event.target as HTMLFormElement, event.submitter);
}

async function send(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  const action = submitter?.getAttribute('formaction') ?? form.getAttribute('action') ?? '';
  const data = new FormData(form, submitter);
  const isMultipart = form.getAttribute('enctype') === 'multipart/form-data';
  const body = isMultipart ? data : new URLSearchParams([...data].map(([name, value]) => [name, `${value}`]));
  const request = new Request(new URL(action, document.baseURI), { method: 'POST', body });
  const headers = Object.fromEntries(request.headers);
  const bytes = new Uint8Array(await request.arrayBuffer());
  tell({ kind: 'navigate', request: { method: 'POST', ...placeOf(request.url), headers, body: bytes } });
}

function click(event: MouseEvent): void {
  const link = (event.target as Element).closest('a');
  const href = link?.getAttribute('href');
  if (!link || event.defaultPrevented || href == null || href.startsWith('#')) return;
  event.preventDefault();
  if (/^\/api\//.test(href))
    tell({
      kind: 'navigate',
      request: { method: 'GET', ...placeOf(link.href), headers: {}, body: new Uint8Array() },
    });
  else tell({ kind: 'link', href: link.href });
}

function show(markup: string, policy: string): void {
  const meta = document.createElement('meta');
  meta.httpEquiv = 'Content-Security-Policy';
  meta.content = policy;
  // It holds for whatever comes after it, also for what is written below.
  document.head.append(meta);
  document.open();
  document.write(markup);
  document.close();
  addEventListener('submit', (event) => void submit(event));
  addEventListener('click', click);
  standInForCaptcha();
  // A page without scripts stays without.
  if (document.querySelector('relay-form')) start();
  attend();
  tell({ kind: 'shown' });
}

globalThis.fetch = ask;
// The browser would send such a form by itself, without an event.
HTMLFormElement.prototype.submit = function (this: HTMLFormElement) {
  void send(this, null);
};

port.onmessage = async ({ data }: MessageEvent<ToFrame>) => {
  if (data.kind === 'show') show(data.markup, data.policy);
  else if (data.kind === 'answer') {
    waiting.get(data.id)?.(data.answer);
    waiting.delete(data.id);
  } else {
    const deed = formHand[data.name as keyof typeof formHand] as (...given: readonly unknown[]) => unknown;
    tell({ kind: 'result', id: data.id, result: await deed(...data.given) });
  }
};
begin();
