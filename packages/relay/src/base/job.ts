import type { Files } from './files.ts';
import type { PageContext } from './page_context.ts';
import type { Trace } from './trace.ts';
import type { Values } from './values.ts';

/** What an output sends: each key once, with all its values in the order submitted; keys sorted by code point. */
export type Payload = readonly (readonly [key: string, values: readonly string[]])[];

/**
 * What one output has to deliver for one submission, as plain data: with it and the config, the delivery can be made at
 * any time and in any process.
 */
export interface Job {
  /** Names this delivery, the same at every try: `<request id>-<place of the output>`. */
  readonly id: string;
  /** Names the submission, as in the log. */
  readonly requestId: string;
  readonly formId: string;
  /** When the relay received the submission, in milliseconds since the epoch. */
  readonly receivedAt: number;
  /** The submitted values that outputs may have; of each file, its name and size. */
  readonly values: Values;
  /** The files themselves, by field. */
  readonly files: Files;
  /** The page on which it was filled in: `undefined` when unknown, and in forms that do not ask for it. */
  readonly page?: PageContext | undefined;
  /** What speaks against it, where it was tagged: `6.5 (links, offers)`. */
  readonly doubt?: string | undefined;
  /** The delivery's own step, for those whom it goes to. */
  readonly trace?: Trace | undefined;
  /** What `mapping` and `static` made of it. */
  readonly payload: Payload;
}
