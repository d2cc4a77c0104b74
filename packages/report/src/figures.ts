/** Counts what happened to the submissions of a span of time, from the log, archives and the store of kept deliveries alone. */
import { parseJson } from '@form-relay/base/json';
import { isMap } from '@form-relay/schema/schema';

/** Each received submission is counted once among `onTime`, `late`, `waiting`, `lost` and `unknown`. */
export interface Figures {
  readonly received: number;
  /** All outputs had it before its visitor was answered. */
  readonly onTime: number;
  /** Kept first, and delivered to all outputs later. */
  readonly late: number;
  /** Still kept, and retried or left to its owner. */
  readonly waiting: number;
  /** An output never got it, and nothing retries it. */
  readonly lost: number;
  /** No log says what came of it. */
  readonly unknown: number;
  /** How many of the lost ones their visitors know of: they read that it failed. */
  readonly told: number;
  /** From receiving to the last output, of all that were delivered, in milliseconds. */
  readonly medianMs: number | undefined;
  /** By day: `2026-10-31`. */
  readonly days: ReadonlyMap<string, number>;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

interface Received {
  readonly form: string;
  readonly at: number;
  /** The outputs that lack it. `undefined`: no log says. */
  owed: Set<number> | undefined;
  lost: boolean;
  told: boolean;
  /** Whether it was kept. */
  late: boolean;
  ms: number;
}

/** Collects what is known of submissions. */
export class Ledger {
  readonly #received = new Map<string, Received>();
  hasLog = false;

  constructor(private readonly span: Span) {}

  /** A line of the relay's log in JSON; anything else is ignored. Lines of one submission come in their order. */
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
    // A submission that a visitor changes or withdraws was received once.
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
  /** Changes and withdrawals. */
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

  /** A submission of an archive. */
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

  /** @param isKept Whether the store has a delivery of the submission. `undefined`: no store was asked. */
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
