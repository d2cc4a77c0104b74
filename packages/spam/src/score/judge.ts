/** Does what the config says of so many points: nothing is lost unless the owner writes `drop`. */
import type { Values } from '@form-relay/core/index';
import { markNames, type ScoreAction, type Threshold } from './marks.ts';
import type { Weighed } from './weigh.ts';

export interface Judgment extends Omit<Weighed, 'undo'> {
  /** Absent: nothing becomes of it. */
  readonly action: ScoreAction | undefined;
  /** The sender solved a challenge. */
  readonly isSolved: boolean;
  /** Values for outputs in addition to the submitted ones. */
  readonly marks?: Values;
}

export function judge(
  thresholds: readonly Threshold[],
  { undo: _, ...weighed }: Weighed,
  isProven: boolean,
): Judgment {
  const reached = thresholds.filter(({ from }) => weighed.score >= from).map(({ action }) => action);
  // A mark, and a line in the log, go with what else becomes of it.
  const tag = reached.find((action) => action === 'tag');
  const first = reached.find((action) => action !== 'tag' && action !== 'observe') ?? tag ?? reached[0];
  // A solved challenge delivers the submission, marked or not.
  const isSolved = isProven && first === 'challenge';
  const action = isSolved ? tag : first;
  const judgment = { ...weighed, action, isSolved };
  if (action === 'tag') return { ...judgment, marks: new Map([markOf(weighed)]) };
  if (action === 'aside') return { ...judgment, marks: new Map([markOf(weighed), [markNames.aside, ['1']]]) };
  return judgment;
}

const markOf = ({ score, signals }: Pick<Weighed, 'score' | 'signals'>): [string, readonly string[]] => [
  markNames.tag,
  [`${score} (${signals.map(({ signal }) => signal).join(', ')})`],
];

const pointsOf = (score: number) => `${score} ${score === 1 ? 'point' : 'points'}`;

/** For the log: all of it. */
export function whyJudged({ score, action, signals, silent }: Judgment): string {
  const why = signals.map(({ signal, points, why }) => `${signal} ${points} (${why})`);
  const not = silent.map(({ signal, why }) => `${signal} says nothing (${why})`);
  return [`${pointsOf(score)}: ${action}`, ...why, ...not].join('; ');
}

/** `6.5 points: tagged (tag from 5, aside from 8)`, without the signals. */
export function judgmentInWords(
  { score, isSolved, action, signals, silent }: Judgment,
  thresholds: readonly Threshold[],
): string {
  if (signals.length === 0 && silent.length === 0) return 'nothing speaks against it';
  const done = action === undefined ? [] : [actionWords[action]];
  const said = [...(isSolved ? ['it came with what was asked'] : []), ...done].join('; ');
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

/** The signals against it and those that failed, by name. `relay explain` says why. */
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
