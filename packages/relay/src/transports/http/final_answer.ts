import type { HttpAnswer } from '../../base/effects.ts';
import type { DeliveryWarning } from '../../base/event.ts';
import { parseUrl } from '../../base/url.ts';
import { retryAfter } from './answer.ts';

/** An answer to a message that accepts any, for its output to judge. */
export interface AnyAnswer extends HttpAnswer {
  /** Whether it came after a redirect to another origin. */
  readonly isElsewhere: boolean;
  readonly waitMs: number | undefined;
}

/** The headers of an answer are a getter, which a spread would leave behind. */
export const anyAnswer = (answer: HttpAnswer, isElsewhere: boolean, now: number): AnyAnswer => {
  const { headers } = answer;
  return { ...answer, headers, isElsewhere, waitMs: retryAfter(headers['retry-after'], now) };
};

/**
 * The final answer, with `Location` as a whole URL: many servers leave out the origin (RFC 9110, 10.2.2). Most outputs
 * never read the headers, so they are parsed on demand.
 */
export class FinalAnswer implements HttpAnswer {
  readonly status: number;
  readonly body: string;
  readonly isCut: boolean | undefined;
  readonly unknownCoding: string | undefined;
  readonly #answer: HttpAnswer;
  readonly #from: URL;

  constructor(answer: HttpAnswer, from: URL) {
    this.status = answer.status;
    this.body = answer.body;
    this.isCut = answer.isCut;
    this.unknownCoding = answer.unknownCoding;
    this.#answer = answer;
    this.#from = from;
  }

  get warning(): DeliveryWarning | undefined {
    if (!isSeeOther(this.status)) return undefined;
    const { location } = this.#answer.headers;
    return location && parseUrl(location, this.#from) ? undefined : 'redirected_nowhere';
  }

  get headers(): HttpAnswer['headers'] {
    const { headers } = this.#answer;
    const target = headers.location === undefined ? undefined : parseUrl(headers.location, this.#from);
    return target ? { ...headers, location: target.href } : headers;
  }
}

/** "Done, look there", as applications answer a form. */
export const isSeeOther = (status: number) => status === 302 || status === 303;
