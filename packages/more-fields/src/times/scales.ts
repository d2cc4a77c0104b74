/** The kinds of time that fields have. */

import { readMoment, readTime, writeMoment, writeTime } from '@form-relay/base/moments';
import type { Spelled } from '@form-relay/core/index';
import { datetimeWords, timeWords } from './words.ts';

/** A kind of time in seconds, so that ranges and steps are sums. */
export interface Scale {
  /** `undefined` if the text is no such time. */
  read(text: string): number | undefined;
  write(at: number): string;
  words(at: number): Spelled;
}

export const time: Scale = { read: readTime, write: writeTime, words: timeWords };

export const datetime: Scale = { read: readMoment, write: writeMoment, words: datetimeWords };
