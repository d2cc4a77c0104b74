import type { Log } from '@form-relay/core/index';
import { throttledReport } from '@form-relay/core/kit';
import { failed } from '../failures.ts';

/** Answers of services, so that none is asked twice, and their health, so that a slow one delays no visitor. */
export interface AskedServices {
  /** The service that a signal asks at this address; its answers are `T`. */
  at<T>(signal: string, host: string): AskedService<T>;
}

interface AskedService<T> {
  /** Resolves with a recent answer, or asks now. Rejects as `ask` does, and with a `ClientError` if the service rests. */
  ask(question: string, ask: () => Promise<T>): Promise<T>;
  /** Logs that it gave no answer, at most once a second. */
  logSilence(log: Log, reason: string): void;
}

/** Visitors who correct a mistake or solve a challenge send the form again within this time. */
const rememberedMs = 15 * 60_000;

/** The most answers of a service, which take some 1 MB. */
const mostRemembered = 2_000;

/** More questions at a time would make a flood wait, and overload the service. */
const mostUnderWay = 50;

/** After so many consecutive failures, a service rests: visitors would wait in vain. */
const mostFailures = 3;
const restMs = 30_000;

/** More than any config names. */
const mostServices = 100;

export function createAskedServices(now: () => number): AskedServices {
  const services = new Map<string, AskedService<unknown>>();
  return {
    at: <T>(signal: string, host: string) => {
      const name = `${signal} ${host}`;
      const known = services.get(name) ?? createService(signal, host, now);
      if (services.size < mostServices) services.set(name, known);
      return known as AskedService<T>;
    },
  };
}

interface Answer {
  readonly askedAt: number;
  readonly answer: Promise<unknown>;
}

function createService(signal: string, host: string, now: () => number): AskedService<unknown> {
  /** The oldest first. */
  const answers = new Map<string, Answer>();
  let underWay = 0;
  let failures = 0;
  let failedAt = 0;
  /** If the clock was set back, the wait is over. */
  const isWithin = (since: number, ms: number) => now() >= since && now() - since < ms;
  const logSilence = throttledReport(now, (times, log: Log, reason: string) =>
    log('warn', 'service_silent', { signal, host, reason, times }),
  );
  return {
    logSilence,
    ask: async (question, ask) => {
      const known = answers.get(question);
      if (known && isWithin(known.askedAt, rememberedMs)) return known.answer;
      if (failures >= mostFailures && isWithin(failedAt, restMs)) throw failed('service_rests');
      if (underWay >= mostUnderWay) throw failed('service_busy', { most: mostUnderWay });
      const asked = { askedAt: now(), answer: counted(ask) };
      answers.delete(question);
      answers.set(question, asked);
      for (const [oldest, { askedAt }] of answers) {
        if (answers.size <= mostRemembered && isWithin(askedAt, rememberedMs)) break;
        answers.delete(oldest);
      }
      try {
        return await asked.answer;
      } catch (error) {
        if (answers.get(question) === asked) answers.delete(question);
        throw error;
      }
    },
  };

  async function counted(ask: () => Promise<unknown>): Promise<unknown> {
    underWay += 1;
    try {
      const answer = await ask();
      failures = 0;
      return answer;
    } catch (error) {
      failures += 1;
      failedAt = now();
      throw error;
    } finally {
      underWay -= 1;
    }
  }
}
