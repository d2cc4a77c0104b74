import type { Effects } from '../base/effects.ts';
import type { Listener } from '../base/event.ts';
import { type Files, noFiles } from '../base/files.ts';
import type { Outcome } from '../base/outcome.ts';
import { after, type Soon } from '../base/soon.ts';
import type { Checked, Submission } from '../base/submission.ts';
import type { Trace } from '../base/trace.ts';
import type { Values } from '../base/values.ts';
import type { Delivered, Form, Found, KeepOwed, Passage, Stage, World } from '../form.ts';
import { deliver } from './deliver.ts';

/** How a submission begins its way: what came before its body was read. */
export interface Begun {
  readonly form: Form;
  readonly submission: Submission;
  readonly world: World;
  /** Those of the world, or such as note whether somebody was asked. */
  readonly effects: Effects;
  readonly tell: Listener;
  readonly trace: Trace;
  readonly mustProve: boolean;
  /** Hears of a delivery before what follows it. */
  readonly onTaken: ((checked: Checked) => void) | undefined;
}

/** Sends a submission down the street of its form. Waits only where a stage or an output does. */
export const submit = (begun: Begun): Soon<Outcome> => new SubmissionPassage(begun).from(0);

/** A class, since the stages would each hold on to the same in a closure. */
class SubmissionPassage implements Passage {
  readonly form: Form;
  readonly submission: Submission;
  readonly world: World;
  readonly effects: Effects;
  readonly tell: Listener;
  readonly trace: Trace;
  readonly mustProve: boolean;
  values: Values = noValues;
  files: Files = noFiles;
  isProven = false;
  isUsed = false;
  tooFastMs: number | undefined;
  #marks: Values | undefined;
  #undo: (() => void)[] | undefined;
  readonly keep: KeepOwed | undefined;
  readonly #onTaken: Begun['onTaken'];

  constructor({ form, submission, world, effects, tell, trace, mustProve, onTaken }: Begun) {
    this.form = form;
    this.submission = submission;
    this.world = world;
    this.effects = effects;
    this.tell = tell;
    this.trace = trace;
    this.mustProve = mustProve;
    this.keep = form.stages.owed?.(form, tell, world);
    this.#onTaken = onTaken;
  }

  get settings(): World['settings'] {
    return this.world.settings;
  }

  get memory(): World['memory'] {
    return this.world.memory;
  }

  get transports(): World['transports'] {
    return this.world.transports;
  }

  /** Goes on with the stage of this number. */
  from(number: number): Soon<Outcome> {
    const { way } = this.form.stages;
    for (let at = number; at < way.length; at += 1) {
      const found = (way[at] as Stage)(this);
      if (found instanceof Promise) return found.then((one) => this.#note(one) ?? this.from(at + 1));
      const ending = this.#note(found);
      if (ending) return ending;
    }
    return this.#deliver();
  }

  /** How the submission ends here, if it does. */
  #note(found: Found): Outcome | undefined {
    const { evidence, ending, undo, marks, accepted } = found;
    if (evidence) this.tell({ kind: 'checked', passed: ending === undefined, evidence });
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
      this.values = accepted.values;
      this.files = accepted.files;
    }
    return undefined;
  }

  /** Nothing holds on to the headers, or to what was sent under other names, while outputs take their time. */
  checked(): Checked {
    const { page, receivedAt, deadline, senderAddress, endsOnPage, requestId } = this.submission;
    const values = this.#marks ? new Map([...this.values, ...this.#marks]) : this.values;
    return { values, files: this.files, page, receivedAt, deadline, senderAddress, endsOnPage, requestId };
  }

  #deliver(): Soon<Outcome> {
    const undo = this.#undo;
    const checked = this.checked();
    const { form, effects, transports, tell, trace, keep } = this;
    const delivering = deliver(checked, { form, effects, transports, tell, trace, keep });
    if (form.stages.delivered.length === 0 && !this.#onTaken && !undo) return delivering;
    return after(delivering, (outcome) => {
      const following = outcome.kind === 'delivered' ? this.#follow(checked, outcome) : undefined;
      return after(following, () => takeBack(outcome, undo));
    });
  }

  #follow(checked: Checked, outcome: Delivered): Promise<void> | undefined {
    this.#onTaken?.(checked);
    const { form, tell, world } = this;
    const { delivered } = form.stages;
    return delivered.length > 0 ? followDelivery(form, checked, outcome, tell, world) : undefined;
  }
}

/** What features do once a submission was delivered. */
export async function followDelivery(
  form: Form,
  checked: Checked,
  outcome: Delivered,
  tell: Listener,
  world: World,
): Promise<void> {
  for (const follow of form.stages.delivered) await follow(form, checked, outcome, tell, world);
}

const noValues: Values = new Map();

/** What comes back to be corrected, or to be sent again, costs its sender nothing. */
export function takeBack(outcome: Outcome, undo: readonly (() => void)[] = []): Outcome {
  if (!isOver.has(outcome.kind)) for (const one of undo) one();
  return outcome;
}

/** Endings after which nobody is asked to send it again. */
const isOver: ReadonlySet<Outcome['kind']> = new Set(['delivered', 'held', 'dropped', 'captcha_failed']);
