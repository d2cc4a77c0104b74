import { linkField } from '../api_urls.ts';
import type { Listener } from '../base/event.ts';
import { type Files, noFiles } from '../base/files.ts';
import type { Outcome } from '../base/outcome.ts';
import { after, type Soon } from '../base/soon.ts';
import type { Checked, Submission } from '../base/submission.ts';
import { firstValue, type Values } from '../base/values.ts';
import { explain } from '../features/index.ts';
import type { Delivered, Form, Found, Passage, Stage, World } from '../form.ts';
import { type DeliveryContext, deliver, deliverReserved } from './deliver.ts';

/** All that the stages and the delivery of a submission need beside it. */
export interface StreetContext extends DeliveryContext {
  readonly world: World;
  readonly mustProve: boolean;
  /** Hears of a delivery before what follows it. */
  readonly onTaken: ((checked: Checked) => void) | undefined;
}

/** Sends a submission down the street of its form. Waits only where a stage or an output does. */
export const submit = (submission: Submission, context: StreetContext): Soon<Outcome> =>
  new SubmissionPassage(submission, context).from(0);

/** A class, since the stages would each hold on to the same in a closure. */
class SubmissionPassage implements Passage {
  readonly submission: Submission;
  values: Values = noValues;
  files: Files = noFiles;
  isProven = false;
  isUsed = false;
  tooFastMs: number | undefined;
  #marks: Values | undefined;
  #undo: (() => void)[] | undefined;
  readonly #context: StreetContext;

  constructor(submission: Submission, context: StreetContext) {
    this.submission = submission;
    this.#context = context;
  }

  get form(): Form {
    return this.#context.form;
  }

  get world(): World {
    return this.#context.world;
  }

  get effects(): StreetContext['effects'] {
    return this.#context.effects;
  }

  get tell(): StreetContext['tell'] {
    return this.#context.tell;
  }

  get mustProve(): boolean {
    return this.#context.mustProve;
  }

  get settings(): World['settings'] {
    return this.#context.world.settings;
  }

  get memory(): World['memory'] {
    return this.#context.world.memory;
  }

  from(number: number): Soon<Outcome> {
    const { way } = this.#context.form.stages;
    for (let at = number; at < way.length; at += 1) {
      const found = (way[at] as Stage)(this);
      if (found instanceof Promise) return found.then((one) => this.#pass(one) ?? this.from(at + 1));
      const ending = this.#pass(found);
      if (ending !== undefined) return ending;
    }
    return this.#deliver();
  }

  /** How the submission ends here, if it does, once those have heard of it who must before the answer. */
  #pass(found: Found): Soon<Outcome> | undefined {
    const ending = this.#note(found);
    const { turnedAway } = this.#context.form.stages;
    if (!ending || !turnedAway || !found.evidence) return ending;
    const hearing = turnedAway({ passage: this, ending, evidence: found.evidence, explain });
    return hearing === undefined ? ending : hearing.then(() => ending);
  }

  /** How the submission ends here, if it does. */
  #note(found: Found): Outcome | undefined {
    const { evidence, ending, undo, marks, accepted } = found;
    if (evidence) this.#context.tell({ kind: 'checked', passed: ending === undefined, evidence });
    if (undo) {
      this.#undo ??= [];
      this.#undo.push(undo);
    }
    if (marks) this.#marks = this.#marks ? new Map([...this.#marks, ...marks]) : marks;
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
    const link = this.form.answers.filling && firstValue(this.submission.values, linkField);
    const { files } = this;
    return { values, files, link, page, receivedAt, deadline, senderAddress, endsOnPage, requestId };
  }

  #deliver(): Soon<Outcome> {
    const undo = this.#undo;
    const context = this.#context;
    const { form, onTaken } = context;
    const checked = this.checked();
    const { reserve } = form.stages;
    const delivering = reserve
      ? deliverReserved(reserve, checked, context, context.world)
      : deliver(checked, context);
    if (form.stages.delivered.length === 0 && !onTaken && !undo) return delivering;
    return after(delivering, (outcome) => {
      if (outcome.kind !== 'delivered') return takeBack(outcome, undo);
      onTaken?.(checked);
      const { tell, world } = context;
      return after(followDelivery(form, checked, outcome, tell, world), () => outcome);
    });
  }
}

/** Runs the features' `delivered` stages. */
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

/** Gives back what the submission counted: correcting or sending it again costs nothing. */
export function takeBack(outcome: Outcome, undo: readonly (() => void)[] = []): Outcome {
  if (!isOver.has(outcome.kind)) for (const one of undo) one();
  return outcome;
}

/** Endings after which nobody is asked to send it again. */
const isOver: ReadonlySet<Outcome['kind']> = new Set([
  'delivered',
  'held',
  'saved',
  'dropped',
  'captcha_failed',
]);
