/** Counts the results of submissions in a period, only from the log, archives and the store of queued deliveries. */
import { parseJson } from '@form-relay/base/json';
import { isMap } from '@form-relay/schema/schema';

/** Each received submission is counted once: as `onTime`, `late`, `waiting`, `lost` or `unknown`. */
export interface Figures {
  readonly received: number;
  /** All outputs got it before its visitor got a response. */
  readonly onTime: number;
  /** Queued, and delivered to all outputs later. */
  readonly late: number;
  /** Still queued, to be retried or for its owner to decide. */
  readonly waiting: number;
  /** Missing at an output, without further attempts. */
  readonly lost: number;
  /** The log does not contain its result. */
  readonly unknown: number;
  /** How many of the lost submissions were answered with an error, so their visitors know. */
  readonly told: number;
  /** The median time from receipt to the last output for all delivered submissions, in milliseconds. */
  readonly medianMs: number | undefined;
  /** Submissions by day: `2026-10-31`. */
  readonly days: ReadonlyMap<string, number>;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

interface Received {
  readonly form: string;
  readonly at: number;
  /** The outputs that have not got it. `undefined`: the log does not say. */
  owed: Set<number> | undefined;
  lost: boolean;
  told: boolean;
  /** Whether it was queued. */
  late: boolean;
  ms: number;
}

/** Collects the known facts about submissions. */
export class Ledger {
  readonly #received = new Map<string, Received>();
  hasLog = false;

  constructor(private readonly span: Span) {}

  /**
   * Reads a line of the relay's log in JSON, and ignores any other line. The lines of a submission must be in
   * chronological order.
   */
  line(text: string): void {
    if (!text.includes('"submission"') && !text.includes('"kept_delivery"')) return;
    const line = parseJson(text);
    if (!isMap(line) || typeof line.form !== 'string') return;
    this.hasLog = true;
    const id = String(line.submission ?? line.request_id);
    const at = Date.parse(String(line.time));
    if (line.event === 'submission') this.#submitted(id, line.form, at, line);
    if (line.event === 'kept_delivery') this.#tried(id, line.form, at, line);
  }

  #submitted(id: string, form: string, answeredAt: number, line: Readonly<Record<string, unknown>>): void {
    // A submission that is later changed or withdrawn was received only once.
    if (line.change_of !== undefined || line.withdrawn !== undefined) this.#later.add(id);
    const told = line.outcome === 'undelivered' || line.outcome === 'busy';
    const all: readonly unknown[] = Array.isArray(line.deliveries) ? line.deliveries : [];
    if (!told && all.length === 0 && line.outcome !== 'kept') return;
    const ms = Number(line.ms ?? 0);
    // An output may have been retried before this line was written.
    const known = this.#know(id, form, answeredAt - ms);
    if (!known) return;
    const of = (outcome: string) =>
      all.flatMap((one) => (isMap(one) && one.outcome === outcome ? Number(one.output) : []));
    const kept = of('kept');
    known.lost = told || of('failed').length > 0;
    known.told = told;
    known.late ||= kept.length > 0;
    known.ms = Math.max(known.ms, ms);
    known.owed = new Set(
      [...kept, ...(known.owed ?? [])].filter((output) => !this.#done.has(`${id}-${output}`)),
    );
  }

  readonly #done = new Set<string>();
  /** Ids of changes and withdrawals. */
  readonly #later = new Set<string>();

  #tried(id: string, form: string, at: number, line: Readonly<Record<string, unknown>>): void {
    const output = Number(line.output);
    const known = this.#know(id, form, at - Number(line.age_s ?? 0) * 1_000);
    if (!known) return;
    known.late = true;
    if (line.outcome === 'delivered') {
      this.#done.add(`${id}-${output}`);
      known.owed ??= new Set();
      known.owed.delete(output);
      known.ms = Math.max(known.ms, at - known.at);
    } else known.owed = new Set([...(known.owed ?? []), output]);
  }

  /** Adds a submission from an archive. */
  archived(id: string, form: string, at: number): void {
    this.#know(id, form, at);
  }

  #know(id: string, form: string, at: number): Received | undefined {
    const known = this.#received.get(id);
    if (known || this.#later.has(id) || !(at >= this.span.from && at < this.span.to)) return known;
    const made: Received = { form, at, owed: undefined, lost: false, told: false, late: false, ms: 0 };
    this.#received.set(id, made);
    return made;
  }

  /** @param isKept Whether the store has a queued delivery of the submission. `undefined`: no store was read. */
  figures(forms: ReadonlySet<string>, isKept: ((id: string) => boolean) | undefined): Figures {
    const counts = { received: 0, onTime: 0, late: 0, waiting: 0, lost: 0, unknown: 0, told: 0 };
    const days = new Map<string, number>();
    const times: number[] = [];
    for (const [id, { form, at, owed, lost, told, late, ms }] of this.#received) {
      if (!forms.has(form)) continue;
      counts.received += 1;
      const day = new Date(at).toISOString().slice(0, 10);
      days.set(day, (days.get(day) ?? 0) + 1);
      if (told) counts.told += 1;
      const isOwed = owed !== undefined && owed.size > 0;
      const ending = lost
        ? 'lost'
        : isKept?.(id) || (isOwed && !isKept)
          ? 'waiting'
          : owed === undefined || isOwed
            ? 'unknown'
            : late
              ? 'late'
              : 'onTime';
      counts[ending] += 1;
      if (ending === 'onTime' || ending === 'late') times.push(ms);
    }
    times.sort((one, other) => one - other);
    return { ...counts, medianMs: times[Math.floor((times.length - 1) / 2)], days };
  }
}
