import { ageInWords } from '@form-relay/relay/base/age_words';
import { printable } from '@form-relay/relay/config/excerpt';
import type { Facts } from './facts.ts';

/** How many deliveries of each form. */
export class Totals {
  readonly #forms = new Map<string, { due: number; waiting: number; oldestAt: number }>();

  get number(): number {
    return [...this.#forms.values()].reduce((sum, { due, waiting }) => sum + due + waiting, 0);
  }

  add({ form, state, kept_at }: Facts): void {
    const total = this.#forms.get(form) ?? { due: 0, waiting: 0, oldestAt: Infinity };
    this.#forms.set(form, total);
    if (state === 'due') total.due += 1;
    else total.waiting += 1;
    total.oldestAt = Math.min(total.oldestAt, Date.parse(kept_at));
  }

  /** One for each form. */
  lines(now: number): readonly string[] {
    return [...this.#forms].map(([form, { due, waiting, oldestAt }]) => {
      const parts = [
        ...(due > 0 ? [`${due} tried again by the relay`] : []),
        ...(waiting > 0 ? [`${waiting} waiting for you`] : []),
      ];
      return `${printable(form)}: ${parts.join(', ')}; the oldest kept ${ageInWords(now - oldestAt)}\n`;
    });
  }
}
