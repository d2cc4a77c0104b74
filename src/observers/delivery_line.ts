/** How a delivery stands when its submission is answered. */
export interface DeliveryFields {
  /** The output's place in its form's `outputs`, from 0. */
  readonly output: number;
  readonly type: string;
  readonly outcome: 'delivered' | 'failed' | 'kept' | 'skipped';
  /** Absent where it was not tried. */
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

  /** What `JSON.stringify` makes of it. */
  toText(): string {
    const { request_id, trace_id, form, outcome, ms } = this;
    let deliveries = '';
    for (const { output, type, outcome, tries, ms } of this.deliveries) {
      const tried = tries === undefined ? '' : `,"tries":${tries}`;
      const took = ms === undefined ? '' : `,"ms":${number(ms)}`;
      const before = deliveries === '' ? '' : `${deliveries},`;
      deliveries = `${before}{"output":${output},"type":${quoted(type)},"outcome":"${outcome}"${tried}${took}}`;
    }
    const ofForm = form === undefined ? '' : `"form":${quoted(form)},`;
    return `{"request_id":${quoted(request_id)},"trace_id":${quoted(trace_id)},${ofForm}"outcome":"${outcome}","ms":${number(ms)},"deliveries":[${deliveries}]}`;
  }
}

const quoted = (text: string): string => (/^[\w.-]*$/.test(text) ? `"${text}"` : JSON.stringify(text));

/** A clock of the library's user may give anything. */
const number = (value: number): string => (Number.isFinite(value) ? `${value}` : 'null');
