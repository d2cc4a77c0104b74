/** The worker's first script: asks for its parts, and runs the first. */
import type { FromWorker, Part, ToWorker } from '../protocol.ts';
import { createParts } from './parts.ts';

const say = (message: FromWorker) => postMessage(message);
const waiting = new Map<string, (part: Part | undefined) => void>();
const load = createParts(
  (name) =>
    new Promise((resolve) => {
      waiting.set(name, resolve);
      say({ kind: 'part', name });
    }),
);
const first = load('relay').then(({ start }) => (start as (say: (message: FromWorker) => void) => Hear)(say));
type Hear = (message: ToWorker) => void;

addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === 'ping') say({ kind: 'pong' });
  else if (data.kind === 'part') waiting.get(data.name)?.(data.part);
  else void first.then((hear) => hear(data));
});
