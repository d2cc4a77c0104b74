/** Each check of a submission and its finding, in words. */
import type { DoubtAction } from '../base/doubt.ts';
import type { CheckEvidence, CheckName, DoubtEvidence } from '../base/event.ts';
import type { FieldError } from '../base/outcome.ts';
import { doubt } from '../features/doubt/doubt.ts';
import type { Doubt } from '../features/doubt/examine.ts';
import { checksOf, explain } from '../features/index.ts';
import type { Form } from '../form.ts';
import { say } from '../messages/message.ts';
import type { OfKind } from './output_story.ts';

export interface CheckStory {
  readonly check: CheckName;
  readonly verdict: 'off' | 'passed' | 'ended' | 'not_reached';
  readonly says: string;
  /** The submission passed, but this check makes it doubtful. */
  readonly isDoubted?: true;
  /** The doubt check's signals, most points first. */
  readonly signals?: DoubtEvidence['signals'];
  /** The doubt check's signals that failed, and why. */
  readonly silent?: DoubtEvidence['silent'];
}

export function checkStories(
  form: Form,
  checked: readonly OfKind<'checked'>[],
  isDropped: boolean,
): readonly CheckStory[] {
  const isOfServer = checked.some(({ evidence }) => evidence.check === 'keys');
  // Browsers send no keys.
  const all = checksOf(form).filter(({ name }) => name !== 'keys' || isOfServer);
  return all.map(({ name: check, key, isOn, isForBrowsers }): CheckStory => {
    if (isOfServer && isForBrowsers) return { check, verdict: 'off', says: 'servers with a key skip it' };
    if (!isOn) return { check, verdict: 'off', says: `the form has no ${key}` };
    const found = checked.findLast(({ evidence }) => evidence.check === check);
    if (!found) return { check, verdict: 'not_reached', says: '' };
    const { passed, evidence } = found;
    const says = inFull(evidence, form);
    const isHaste = passed && (evidence.code === 'too_fast' || evidence.code === 'token_in_future');
    return {
      check,
      verdict: passed ? 'passed' : 'ended',
      says: isHaste
        ? `${says}; it is doubted, not dropped (too_fast: doubt)`
        : isDropped && !passed
          ? `${says}. The sender is told that all is well`
          : says,
      ...(isHaste && { isDoubted: true }),
      ...(evidence.check === 'doubt' && { signals: evidence.signals, silent: evidence.silent }),
    };
  });
}

/** Like `explain`, plus the visitor's messages, which a log must not contain. */
function inFull(evidence: CheckEvidence, form: Form): string {
  if (evidence.check === 'doubt') return doubtInWords(evidence, doubt.of(form)?.thresholds ?? []);
  if (evidence.check === 'validation' && evidence.code === 'invalid') {
    return evidence.errors.map(inWords).join(' ');
  }
  return evidence.code === 'decoy_filled'
    ? `the decoy field "${evidence.field}" is filled: only bots see it`
    : explain(evidence);
}

export const inWords = (error: FieldError) => `${error.field}: ${say(error)}`;

/** `6.5 points: tagged (tag from 5, aside from 8)`, without the signals, which stand beside it. */
function doubtInWords(
  { score, code, action, signals, silent }: DoubtEvidence,
  thresholds: Doubt['thresholds'],
): string {
  if (signals.length === 0 && silent.length === 0) return 'nothing speaks against it';
  const points = `${score} ${score === 1 ? 'point' : 'points'}`;
  const done = action === undefined ? [] : [actionWords[action]];
  const said = [...(code === 'solved' ? ['it came with what was asked'] : []), ...done].join('; ');
  const from = thresholds.toReversed().map(({ action, from }) => `${action} from ${from}`);
  return `${points}${said && `: ${said}`} (${from.join(', ')})`;
}

const actionWords: Readonly<Record<DoubtAction, string>> = {
  observe: 'only logged',
  tag: 'tagged',
  aside: 'set aside',
  challenge: 'challenged',
  drop: 'dropped',
};
