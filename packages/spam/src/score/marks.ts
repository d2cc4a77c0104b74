/** Describes the findings about a submission in its owner's language. */

import type { Translate, Values } from '@form-relay/core/index';
import written from './noticed.json' with { type: 'json' };

type Words = Readonly<Record<string, string>>;

const byLanguage: Readonly<Record<string, Words>> = written;

/**
 * Turns a mark such as `6.5 (links, offers)` into text: `suspicious links; advertises something`. If no
 * signal in the mark has a text, returns the mark unchanged.
 */
export function noticedIn(mark: string, language: string, translate?: Translate): string {
  const known = [language, language.split('-', 1)[0] ?? ''].find((tag) => tag in byLanguage) ?? 'en';
  const words: Words = byLanguage[known] ?? written.en;
  const names = mark.slice(mark.indexOf('(') + 1, -1).split(', ');
  const said = names.flatMap((name) => words[name] ?? wordsOfPlugin(name, translate));
  return said.length === 0 ? mark : said.join(known === 'ar' ? '؛ ' : '; ');
}

/** `signal_NAME` among the messages of a plug-in. */
function wordsOfPlugin(name: string, translate: Translate | undefined): string | readonly [] {
  const said = translate?.({ code: `signal_${name}` });
  return said === translate?.({ code: 'try_again' }) ? [] : (said ?? []);
}

/** The actions for a doubted submission, mildest first. */
export const scoreActions = ['observe', 'tag', 'aside', 'challenge', 'drop'] as const;
export type ScoreAction = (typeof scoreActions)[number];

/** An action and the points from which it applies. */
export interface Threshold {
  readonly action: ScoreAction;
  readonly from: number;
  /** Set if the config writes the action as its own key. */
  readonly isKey?: true;
}

/** The parts of a `spam` block that schemas read. Absent keys are not set. */
export interface SpamBlock {
  readonly doubt?: readonly Threshold[];
  readonly signals?: ReadonlyMap<string, SignalWeight>;
  readonly too_fast?: 'drop' | 'doubt';
}

/** The thresholds of the form's `spam`, or else of the top-level `spam`. */
export function thresholdsOf(spam: object, topSpam: object): readonly Threshold[] {
  const [own, shared]: readonly SpamBlock[] = [spam, topSpam];
  return own?.doubt ?? shared?.doubt ?? [];
}

/** The points from which an action applies; infinite if it never does. */
export const fromOf = (thresholds: readonly Threshold[], action: ScoreAction): number =>
  thresholds.find((one) => one.action === action)?.from ?? Infinity;

/** The signal of a submission sent too fast, for `too_fast: doubt`. */
export const tooFastSignal = 'too_fast';

/** The signal for agents that the config says to doubt, and for invalid signatures. */
export const agentSignal = 'agent';

/** The points of `too_fast`: just enough for `tag`, rounded up to tenths like all points; 0 without a `tag`. */
export const tooFastPoints = (thresholds: readonly Threshold[]): number => {
  const tag = fromOf(thresholds, 'tag');
  return tag === Infinity ? 0 : Math.ceil(tag * 10 - 1e-6) / 10;
};

export interface SignalWeight {
  /** In points; `undefined`: the signal's default. */
  readonly weight: number | undefined;
  /** The signal's other keys. */
  readonly keys: Readonly<Record<string, unknown>>;
}

/**
 * Names of the values that mark a tagged or quarantined submission, so that every output gets the mark.
 * Visitors cannot submit these names.
 */
export const markNames = {
  /** `6.5 (links, offers)` */
  tag: '_doubt',
  /** Present, with any value, if only outputs with `aside` get the submission. */
  aside: '_aside',
} as const;

/** The value that names the agent that signed a submission. */
export const agentName = '_agent';

/** Whether a feature, not a visitor, set the value of this name. */
export const isRemark = (name: string): boolean => name === markNames.tag || name === agentName;

/** The header that marks tagged submissions in requests and mails. */
export const markHeader = 'X-Form-Doubt';

/**
 * The mark of a tagged submission. Ignores a mark that the relay could not have written: store entries can be
 * forged, and the mark becomes a header.
 */
export function spamMarkIn(values: Values): string | undefined {
  const mark = values.get(markNames.tag)?.[0];
  return mark !== undefined && mark.length <= mostCharacters && isMark.test(mark) ? mark : undefined;
}

const isMark = /^\d+(\.\d)? \([\w, ]*\)$/;
const mostCharacters = 500;
