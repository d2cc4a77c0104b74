import { doubtNames } from '../doubt.ts';
import { stackOf } from '../error_stack.ts';
import type { DoubtEvidence } from '../event.ts';
import { behaviourField, type Doubt, type Form, type Proof } from '../form.ts';
import type { Look, Seen, Signal, SignalWorld } from '../signals/signal.ts';
import type { Submission } from '../submission.ts';
import { firstValue, type Values } from '../values.ts';
import type { Before, CheckContext, Examined } from './check.ts';

/**
 * Adds up what the form's signals find, and does what its config says of so many points (D71): nothing of it is a
 * verdict, so that nothing is lost unless the owner writes `drop`.
 */
export async function doubt(
  submission: Submission,
  context: CheckContext,
  { isProven, isUsed }: Before,
): Promise<Examined> {
  const { form } = context;
  if (!form.doubt) throw new Error('the form doubts nothing');
  const { undo, ...weighed } = await weigh(form.doubt.signals, seenOf(submission, context), context);
  const judged = judge(form.doubt, weighed, isProven, form.proof?.challenge ?? 'proof_of_work');
  return {
    ...judged,
    undo,
    ...(judged.ending?.kind === 'challenged' && { ending: { ...judged.ending, isUsed } }),
  };
}

const seenOf = (
  { values, headers, client, receivedAt, deadline }: Submission,
  { form }: CheckContext,
): Seen => ({
  formId: form.id,
  fields: form.fields,
  languages: languagesOf(form),
  values,
  headers,
  behaviour: form.countsBehaviour
    ? {
        counted: firstValue(values, behaviourField),
        isSolved: form.proof !== undefined && firstValue(values, form.proof.field).length > typedDigits,
      }
    : undefined,
  address: client,
  receivedAt,
  deadline,
});

/** More than a person types where no script runs. */
const typedDigits = 20;

/** What a form is written in; nothing where its config does not say. */
export const languagesOf = ({ direction, language, variants }: Form): readonly string[] =>
  direction === undefined ? [] : [language, ...variants.keys()];

/** What the signals found, all together. */
export interface Weighed extends Pick<DoubtEvidence, 'score' | 'signals' | 'silent'> {
  /** Forgets what the signals noted. */
  readonly undo?: () => void;
}

/** Asks all of them at the same time. */
export async function weigh(signals: readonly Signal[], seen: Seen, world: SignalWorld): Promise<Weighed> {
  const looks = signals.map((signal) => ({ signal, look: lookOf(signal, seen, world) }));
  const found: DoubtEvidence['signals'][number][] = [];
  const silent: DoubtEvidence['silent'][number][] = [];
  const undo: (() => void)[] = [];
  let score = 0;
  for (const { signal, look } of looks) {
    const said: Look = look instanceof Promise ? await look : look;
    if (!said) continue;
    if ('silent' in said) {
      silent.push({ signal: signal.name, why: said.silent });
      continue;
    }
    if (said.undo) undo.push(said.undo);
    if (!('strength' in said)) continue;
    const points = round(signal.weight * Math.min(1, said.strength));
    score += points;
    found.push({ signal: signal.name, points, why: said.why });
  }
  return {
    score: round(score),
    signals: found.toSorted((one, other) => other.points - one.points),
    silent,
    ...(undo.length > 0 && { undo: () => takeBack(undo) }),
  };
}

/** Of a bug in a signal, nobody's submission is the price. */
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
): Examined {
  const reached = thresholds.filter(({ from }) => weighed.score >= from).map(({ action }) => action);
  // Who did what was asked is delivered, marked or not.
  const isSolved = isProven && reached[0] === 'challenge';
  const action = isSolved ? reached.find((one) => one === 'tag') : reached[0];
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

const tagOf = ({ score, signals }: Weighed): Values =>
  new Map([[doubtNames.tag, [`${score} (${signals.map(({ signal }) => signal).join(', ')})`]]]);
