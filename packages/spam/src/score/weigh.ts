/** Adds up what the form's signals find. */
import { stackOf } from '@form-relay/base/client_error';
import type {
  Signal,
  SignalContext,
  Found as SignalFound,
  SignalInput,
  SignalResult,
} from '../signals/signal.ts';
import { type Threshold, tooFastPoints, tooFastSignal } from './marks.ts';

/** How a form weighs what speaks against a submission. */
export interface ScoreConfig {
  /** From how many points each action holds; the one with the most points first, and of those with as many, the harshest. */
  readonly thresholds: readonly Threshold[];
  readonly signals: readonly Signal[];
}

export interface Weighed {
  readonly score: number;
  /** The signals against it, the most points first. */
  readonly signals: readonly { readonly signal: string; readonly points: number; readonly why: string }[];
  /** The signals that could not score. */
  readonly silent: readonly { readonly signal: string; readonly why: string }[];
  /** Forgets what the signals noted. */
  readonly undo?: () => void;
}

/** Sorts by points, the most first. */
const inOrder = (signals: Weighed['signals']) => signals.toSorted((one, other) => other.points - one.points);

export function weigh(
  { signals, thresholds }: ScoreConfig,
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
    // Only one signal notes anything.
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

/** The most points that a finding may count. */
function ownLimit({ staysBelow }: SignalFound, thresholds: readonly Threshold[]): number {
  if (!staysBelow) return Infinity;
  const stops = thresholds.filter(
    ({ action }) => action === 'drop' || (staysBelow === 'actions' && action !== 'observe'),
  );
  return Math.max(0, Math.min(...stops.map(({ from }) => from)) - 0.1);
}

/** Adds what `too_fast: doubt` counts. */
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
