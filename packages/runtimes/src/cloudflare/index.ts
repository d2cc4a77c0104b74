/** Form Relay on Cloudflare Workers (docs/deploy/cloudflare.md). */
export { Counts } from './counts.ts';
export {
  createWorker,
  type FormRelayWorker,
  type QueueBatch,
  type QueueMessage,
  type WorkerContext,
  type WorkerOptions,
} from './create_worker.ts';
