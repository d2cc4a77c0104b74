/** The worker that is the relay: brings its parts, asks it, and ends it when it hangs. */
import type { StudioEvent } from '../../src/events.ts';
import type { Answered, Asked, FromWorker, Part, ToWorker } from '../protocol.ts';
import { scriptFiles } from './script_files.ts';

/** A script of this folder calls it with what a part is (bundle.ts). */
declare global {
  var tryIt: (name: string, needs: readonly string[], code: () => void) => void;
}

/** How long it may say nothing while somebody waits for it: far longer than what people write takes to read. */
const mostSilentMs = 4_000;
const tickMs = 250;

const parts = scriptFiles<Part>((name) => `parts/${name}.js`);
globalThis.tryIt = (name, needs, code) => parts.give(name, { name, needs, code: String(code) });
const loadPart = parts.load;

const listeners = new Set<(event: StudioEvent) => void>();
/** Events of the worker that runs. Those that came before somebody listened are told then. */
let missed: StudioEvent[] = [];
export function onEvent(then: (event: StudioEvent) => void): () => void {
  listeners.add(then);
  const before = missed;
  missed = [];
  queueMicrotask(() => before.forEach(then));
  return () => listeners.delete(then);
}

function tell(event: StudioEvent): void {
  if (listeners.size === 0) missed.push(event);
  for (const listener of listeners) listener(event);
}

let worker: Worker | undefined;
let isReady = false;
let latestText = '';
let asked = 0;
const waiting = new Map<number, (answer: Answered | undefined) => void>();
let whenReady: (() => void)[] = [];

const post = (message: ToWorker) => worker?.postMessage(message);

/** Ends the one before, and answers who waits for it. */
export async function start(text: string, isStopped = false): Promise<void> {
  const boot = await loadPart('boot');
  if (!boot) throw new Error('parts/boot.js could not be loaded');
  worker?.terminate();
  for (const resolve of waiting.values()) resolve(undefined);
  waiting.clear();
  isReady = false;
  latestText = text;
  const address = URL.createObjectURL(new Blob([`(${boot.code})()`], { type: 'text/javascript' }));
  const begun = new Worker(address);
  worker = begun;
  begun.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    if (worker === begun) hear(data);
  };
  post({ kind: 'start', text, isStopped });
  begin();
  await new Promise<void>((resolve) => whenReady.push(resolve));
}

function hear(message: FromWorker): void {
  silent = 0;
  switch (message.kind) {
    case 'ready':
      isReady = true;
      for (const resolve of whenReady) resolve();
      whenReady = [];
      break;
    case 'pong':
      break;
    case 'answer':
      waiting.get(message.id)?.(message.answer);
      waiting.delete(message.id);
      break;
    case 'event':
      tell(message.event);
      break;
    case 'part':
      void loadPart(message.name).then((part) => post({ kind: 'part', name: message.name, part }));
      break;
  }
}

let begin = () => {};
const begun = new Promise<void>((resolve) => {
  begin = resolve;
});

/** `undefined` where the worker was ended meanwhile. */
export async function request(given: Asked): Promise<Answered | undefined> {
  await begun;
  if (given.path === '/studio/config/draft') latestText = new TextDecoder().decode(given.body);
  asked += 1;
  const id = asked;
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    post({ kind: 'ask', id, request: given });
  });
}

/** For how many ticks nothing was heard. */
let silent = 0;
/** A text can be made to take for ever: nothing inside the worker could end that. */
setInterval(() => {
  const isAwaited = worker !== undefined && (!isReady || waiting.size > 0);
  if (!isAwaited) silent = 0;
  if (!isAwaited) return;
  silent += 1;
  post({ kind: 'ping' });
  if (silent * tickMs < mostSilentMs) return;
  silent = 0;
  void start(latestText, true).then(() => {
    // Its stories are gone with it, and the next one counts from 1 again.
    tell({ type: 'cleared', data: '' });
    tell({ type: 'changed', data: '' });
  });
}, tickMs);
