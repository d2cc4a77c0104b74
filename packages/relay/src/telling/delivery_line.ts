/** How a delivery stands when its submission is answered. */
export interface DeliveryFields {
  /** The output's place in its form's `outputs`, from 0. */
  readonly output: number;
  readonly type: string;
  readonly outcome: 'delivered' | 'failed' | 'kept' | 'skipped';
  /** Absent where it was not tried, as is the time. */
  readonly tries?: number;
  readonly ms?: number;
}

/**
 * The fields of a line about a submission that outputs have, with nothing else to tell: most lines are. They write
 * themselves as JSON in less time than `JSON.stringify` takes to look for them.
 */
export class DeliveryLine {
  readonly [name: string]: unknown;
  readonly request_id: string;
  readonly trace_id: string;
  readonly form: string | undefined;
  readonly outcome: 'delivered' | 'kept';
  readonly ms: number;
  readonly deliveries: readonly DeliveryFields[];

  constructor(
    ids: Pick<DeliveryLine, 'request_id' | 'trace_id' | 'form'>,
    outcome: DeliveryLine['outcome'],
    ms: number,
    deliveries: readonly DeliveryFields[],
  ) {
    this.request_id = ids.request_id;
    this.trace_id = ids.trace_id;
    this.form = ids.form;
    this.outcome = outcome;
    this.ms = ms;
    this.deliveries = deliveries;
  }

  /** The same members as `JSON.stringify` writes, without the braces. */
  toMembers(): string {
    const { request_id, trace_id, form = '', outcome, ms, deliveries } = this;
    if (!isPlain(request_id) || !isPlain(trace_id) || !isPlain(form) || !Number.isFinite(ms))
      return this.#byItself();
    let written = '';
    for (const { output, type, outcome, tries, ms } of deliveries) {
      if (!isPlain(type) || !Number.isFinite(ms ?? 0)) return this.#byItself();
      const rest = tries === undefined ? '"}' : `","tries":${tries},"ms":${ms}}`;
      written += `${written === '' ? '' : ','}{"output":${output},"type":"${type}","outcome":"${outcome}${rest}`;
    }
    const ofForm = this.form === undefined ? '' : `"form":"${form}",`;
    return `"request_id":"${request_id}","trace_id":"${trace_id}",${ofForm}"outcome":"${outcome}","ms":${ms},"deliveries":[${written}]`;
  }

  #byItself(): string {
    return JSON.stringify(this).slice(1, -1);
  }
}

/** Whether it stands in JSON as it is: most texts of such a line do. */
const isPlain = (text: string): boolean => /^[\w.-]*$/.test(text);
