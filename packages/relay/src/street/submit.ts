import { type Files, noFiles } from '../base/files.ts';
import type { Outcome } from '../base/outcome.ts';
import { after, type Soon } from '../base/soon.ts';
import type { Checked, Submission } from '../base/submission.ts';
import type { Values } from '../base/values.ts';
import type { Before, Check, Examined } from '../features/check.ts';
import { checks } from '../features/index.ts';
import { deliver, type StreetContext } from './deliver.ts';

/** The street that every submission goes down. Waits only where a check or an output does. */
export const submit = (submission: Submission, context: StreetContext): Soon<Outcome> =>
  new Passage(submission, context).from(0);

/** A submission among the checks, and what they have found by now. */
class Passage implements Before {
  files: Files = noFiles;
  isProven = false;
  isUsed = false;
  tooFastMs: number | undefined;
  #values: Values = noValues;
  #marks: Values | undefined;
  #undo: (() => void)[] | undefined;
  readonly #submission: Submission;
  readonly #context: StreetContext;

  constructor(submission: Submission, context: StreetContext) {
    this.#submission = submission;
    this.#context = context;
  }

  /** Goes on with the check of this number. */
  from(number: number): Soon<Outcome> {
    for (let at = number; at < checks.length; at += 1) {
      const check = checks[at] as Check;
      if (!check.isOn(this.#context.form)) continue;
      const examining = check.examine(this.#submission, this.#context, this);
      if (examining instanceof Promise) {
        return examining.then((found) => this.#note(found) ?? this.from(at + 1));
      }
      const ending = this.#note(examining);
      if (ending) return ending;
    }
    return this.#deliver();
  }

  /** How the submission ends here, if it does. */
  #note(found: Examined): Outcome | undefined {
    const { evidence, ending, undo, marks, accepted } = found;
    this.#context.tell({ kind: 'checked', passed: ending === undefined, evidence });
    if (undo) {
      this.#undo ??= [];
      this.#undo.push(undo);
    }
    if (marks) this.#marks = marks;
    this.isProven ||= found.isProven === true;
    this.isUsed ||= found.isUsed === true;
    this.tooFastMs ??= found.tooFastMs;
    if (ending) return takeBack(ending, this.#undo);
    if (accepted) {
      this.#values = accepted.values;
      this.files = accepted.files;
    }
    return undefined;
  }

  #deliver(): Soon<Outcome> {
    const { hold, onDelivered } = this.#context;
    const values = this.#marks ? new Map([...this.#values, ...this.#marks]) : this.#values;
    const undo = this.#undo;
    const checked = checkedOf(this.#submission, values, this.files);
    if (hold) return after(hold(checked), (outcome) => takeBack(outcome, undo));
    const delivering = deliver(checked, this.#context);
    if (!onDelivered && !undo) return delivering;
    return after(delivering, (outcome) => {
      const following = outcome.kind === 'delivered' ? onDelivered?.(checked, outcome) : undefined;
      return after(following, () => takeBack(outcome, undo));
    });
  }
}

const noValues: Values = new Map();

/** Nothing holds on to the headers, or to what was sent under other names, while outputs take their time. */
const checkedOf = (
  { page, receivedAt, deadline, senderAddress, endsOnPage, requestId }: Submission,
  values: Values,
  files: Files,
): Checked => ({ values, files, page, receivedAt, deadline, senderAddress, endsOnPage, requestId });

/** What comes back to be corrected, or to be sent again, costs its sender nothing. */
export function takeBack(outcome: Outcome, undo: readonly (() => void)[] = []): Outcome {
  if (!isOver.has(outcome.kind)) for (const one of undo) one();
  return outcome;
}

/** Endings after which nobody is asked to send it again. */
const isOver: ReadonlySet<Outcome['kind']> = new Set(['delivered', 'held', 'dropped', 'captcha_failed']);
