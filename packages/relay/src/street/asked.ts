import type { Effects } from '../base/effects.ts';

/** The outside world, and whether somebody in it was asked about a submission. */
export interface Asked {
  readonly effects: Effects;
  readonly hasAsked: () => boolean;
}

/** Checks ask captcha providers, services and virus scanners through these three. */
export function noteAsking(effects: Effects): Asked {
  let hasAsked = false;
  const noted =
    <Q extends readonly unknown[], A>(ask: (...question: Q) => A) =>
    (...question: Q): A => {
      hasAsked = true;
      return ask(...question);
    };
  return {
    effects: {
      ...effects,
      http: noted(effects.http),
      resolve4: noted(effects.resolve4),
      scanFile: noted(effects.scanFile),
    },
    hasAsked: () => hasAsked,
  };
}
