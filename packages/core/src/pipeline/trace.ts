/** What each feature decided about a submission of a dry run, in order: for `relay explain` and the studio. */
export class Trace {
  readonly steps: TraceStep[] = [];
  /** Where mails to the visitor go, by the key of the form that asks for them. */
  readonly mailTargets = new Map<string, string>();

  enter(feature: string): void {
    this.steps.push({ feature, result: 'ended', notes: [] });
  }

  pass(feature: string): void {
    const step = this.#last(feature);
    if (step) step.result = 'passed';
  }

  /** Explains the decision of the feature that runs now, in words for the owner. */
  note(words: string): void {
    this.steps.findLast(({ result }) => result === 'ended')?.notes.push(words);
  }

  /** What else it found, as plain members. */
  detail(members: Readonly<Record<string, unknown>>): void {
    const step = this.steps.findLast(({ result }) => result === 'ended');
    if (step) step.details = { ...step.details, ...members };
  }

  #last(feature: string): TraceStep | undefined {
    return this.steps.findLast((step) => step.feature === feature);
  }
}

export interface TraceStep {
  readonly feature: string;
  result: 'passed' | 'ended';
  readonly notes: string[];
  details?: Readonly<Record<string, unknown>>;
}
