import { clientOf } from '../../base/client.ts';
import { stackOf } from '../../base/client_error.ts';
import {
  doubtNames,
  type Similar,
  type Threshold,
  tooFastPoints,
  tooFastSignal,
  writeSimilar,
} from '../../base/doubt.ts';
import type { DoubtEvidence } from '../../base/event.ts';
import type { Values } from '../../base/values.ts';
import type { Form, Found, Passage } from '../../form.ts';
import type { Proof } from '../proof/examine.ts';
import type { Look, Seen, Signal, Found as SignalFound, SignalWorld } from './signals/signal.ts';

/** How a form weighs what speaks against a submission. */
export interface Doubt {
  /** From how many points each action holds; the one with the most points first, and of those with as many, the harshest. */
  readonly thresholds: readonly Threshold[];
  readonly signals: readonly Signal[];
}

/**
 * Adds up what the form's signals find, and does what its config says of so many points: nothing of it is a
 * verdict, so that nothing is lost unless the owner writes `drop`.
 */
export function examineDoubt(
  doubt: Doubt,
  asks: Proof['challenge'],
  passage: Passage,
): Found | Promise<Found> {
  const { isProven, isUsed, tooFastMs } = passage;
  const judged = ({ undo, ...found }: Weighed): Found => {
    const weighed = tooFastMs === undefined ? found : withHaste(found, tooFastMs, doubt);
    const judgment = judge(doubt, weighed, isProven, asks);
    return {
      ...judgment,
      ...(undo && { undo }),
      ...(judgment.ending?.kind === 'challenged' && { ending: { ...judgment.ending, isUsed } }),
    };
  };
  const weighing = weigh(doubt, seenOf(passage), passage);
  return weighing instanceof Promise ? weighing.then(judged) : judged(weighing);
}

const seenOf = ({
  submission: { values, headers, receivedAt, deadline, requestId },
  form,
  world,
  settings,
}: Passage): Seen => ({
  id: requestId,
  formId: form.id,
  fields: form.inputs,
  languages: languagesOf(form),
  values,
  headers,
  address: clientOf(world.request, settings),
  receivedAt,
  deadline,
});

/** The languages of a form; none if its config names none. */
export const languagesOf = ({ direction, language, variants }: Form): readonly string[] =>
  direction === undefined ? [] : [language, ...variants.keys()];

export interface Weighed extends Pick<DoubtEvidence, 'score' | 'signals' | 'silent' | 'similar'> {
  /** Forgets what the signals noted. */
  readonly undo?: () => void;
}

/** Sorts by points, the most first. */
const inOrder = (signals: DoubtEvidence['signals']) =>
  signals.toSorted((one, other) => other.points - one.points);

/** Asks all of them at the same time. It waits only for those who ask somebody else. */
export function weigh(doubt: Doubt, seen: Seen, world: SignalWorld): Weighed | Promise<Weighed> {
  const looks = doubt.signals.map((signal) => lookOf(signal, seen, world));
  const isSaid = (look: Look | Promise<Look>): look is Look => !(look instanceof Promise);
  return looks.every(isSaid) ? sumOf(doubt, looks) : Promise.all(looks).then((said) => sumOf(doubt, said));
}

/** Adds up the signals' answers, which come in the signals' order. */
function sumOf({ signals, thresholds }: Doubt, looks: readonly Look[]): Weighed {
  const found: DoubtEvidence['signals'][number][] = [];
  const silent: DoubtEvidence['silent'][number][] = [];
  const undo: (() => void)[] = [];
  let score = 0;
  let similar: Similar | undefined;
  for (const [index, { name, weight }] of signals.entries()) {
    const said = looks[index];
    if (!said) continue;
    if ('silent' in said) {
      silent.push({ signal: name, why: said.silent });
      continue;
    }
    if (said.undo) undo.push(said.undo);
    if (!('strength' in said)) continue;
    similar ??= said.similar;
    const points = round(Math.min(weight * Math.min(1, said.strength), mostAlone(said, thresholds)));
    score += points;
    found.push({ signal: name, points, why: said.why });
  }
  return {
    score: round(score),
    signals: found.length > 1 ? inOrder(found) : found,
    silent,
    ...(similar && { similar }),
    ...(undo.length > 0 && { undo: () => takeBack(undo) }),
  };
}

/** The most points that a finding may count. */
function mostAlone({ staysBelow }: SignalFound, thresholds: readonly Threshold[]): number {
  if (!staysBelow) return Infinity;
  const stops = thresholds.filter(
    ({ action }) => action === 'drop' || (staysBelow === 'actions' && action !== 'observe'),
  );
  return Math.max(0, Math.min(...stops.map(({ from }) => from)) - 0.1);
}

/** Adds what `too_fast: doubt` counts. */
function withHaste(weighed: Omit<Weighed, 'undo'>, tooFastMs: number, { thresholds }: Doubt): typeof weighed {
  const points = tooFastPoints(thresholds);
  const haste = { signal: tooFastSignal, points, why: `sent after ${tooFastMs} ms` };
  return {
    ...weighed,
    score: round(weighed.score + points),
    signals: inOrder([haste, ...weighed.signals]),
  };
}

/** A bug in a signal must not cost a submission. */
function lookOf(signal: Signal, seen: Seen, world: SignalWorld): Look | Promise<Look> {
  const silent = (error: unknown): Look => {
    world.effects.log('error', 'internal_error', { signal: signal.name, stack: stackOf(error) });
    return { silent: 'internal error' };
  };
  try {
    const look = signal.look(seen, world);
    return look instanceof Promise ? look.catch(silent) : look;
  } catch (error) {
    return silent(error);
  }
}

function takeBack(undo: readonly (() => void)[]): void {
  for (const one of undo) one();
}

const round = (points: number) => Math.round(points * 10) / 10;

function judge(
  { thresholds }: Doubt,
  weighed: Weighed,
  isProven: boolean,
  challenge: Proof['challenge'],
): Found {
  const reached = thresholds.filter(({ from }) => weighed.score >= from).map(({ action }) => action);
  // A mark, and a line in the log, go with what else becomes of it.
  const tag = reached.find((action) => action === 'tag');
  const first = reached.find((action) => action !== 'tag' && action !== 'observe') ?? tag ?? reached[0];
  // A solved challenge delivers the submission, marked or not.
  const isSolved = isProven && first === 'challenge';
  const action = isSolved ? tag : first;
  const evidence: DoubtEvidence = {
    check: 'doubt',
    code: isSolved ? 'solved' : action === undefined ? 'clear' : 'doubted',
    ...weighed,
    action,
  };
  switch (action) {
    case 'drop':
      return { evidence, ending: { kind: 'dropped', by: 'doubt' } };
    case 'challenge':
      return { evidence, ending: { kind: 'challenged', by: 'doubt', asks: challenge } };
    case 'aside':
      return { evidence, marks: new Map([...tagOf(weighed), [doubtNames.aside, ['1']]]) };
    case 'tag':
      return { evidence, marks: tagOf(weighed) };
    default:
      return { evidence };
  }
}

const tagOf = ({ score, signals, similar }: Weighed): Values =>
  new Map([
    [doubtNames.tag, [`${score} (${signals.map(({ signal }) => signal).join(', ')})`]],
    ...(similar ? [[doubtNames.similar, [writeSimilar(similar)]] as const] : []),
  ]);
