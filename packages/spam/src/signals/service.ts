/** The shared part of signals that ask a service. */
import { hash } from 'node:crypto';
import type { HttpAnswer, Services } from '@form-relay/core/index';
import {
  ClientError,
  parseAddress,
  privateNetworkOf,
  readAddress,
  stackOf,
  throttledReport,
  withoutEmpty,
  writeAddress,
} from '@form-relay/core/kit';
import { failed } from '../failures.ts';
import type { Found, Look, Seen, SignalWorld } from './signal.ts';

/** A visitor waits for it; less when the submission has less time left. */
const mostMs = 1_500;

/** No service answers faster over a network. */
const leastMs = 20;

/** Visitors who correct a mistake or solve a challenge send the form again within this time. */
const rememberedMs = 15 * 60_000;

/** The most answers of a service, which take some 1 MB. */
const mostRemembered = 2_000;

/** More questions at a time would make a flood wait, and overload the service. */
const mostUnderWay = 50;

/** After so many consecutive failures, a service rests: visitors would wait in vain. */
const mostFailures = 3;
const restMs = 30_000;

type Verdict = Promise<Found | undefined>;

/** Answers of a service, so that nothing is asked twice, and its health, so that a slow one delays no visitor. */
export class AskedService {
  /** The oldest first. */
  readonly #answers = new Map<string, { readonly askedAt: number; readonly verdict: Verdict }>();
  #underWay = 0;
  #failures = 0;
  #failedAt = 0;
  readonly #now: () => number;
  /** Logs that it gave no answer, at most once a second. */
  readonly logSilence: (log: Services['log'], reason: string) => void;

  constructor(signal: string, host: string, now: () => number) {
    this.#now = now;
    this.logSilence = throttledReport(now, (times, log: Services['log'], reason: string) =>
      log('warn', 'service_silent', { signal, host, reason, times }),
    );
  }

  /** A recent verdict, or one that is asked for now. Rejects as `ask` does, and with a `ClientError` if the service rests. */
  async ask(question: string, ask: () => Verdict): Verdict {
    const known = this.#answers.get(question);
    if (known && this.#isWithin(known.askedAt, rememberedMs)) return known.verdict;
    if (this.#failures >= mostFailures && this.#isWithin(this.#failedAt, restMs))
      throw failed('service_rests');
    if (this.#underWay >= mostUnderWay) throw failed('service_busy', { most: mostUnderWay });
    const asked = { askedAt: this.#now(), verdict: this.#count(ask) };
    this.#answers.delete(question);
    this.#answers.set(question, asked);
    for (const [oldest, { askedAt }] of this.#answers) {
      if (this.#answers.size <= mostRemembered && this.#isWithin(askedAt, rememberedMs)) break;
      this.#answers.delete(oldest);
    }
    try {
      return await asked.verdict;
    } catch (error) {
      if (this.#answers.get(question) === asked) this.#answers.delete(question);
      throw error;
    }
  }

  async #count(ask: () => Verdict): Verdict {
    this.#underWay += 1;
    try {
      const verdict = await ask();
      this.#failures = 0;
      return verdict;
    } catch (error) {
      this.#failures += 1;
      this.#failedAt = this.#now();
      throw error;
    } finally {
      this.#underWay -= 1;
    }
  }

  /** If the clock was set back, the wait is over. */
  #isWithin(since: number, ms: number): boolean {
    return this.#now() >= since && this.#now() - since < ms;
  }
}

interface Question {
  readonly signal: string;
  readonly host: string;
  /** All that the service is asked about. The same within a while is not asked again. */
  readonly about: object;
  /** Throws a `ClientError` where it cannot be asked. */
  request(timeoutMs: number): Parameters<Services['http']>[0];
  /** Throws a `ClientError` where there is no verdict. */
  verdict(answer: HttpAnswer): Found | undefined;
}

/**
 * Asks a service, unless it answered the same question a moment ago. Whatever becomes of that, the submission goes on: a
 * service without an answer speaks for nobody and against nobody.
 */
export async function askService(
  { signal, host, about, request, verdict }: Question,
  { formId, deadline }: Seen,
  { memory, services }: SignalWorld,
): Promise<Look> {
  const name = `${signal} ${host}`;
  const service = memory.services.get(name) ?? new AskedService(signal, host, services.now);
  memory.services.set(name, service);
  const question = hash('sha256', JSON.stringify([formId, about]), 'base64');
  try {
    const timeoutMs = Math.min(mostMs, deadline - services.now());
    // It is not the service's failure.
    if (timeoutMs < leastMs) throw failed('service_no_time');
    return await service.ask(question, async () => verdict(await services.http(request(timeoutMs))));
  } catch (error) {
    const isKnown = error instanceof ClientError;
    // A bug must not cost a submission.
    if (!isKnown) services.log('error', 'internal_error', { stack: stackOf(error) });
    const silent = isKnown ? error.message : 'internal error';
    // Why it rests was told as it failed.
    if (!isKnown || error.code !== 'service_rests') service.logSilence(services.log, silent);
    return { silent };
  }
}

/** An answer's body. Throws a `ClientError` for one that did not come whole, or with success. */
export function bodyOf({ status, body, isCut }: HttpAnswer): string {
  if (status < 200 || status > 299) throw failed('service_status', { status });
  if (isCut) throw failed('service_without_verdict');
  return body;
}

/** The failure of an answer that cannot be read as a verdict. */
export const noVerdictIn = ({ unknownCoding: coding }: HttpAnswer): ClientError =>
  coding === undefined ? failed('service_without_verdict') : failed('answer_coded', { coding });

/** The sender's address, if it is public: services know no others. */
export function publicAddress({ address: text = '' }: Seen): string | undefined {
  const address = readAddress(text);
  return address && !privateNetworkOf(address) ? writeAddress(address) : undefined;
}

/** The first address of the form's first such field; `undefined` where none, or something else, was typed. */
export function emailIn({ fields, values }: Seen): string | undefined {
  for (const { type, name } of fields) {
    const [first] = type === 'email' ? withoutEmpty(values.get(name) ?? []) : [];
    if (first !== undefined) return parseAddress(first.trim());
  }
  return undefined;
}
