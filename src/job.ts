import type { Values } from './values.ts';

/** What an output sends: each key once, with all its values in the order submitted; keys sorted by code point. */
export type Payload = readonly (readonly [key: string, values: readonly string[]])[];

/**
 * What one output owes for one submission, as plain data: whoever has it and the config can deliver it, also later and
 * elsewhere.
 */
export interface Job {
  /** Names this delivery, the same at every try: `<request id>-<place of the output>`. */
  readonly id: string;
  /** Names the submission, as in the log. */
  readonly requestId: string;
  readonly formId: string;
  /** When the relay received the submission, in milliseconds since the epoch. */
  readonly receivedAt: number;
  /** What outputs may have of what was submitted. */
  readonly values: Values;
  /** What `mapping` and `static` made of it. */
  readonly payload: Payload;
}
