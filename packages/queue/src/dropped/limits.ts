import type { Services } from '@form-relay/core/index';
import { throttledReport } from '@form-relay/core/kit';

/** A flood of bots must not fill a disk. These hold for each form and day (UTC) in each process. */
const mostADay = { entries: 1_000, bytes: 100_000_000 };

/** The same for what a process is storing: a slow disk must not fill its memory. */
const mostAtOnce = { entries: 100, bytes: 32_000_000 };

/** A retry with the same content is stored once in this time. */
const sameForMs = 3_600_000;
const mostRemembered = 10_000;

/** The room for a submission to store. One of the two methods ends it. */
export interface Room {
  stored(): void;
  failed(reason: string): void;
}

interface Used {
  entries: number;
  bytes: number;
}

/** Limits what a process stores of rejected submissions. */
export class DropLimits {
  readonly #report: (form: string, reason: string) => void;
  /** When each content came, the oldest first. */
  readonly #seen = new Map<string, number>();
  readonly #days = new Map<string, Used & { readonly day: number }>();
  readonly #underWay: Used = { entries: 0, bytes: 0 };

  constructor(private readonly services: Pick<Services, 'now' | 'log'>) {
    this.#report = throttledReport(services.now, (times, form: string, reason: string) =>
      services.log('warn', 'dropped_unkept', { form, times, reason }),
    );
  }

  /** `undefined`: it is not stored. */
  enter(form: string, content: string, bytes: number): Room | undefined {
    const now = this.services.now();
    if (this.#isRepeated(content, now)) return undefined;
    const today = this.#today(form, now);
    const full = fullBy(today, bytes, mostADay) ?? fullBy(this.#underWay, bytes, mostAtOnce);
    if (full !== undefined) {
      this.#report(form, full === mostADay ? dayInWords : atOnceInWords);
      return undefined;
    }
    this.#seen.set(content, now);
    add(today, 1, bytes);
    add(this.#underWay, 1, bytes);
    return {
      stored: () => add(this.#underWay, -1, bytes),
      failed: (reason) => {
        add(this.#underWay, -1, bytes);
        add(today, -1, bytes);
        this.#seen.delete(content);
        this.#report(form, reason);
      },
    };
  }

  #isRepeated(content: string, now: number): boolean {
    for (const [one, at] of this.#seen) {
      // The clock may be set back.
      if (Math.abs(now - at) < sameForMs && this.#seen.size < mostRemembered) break;
      this.#seen.delete(one);
    }
    return this.#seen.has(content);
  }

  #today(form: string, now: number): Used {
    const day = Math.floor(now / 86_400_000);
    let today = this.#days.get(form);
    if (today?.day !== day) {
      today = { day, entries: 0, bytes: 0 };
      this.#days.set(form, today);
    }
    return today;
  }
}

function add(used: Used, entries: 1 | -1, bytes: number): void {
  used.entries += entries;
  used.bytes += entries * bytes;
}

const fullBy = (used: Used, bytes: number, most: Used): Used | undefined =>
  used.entries >= most.entries || used.bytes + bytes > most.bytes ? most : undefined;

const dayInWords = `the limit of ${mostADay.entries} submissions or ${mostADay.bytes / 1e6} MB a day is reached`;
const atOnceInWords = `the limit of ${mostAtOnce.entries} submissions or ${mostAtOnce.bytes / 1e6} MB that are being stored is reached`;
