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
import { printable } from '@form-relay/yaml/problem';
import { queuedOutput } from './open.ts';

/** Selects queued deliveries. A condition that is not set selects all. */
export interface Choice {
  /** Ids of deliveries or of submissions; the id of a submission selects all its deliveries. */
  readonly ids?: readonly string[] | undefined;
  readonly form?: string | undefined;
  /** Queued at this time or before, in milliseconds since the epoch. */
  readonly before?: number | undefined;
  readonly state?: 'due' | 'dead_letter' | undefined;
}

/** Creates a filter. `unmet` finally has the ids that matched no listed entry. */
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

/** The submission's id, as in the log and in the visitor's response. A delivery's id is followed by the output's index. */
export const submissionOf = (id: string): string => id.replace(/-\d+$/, '');

/** A queued delivery as JSON, without submitted values. */
export interface Facts {
  /** The delivery's id, which is its `Idempotency-Key`. */
  readonly id: string;
  /** The submission's id, as in the log. */
  readonly submission: string;
  readonly form: string;
  readonly output: {
    /** The index in the form's `outputs` at the time of queuing. */
    readonly index: number;
    readonly type: string;
    /** The output's target, if the config still has the output. */
    readonly target?: string;
  };
  /** RFC 3339, in UTC with milliseconds, like all times here. */
  readonly received_at: string;
  readonly kept_at: string;
  readonly tries: number;
  readonly reason: { readonly code: string; readonly words: string } | null;
  /** `due`: the relay retries it. `held`: a feature will release it. Any other state: it waits for its owner. */
  readonly state: 'due' | 'held' | DeadLetterReason;
  /** `null` if the store does not know, or there is no automatic retry. */
  readonly next_try_at: string | null;
  /** The size of its content; `null` if the content is stored elsewhere. */
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

/** Counts the deliveries of each form. */
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
        ...(waiting > 0 ? [`${waiting} dead ${waiting === 1 ? 'letter' : 'letters'}`] : []),
      ];
      return `${printable(form)}: ${parts.join(', ')}; the oldest queued for ${ageInWords(now - oldestAt)}\n`;
    });
  }
}

/** A submission in the format of archives. */
export interface SubmissionDocument {
  readonly page?: { readonly url: string; readonly title: string };
  readonly fields: readonly {
    readonly name: string;
    readonly label: string;
    readonly values: readonly string[];
  }[];
  /** Descriptions of the files, whose bytes are in the store. */
  readonly files: readonly Omit<ArchivedFile, 'path'>[];
}

/** @param form Provides the labels of the fields that the config still has. */
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
