import type { Files, UploadedFile } from './files.ts';
import type { PageContext } from './page_context.ts';
import type { Trace } from './trace.ts';
import type { Values } from './values.ts';

/** The data that an output sends: each key once, with its values in the order submitted; keys sorted by code point. */
export type Payload = readonly (readonly [key: string, values: readonly string[]])[];

/** A delivery as plain data: with it and the config, any process can deliver at any time. */
export interface Job {
  /** Names the delivery, the same for every try: `<request id>-<place of the output>`. */
  readonly id: string;
  /** Names the submission, as in the log. */
  readonly requestId: string;
  readonly formId: string;
  /** When the relay received the submission, in milliseconds since the epoch. */
  readonly receivedAt: number;
  /** The values that outputs may have; for each file, its name and size. */
  readonly values: Values;
  /** The files themselves, by field. */
  readonly files: Files;
  /** `undefined` if unknown, and in forms without `page`. */
  readonly page?: PageContext | undefined;
  /** The doubts about a tagged submission: `6.5 (links, offers)`. */
  readonly doubt?: string | undefined;
  /** Whether it is only on the waiting list. */
  readonly isWaiting?: boolean | undefined;
  /** The delivery's own span. */
  readonly trace?: Trace | undefined;
  /** The submission on paper, for outputs with `pdf`. */
  readonly pdf?: Pdf | undefined;
  /** The result of `mapping` and `static`. */
  readonly payload: Payload;
}

/** `failed`: it could not be made, and the delivery goes without it. */
export type Pdf = UploadedFile | 'failed';

/** The name of the PDF beside the fields of a submission. No field of a visitor's has it. */
export const pdfName = '_pdf';
