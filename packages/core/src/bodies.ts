import type { Files, SentFile } from './base/files.ts';
import type { MaybePromise } from './base/maybe_promise.ts';
import type { Values } from './base/values.ts';
import type { Outcome } from './outcome.ts';

/** Reads bodies of one media type. */
export interface BodyParser {
  /** In lower case, such as `multipart/form-data`. */
  readonly mediaType: string;
  /** The size limit. Bodies up to 64 KB count towards BODY_BYTES_LIMIT, larger ones towards UPLOAD_BUDGET. */
  readonly maxBytes: number;
  readonly parse: (body: Uint8Array, contentType: string) => MaybePromise<ParsedBody | Outcome>;
  /** Only trusted servers may send it. */
  readonly isForServers?: true;
}

export interface ParsedBody {
  readonly values: Values;
  readonly files?: Files<SentFile>;
  readonly lists?: SentLists;
}

/** For each field whose values came in a list (JSON): the indices of the values that are not empty. */
export type SentLists = ReadonlyMap<string, readonly number[]>;
