import { wordsOf } from '../client.ts';
import { type Area, promise } from '../promise.ts';
import { pause, type Trial } from '../trial.ts';

const from = 'SPEC: Limits';
const needs = ['throttle'] as const;

/** Sixty at once: a burst of 20 may pass, and what the throttle allows in the second that they take. */
const flood = (t: Trial) => Promise.all(Array.from({ length: 60 }, () => t.submit('contact', t.values)));

export const throttle: Area = {
  needs,
  setting: 'throttled',
  promises: {
    all: promise`Of a flood, no more than the burst and the rate allow pass; the others are answered 429.
      (${from})`(async (t) => {
      const startedAt = performance.now();
      const answers = await flood(t);
      const allowed = 20 + 10 * Math.ceil((performance.now() - startedAt) / 1_000) + 1;
      const taken = answers.filter((answer) => t.isTaken(answer)).length;
      const others = answers.filter((answer) => !t.isTaken(answer));
      t.must(taken <= allowed, `at most ${allowed} taken`, `${taken} taken`);
      for (const other of others) t.status(other, 429);
      await t.delivered(taken);
    }),
    explained: promise`A 429 says why in its body, and when to come again.
      (RFC 6585; RFC 9110, 10.2.3)`(async (t) => {
      const refused = (await flood(t)).find(({ status }) => status === 429);
      t.must(refused !== undefined, 'a 429', 'none');
      if (!refused) return;
      t.must(wordsOf(refused, 'error') !== undefined, '{"error": "<text>"}', refused.text);
      t.matches(refused.headers['retry-after'], /^[1-9]\d*$/);
    }),
    again: promise`Once the flood is over, submissions are taken again. (${from})`(async (t) => {
      await flood(t);
      const until = performance.now() + Math.min(t.patienceMs, 10_000);
      let answer = await t.submit('contact', t.values);
      while (!t.isTaken(answer) && performance.now() < until) {
        await pause(300);
        answer = await t.submit('contact', t.values);
      }
      t.taken(answer);
    }),
  },
};
