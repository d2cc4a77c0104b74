/** Adds up the points of a form's signals. */

import { stackOf } from '@form-relay/base/client_error';
import type { MaybePromise } from '@form-relay/base/maybe_promise';
import type { Submission, Values } from '@form-relay/core/index';
import type { PluginSignal } from '../signals/plugin_signals.ts';
import type {
  Signal,
  SignalContext,
  Found as SignalFound,
  SignalInput,
  SignalResult,
} from '../signals/signal.ts';
import {
  agentSignal,
  fromOf,
  markNames,
  type ScoreAction,
  type Threshold,
  tooFastPoints,
  tooFastSignal,
} from './marks.ts';

/** How a form scores submissions. */
export interface ScoreConfig {
  /** The points from which each action applies, highest first; if equal, the harshest action first. */
  readonly thresholds: readonly Threshold[];
  readonly signals: readonly Signal[];
  /** Signals of plug-ins, which are asked after the built-in ones. */
  readonly asked: readonly PluginSignal[];
}

export interface Weighed {
  readonly score: number;
  /** The signals that found something, with the most points first. */
  readonly signals: readonly { readonly signal: string; readonly points: number; readonly why: string }[];
  /** The signals that could not score. */
  readonly silent: readonly { readonly signal: string; readonly why: string }[];
  /** Undoes what the signals recorded. */
  readonly undo?: () => void;
}

/** Sorts by points, descending. */
const inOrder = (signals: Weighed['signals']) => signals.toSorted((one, other) => other.points - one.points);

export function weigh(
  { signals, thresholds }: Omit<ScoreConfig, 'asked'>,
  seen: SignalInput,
  context: SignalContext,
): Weighed {
  const found: Weighed['signals'][number][] = [];
  const silent: Weighed['silent'][number][] = [];
  let score = 0;
  let undo: Weighed['undo'];
  for (const signal of signals) {
    const { name, weight } = signal;
    const said = resultOf(signal, seen, context);
    if (!said) continue;
    if ('silent' in said) {
      silent.push({ signal: name, why: said.silent });
      continue;
    }
    // Only one signal records anything.
    undo ??= said.undo;
    if (!('score' in said)) continue;
    const points = round(Math.min(weight * Math.min(1, said.score), ownLimit(said, thresholds)));
    score += points;
    found.push({ signal: name, points, why: said.why });
  }
  return {
    score: round(score),
    signals: found.length > 1 ? inOrder(found) : found,
    silent,
    ...(undo && { undo }),
  };
}

/** Also asks the signals of plug-ins, unless the built-in ones are already enough to drop the submission. */
export function weighAll(
  score: ScoreConfig,
  seen: SignalInput,
  context: SignalContext,
  submission: Submission,
): MaybePromise<Weighed> {
  const own = weigh(score, seen, context);
  const drop = fromOf(score.thresholds, 'drop');
  return score.asked.length === 0 || own.score >= drop
    ? own
    : weighAsked(own, score.asked, drop, seen, submission);
}

/** Together, the signals of plug-ins count at most half of `drop`, so that they cannot drop a submission on their own. */
async function weighAsked(
  own: Weighed,
  asked: readonly PluginSignal[],
  drop: number,
  seen: SignalInput,
  submission: Submission,
): Promise<Weighed> {
  const results = await Promise.all(asked.map((signal) => signal.ask(seen, submission)));
  const found = [...own.signals];
  const silent = [...own.silent];
  let left = Math.floor(drop * 5) / 10;
  for (const [index, said] of results.entries()) {
    const { name, weight } = asked[index] as PluginSignal;
    if (!said) continue;
    if ('silent' in said) silent.push({ signal: name, why: said.silent });
    if (!('score' in said)) continue;
    const points = round(Math.min(weight * Math.min(1, said.score), left));
    left -= points;
    found.push({ signal: name, points, why: said.why });
  }
  const score = round(found.reduce((sum, { points }) => sum + points, 0));
  return { ...own, score, signals: inOrder(found), silent };
}

/** The maximum points for a result that must stay below an action. */
function ownLimit({ staysBelow }: SignalFound, thresholds: readonly Threshold[]): number {
  if (!staysBelow) return Infinity;
  const stops = thresholds.filter(
    ({ action }) => action === 'drop' || (staysBelow === 'actions' && action !== 'observe'),
  );
  return Math.max(0, Math.min(...stops.map(({ from }) => from)) - 0.1);
}

/** Adds the points of `too_fast: doubt`. */
export function withHaste(
  weighed: Omit<Weighed, 'undo'>,
  tooFastMs: number,
  { thresholds }: ScoreConfig,
): typeof weighed {
  const points = tooFastPoints(thresholds);
  const haste = { signal: tooFastSignal, points, why: `sent after ${tooFastMs} ms` };
  return {
    ...weighed,
    score: round(weighed.score + points),
    signals: inOrder([haste, ...weighed.signals]),
  };
}

