import { createHash } from 'node:crypto';
import { withoutEmpty } from '@form-relay/base/values';
import type { Config } from '@form-relay/core/config';
import { labelOf } from '@form-relay/core/fields/label';
import type { Form } from '@form-relay/core/form';
import type { ArchivedFile } from '@form-relay/more-outputs/archive_layout';
import { isHeld, waitingSince } from '@form-relay/queue/held';
import {
  ageInWords,
  type DeadLetterReason,
  type Listed,
  type QueuedSubmission,
} from '@form-relay/queue/index';
import { printable } from '@form-relay/yaml/show_problems';
import { queuedOutput } from './open.ts';

/** Which kept deliveries are meant: all of what is left out. */
export interface Choice {
  /** Ids of deliveries, or of submissions, which stand for all their deliveries. */
  readonly ids?: readonly string[] | undefined;
  readonly form?: string | undefined;
  /** Kept at this moment or before; milliseconds since the epoch. */
  readonly before?: number | undefined;
  readonly state?: 'due' | 'dead_letter' | undefined;
}

/** Selects entries. `unmet` ends up with the ids that match no listed entry. */
export function chooser({ ids, form, before = Infinity, state }: Choice): {
  readonly isChosen: (one: Listed) => boolean;
  readonly unmet: ReadonlySet<string>;
} {
  const wanted = new Set(ids);
  const unmet = new Set(ids);
  const isNamed = (id: string) => {
    if (ids === undefined) return true;
    const names = [id, submissionOf(id)].filter((name) => wanted.has(name));
    for (const name of names) unmet.delete(name);
    return names.length > 0;
  };
  return {
    unmet,
    isChosen: (one) =>
      isNamed(one.kept.id) &&
      (form === undefined || one.kept.form === form) &&
      waitingSince(one.kept) <= before &&
      (state === undefined || (one.deadLetter ? 'dead_letter' : isHeld(one.kept) ? 'held' : 'due') === state),
  };
}

/** Names the delivery in the log and in the visitor's answer; the output's index follows it. */
export const submissionOf = (id: string): string => id.replace(/-\d+$/, '');

/** A kept delivery as JSON, without anything that a visitor wrote. */
export interface Facts {
  /** The delivery's: its `Idempotency-Key`. */
  readonly id: string;
  /** The submission's, as in the log. */
  readonly submission: string;
  readonly form: string;
  readonly output: {
    /** From 0, in the form's `outputs` when it was kept. */
    readonly index: number;
    readonly type: string;
    /** The output's target, if this config still has the output. */
    readonly target?: string;
  };
  /** RFC 3339, in UTC with milliseconds; like all times here. */
  readonly received_at: string;
  readonly kept_at: string;
  readonly tries: number;
  readonly reason: { readonly code: string; readonly words: string } | null;
  /** `due`: the relay tries it again by itself. `held`: a feature releases it. All else waits for its owner. */
  readonly state: 'due' | 'held' | DeadLetterReason;
  /** `null`: the store does not know, or never by itself. */
  readonly next_try_at: string | null;
  /** How large its content is; `null` where that lies elsewhere. */
  readonly bytes: number | null;
}

export function factsOf(
  { kept, deadLetter, dueAt, content: elsewhere }: Listed,
  config: Config | undefined,
): Facts {
  const { id, form, output, receivedAt, tries, why, content } = kept;
  const found = config && queuedOutput(kept, config);
  const target = found?.ok ? found.value.output.transport?.target : undefined;
  const state = deadLetter ?? (isHeld(kept) ? 'held' : 'due');
  return {
    id,
    submission: submissionOf(id),
    form,
    output: { index: output.place, type: output.type, ...(target !== undefined && { target }) },
    received_at: inUtc(receivedAt),
    kept_at: inUtc(waitingSince(kept)),
    tries,
    reason: why ? { code: why.code, words: why.words } : null,
    state,
    next_try_at: state === 'due' && dueAt !== undefined ? inUtc(dueAt) : null,
    bytes: elsewhere ? null : content.length,
  };
}

const inUtc = (time: number) => new Date(time).toISOString();

/** How many deliveries of each form. */
export class Totals {
  readonly #forms = new Map<string, { due: number; held: number; waiting: number; oldestAt: number }>();

  get number(): number {
    return [...this.#forms.values()].reduce((sum, { due, held, waiting }) => sum + due + held + waiting, 0);
  }

  add({ form, state, kept_at }: Facts): void {
    const total = this.#forms.get(form) ?? { due: 0, held: 0, waiting: 0, oldestAt: Infinity };
    this.#forms.set(form, total);
    if (state === 'due' || state === 'held') total[state] += 1;
    else total.waiting += 1;
    total.oldestAt = Math.min(total.oldestAt, Date.parse(kept_at));
  }

  /** A line for each form. */
  lines(now: number): readonly string[] {
    return [...this.#forms].map(([form, { due, held, waiting, oldestAt }]) => {
      const parts = [
        ...(due > 0 ? [`${due} retried by the relay`] : []),
        ...(held > 0 ? [`${held} held`] : []),
        ...(waiting > 0 ? [`${waiting} waiting for you`] : []),
      ];
      return `${printable(form)}: ${parts.join(', ')}; the oldest kept ${ageInWords(now - oldestAt)}\n`;
    });
  }
}

/** A submission in the shape that archives use. */
export interface SubmissionDocument {
  readonly page?: { readonly url: string; readonly title: string };
  readonly fields: readonly {
    readonly name: string;
    readonly label: string;
    readonly values: readonly string[];
  }[];
  /** The store holds the files. */
  readonly files: readonly Omit<ArchivedFile, 'path'>[];
}

/** @param form Knows the words of each field for visitors; as far as the config still has it. */
export function documentOf(
  { values, files, page }: QueuedSubmission,
  form: Form | undefined,
): SubmissionDocument {
  const locale = form?.locale(undefined);
  const labels = new Map(locale && form?.fields.map((field) => [field.name, labelOf(field, locale)]));
  const texts = [...values].filter(([name]) => !files.has(name));
  const all = [...files].flatMap(([field, some]) => some.map((file) => ({ field, file })));
  return {
    ...(page && { page: { url: page.url, title: page.title } }),
    fields: texts.map(([name, all]) => ({
      name,
      label: labels.get(name) ?? name,
      values: withoutEmpty(all),
    })),
    files: all.map(({ field, file: { name, type, bytes } }) => ({
      field,
      name,
      type,
      size: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    })),
  };
}
