/** Matches patterns in a worker of their own, which is ended when one takes too long (as packages/relay/src/fields/pattern/pattern_thread.ts does). */
import type { MatchPatterns, PatternVerdict } from '@form-relay/relay/base';

/** All patterns of a submission together. */
const mostMs = 250;

const program = `onmessage = ({ data: { pattern, value } }) => {
  postMessage(new RegExp('^(?:' + pattern + ')$', 'v').test(value) ? 'match' : 'no_match');
}`;

/** Matches patterns of a single submission at a time. */
export function createPatternWorker(): MatchPatterns {
  let worker: Worker | undefined;
  let before: Promise<unknown> = Promise.resolve();

  const ask = (task: Parameters<MatchPatterns>[1][number], ms: number) =>
    new Promise<PatternVerdict>((resolve) => {
      const asked = worker ?? new Worker(URL.createObjectURL(new Blob([program])));
      worker = asked;
      const end = () => {
        asked.terminate();
        worker = undefined;
        resolve('too_slow');
      };
      const timer = setTimeout(end, ms);
      asked.onmessage = ({ data }) => {
        clearTimeout(timer);
        resolve(data);
      };
      asked.onerror = end;
      asked.postMessage({ pattern: task.pattern, value: task.value });
    });

  const match: MatchPatterns = (_, tasks) => {
    const matched = before.then(async () => {
      const verdicts: PatternVerdict[] = [];
      for (const task of tasks) {
        // The worker has to start first.
        const ms = worker ? mostMs : mostMs * 8;
        verdicts.push(verdicts.includes('too_slow') ? 'not_tried' : await ask(task, ms));
      }
      return verdicts;
    });
    before = matched;
    return matched;
  };
  return match;
}
