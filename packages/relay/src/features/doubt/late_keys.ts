/** The keys of doubt, which are read when a config names one of them: signals bring words and services along. */
import * as v from 'valibot';
import { doubtActions, type SignalWeight, type Threshold } from '../../base/doubt.ts';
import type { AnySchema, Schema } from '../../schema/any_schema.ts';
import { optional } from '../../schema/keys.ts';
import { text } from '../../schema/kinds.ts';

type Late = typeof import('./doubt_keys.ts');
let late: Late | undefined;

/** `mayName`: whether the config's text may have this in it. */
export async function loadDoubt(mayName: (name: string) => boolean): Promise<void> {
  if (mayName('doubt') || mayName('signals')) late = await import('./doubt_keys.ts');
}

const unread = v.never() as AnySchema as Schema<never>;

/** The signals of a form, which were read with the keys that name them. */
export const signalsOf: Late['signalsOf'] = (guards, lists) => late?.signalsOf(guards, lists) ?? [];

export const signalProblems: Late['signalProblems'] = (config, parsed) =>
  late?.signalProblems(config, parsed) ?? [];

export const signalWarnings: Late['signalWarnings'] = (config) => late?.signalWarnings(config) ?? [];

/** What is read late; config/json_schema.ts looks into them. */
export const signals: Schema<ReadonlyMap<string, SignalWeight>> = v.lazy(() => late?.signalsSchema ?? unread);
export const doubt: Schema<readonly Threshold[]> = v.lazy(() => late?.doubtSchema ?? unread);

export const doubtKeys = {
  signals: optional(
    'What speaks against a submission, and how much: weights in points by the name of the signal, 0 for none. A form’s own come before those at the top, each by its name (docs/doubt.md).',
    signals,
  ),
  doubt: optional(
    `What becomes of a submission that its signals speak against: ${doubtActions.map((one) => `\`${one}\``).join(', ')}, or \`off\`; or a map of these with the points from which each holds: \`{tag: 5, challenge: 8}\` (docs/doubt.md).`,
    doubt,
  ),
};

export const tagSubjectKeys = {
  tag_subject: optional(
    'What stands before the subject of mails with a doubted submission. A space follows it. Default: `[Spam?]`; empty: nothing.',
    text(),
  ),
};