/** Raises the score just to the threshold of `aside`, or else of `tag`. Beyond that, the signals decide. */
export function withSuspicion(
  weighed: Omit<Weighed, 'undo'>,
  why: string,
  { thresholds }: ScoreConfig,
): typeof weighed {
  const aside = fromOf(thresholds, 'aside');
  const from = aside === Infinity ? fromOf(thresholds, 'tag') : aside;
  const points = from === Infinity ? 0 : Math.max(0, Math.ceil(from * 10 - 1e-6) / 10 - weighed.score);
  const signals = inOrder([...weighed.signals, { signal: agentSignal, points: round(points), why }]);
  return { ...weighed, score: round(weighed.score + points), signals };
}

/** A bug in a signal must not cost a submission. */
function resultOf(signal: Signal, seen: SignalInput, context: SignalContext): SignalResult {
  try {
    return signal.score(seen, context);
  } catch (error) {
    context.services.log('error', 'internal_error', { signal: signal.name, stack: stackOf(error) });
    return { silent: 'internal error' };
  }
}

const round = (points: number) => Math.round(points * 10) / 10;

/** Takes the action that the config sets for a score. No submission is lost unless the owner writes `drop`. */

export interface Judgment extends Omit<Weighed, 'undo'> {
  /** Absent: no action applies. */
  readonly action: ScoreAction | undefined;
  /** The sender solved a challenge. */
  readonly isSolved: boolean;
  /** Values for outputs in addition to the submitted ones. */
  readonly marks: Values | undefined;
}

export function judge(
  thresholds: readonly Threshold[],
  { score, signals, silent }: Weighed,
  isProven: boolean,
): Judgment {
  const reached = thresholds.filter(({ from }) => score >= from).map(({ action }) => action);
  // `tag` and `observe` apply together with another action, so they come last.
  const tag = reached.find((action) => action === 'tag');
  const first = reached.find((action) => action !== 'tag' && action !== 'observe') ?? tag ?? reached[0];
  // After a solved challenge, the submission is delivered, tagged or not.
  const isSolved = isProven && first === 'challenge';
  const action = isSolved ? tag : first;
  return { score, signals, silent, action, isSolved, marks: marksOf(action, score, signals) };
}

function marksOf(action: ScoreAction | undefined, score: number, signals: Weighed['signals']) {
  if (action !== 'tag' && action !== 'aside') return undefined;
  const names = signals.map(({ signal }) => signal).join(', ');
  const marks = new Map<string, readonly string[]>([[markNames.tag, [`${score} (${names})`]]]);
  return action === 'aside' ? marks.set(markNames.aside, ['1']) : marks;
}

const pointsOf = (score: number) => `${score} ${score === 1 ? 'point' : 'points'}`;

/** The full reason, for the log. */
export function whyJudged({ score, action, signals, silent }: Judgment): string {
  const why = signals.map(({ signal, points, why }) => `${signal} ${points} (${why})`);
  const not = silent.map(({ signal, why }) => `${signal} did not respond (${why})`);
  return [`${pointsOf(score)}: ${action}`, ...why, ...not].join('; ');
}

/** `6.5 points: tagged (tag from 5, aside from 8)`, without the signals. */
export function judgmentInWords(
  { score, isSolved, action, signals, silent }: Judgment,
  thresholds: readonly Threshold[],
): string {
  if (signals.length === 0 && silent.length === 0) return 'nothing suspicious';
  const done = action === undefined ? [] : [actionWords[action]];
  const said = [...(isSolved ? ['the challenge was solved'] : []), ...done].join('; ');
  const from = thresholds.toReversed().map(({ action, from }) => `${action} from ${from}`);
  return `${pointsOf(score)}${said && `: ${said}`} (${from.join(', ')})`;
}

const actionWords: Readonly<Record<ScoreAction, string>> = {
  observe: 'only logged',
  tag: 'tagged',
  aside: 'set aside',
  challenge: 'challenged',
  drop: 'dropped',
};

/** The signals that found something and those that failed, by name. `relay explain` shows the reasons. */
export const inLog = ({
  score,
  action,
  isSolved,
  signals,
  silent,
}: Judgment): Readonly<Record<string, unknown>> => ({
  ...(score > 0 && { score }),
  ...(action && { doubt: action }),
  ...(isSolved && { solved: true }),
  ...(signals.length > 0 && {
    signals: Object.fromEntries(signals.map(({ signal, points }) => [signal, points])),
  }),
  ...(silent.length > 0 && { silent: silent.map(({ signal }) => signal) }),
});
