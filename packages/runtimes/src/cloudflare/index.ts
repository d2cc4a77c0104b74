/** Form Relay on Cloudflare Workers (docs/deploy/cloudflare.md). */
import { createWorker as create } from './create_worker.ts';
import type { FormRelayWorker, WorkerOptions } from './worker_options.ts';

export { Counts } from './counts.ts';
export type {
  FormRelayWorker,
  QueueBatch,
  QueueMessage,
  WorkerContext,
  WorkerOptions,
} from './worker_options.ts';

/** Makes the Worker. Nothing runs before its first request, since Cloudflare allows no work before. */
export const createWorker: (options?: WorkerOptions) => FormRelayWorker = create;
