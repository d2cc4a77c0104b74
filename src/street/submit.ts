import { checks } from '../checks/index.ts';
import { type Files, noFiles } from '../files.ts';
import type { Outcome } from '../outcome.ts';
import type { Submission } from '../submission.ts';
import type { Values } from '../values.ts';
import { deliver, type StreetContext } from './deliver.ts';

/** The street that every submission goes down. */
export async function submit(submission: Submission, context: StreetContext): Promise<Outcome> {
  const { form, tell } = context;
  let values: Values = new Map();
  let files: Files = noFiles;
  let isProven = false;
  let isUsed = false;
  let tooFastMs: number | undefined;
  let marks: Values | undefined;
  let undo: (() => void)[] | undefined;
  for (const check of checks) {
    if (!check.isOn(form)) continue;
    const examining = check.examine(submission, context, { files, isProven, isUsed, tooFastMs });
    // Waiting where there is nothing to wait for takes 2 % of a submission, all checks together.
    const found = examining instanceof Promise ? await examining : examining;
    const { evidence, ending } = found;
    tell({ kind: 'checked', passed: ending === undefined, evidence });
    if (found.undo) {
      undo ??= [];
      undo.push(found.undo);
    }
    if (found.marks) marks = found.marks;
    isProven ||= found.isProven === true;
    isUsed ||= found.isUsed === true;
    tooFastMs ??= found.tooFastMs;
    if (ending) return takeBack(ending, undo);
    if (found.accepted) ({ values, files } = found.accepted);
  }
  // Nothing holds on to what was sent under other names while outputs take their time.
  const checked = { ...submission, values: marks ? new Map([...values, ...marks]) : values, files };
  if (context.hold) return undo ? takeBack(await context.hold(checked), undo) : context.hold(checked);
  if (!context.onDelivered && !undo) return deliver(checked, context);
  const outcome = await deliver(checked, context);
  if (outcome.kind === 'delivered') await context.onDelivered?.(checked, outcome);
  return takeBack(outcome, undo);
}

/** What comes back to be corrected, or to be sent again, costs its sender nothing. */
export function takeBack(outcome: Outcome, undo: readonly (() => void)[] = []): Outcome {
  if (!isOver.has(outcome.kind)) for (const one of undo) one();
  return outcome;
}

/** Endings after which nobody is asked to send it again. */
const isOver: ReadonlySet<Outcome['kind']> = new Set(['delivered', 'held', 'dropped', 'captcha_failed']);
