import { createHash } from 'node:crypto';
import { count } from '@form-relay/base/terminal';
import { withoutEmpty } from '@form-relay/base/values';
import { findForm } from '@form-relay/core/command';
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
  /** `false`: without held submissions, unless the owner names their ids. */
  readonly holds?: boolean;
}

/** Creates a filter. `unmet` finally has the ids that matched no listed entry, and `whyNone` says why none was selected. */
export function chooser({ ids, form, before = Infinity, state, holds = true }: Choice): {
  readonly isChosen: (one: Listed) => boolean;
  readonly unmet: ReadonlySet<string>;
  readonly whyNone: (config: Config | undefined, hint: string) => string | undefined;
} {
  const wanted = new Set(ids);
  const unmet = new Set(ids);
  const [selected, others] = [new Totals(), new Totals()];
  const isNamed = (id: string) => {
    if (ids === undefined) return true;
    const names = [id, submissionOf(id)].filter((name) => wanted.has(name));
    for (const name of names) unmet.delete(name);
    return names.length > 0;
  };
  return {
    unmet,
    isChosen: (one) => {
      const kind = kindOf(one);
      const isChosen =
        isNamed(one.kept.id) &&
        (form === undefined || one.kept.form === form) &&
        waitingSince(one.kept) <= before &&
        (state === undefined || kind === state) &&
        (holds || kind !== 'held' || ids !== undefined);
      (isChosen ? selected : others).add(one);
      return isChosen;
    },
    whyNone: (config, hint) => {
      if (selected.number > 0 || ids !== undefined) return undefined;
      // The store may hold deliveries of a form that was removed from the config.
      if (form !== undefined && config && !others.has(form)) findForm(config, form);
      if (others.number === 0) return 'no deliveries are queued';
      return `no ${state === 'dead_letter' ? 'dead letter' : 'delivery'} matches; queued: ${others.inWords}${hint}`;
    },
  };
}

/** A `due` delivery is retried by the relay, and a feature releases one that is `held`. */
type Kind = 'due' | 'held' | 'dead_letter';

const kindOf = ({ kept, deadLetter }: Listed): Kind =>
  deadLetter ? 'dead_letter' : isHeld(kept) ? 'held' : 'due';

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

type Total = Record<Kind, number> & { oldestAt: number };

/** Counts the deliveries of each form. */
export class Totals {
  readonly #forms = new Map<string, Total>();

  get number(): number {
    return [...this.#forms.values()].reduce(
      (sum, { due, held, dead_letter }) => sum + due + held + dead_letter,
      0,
    );
  }

  has(form: string): boolean {
    return this.#forms.has(form);
  }

  add(one: Listed): void {
    const { form } = one.kept;
    const total = this.#forms.get(form) ?? { due: 0, held: 0, dead_letter: 0, oldestAt: Infinity };
    this.#forms.set(form, total);
    total[kindOf(one)] += 1;
    total.oldestAt = Math.min(total.oldestAt, waitingSince(one.kept));
  }

  /** All forms together. */
  get inWords(): string {
    return totalInWords([...this.#forms.values()]);
  }

  /** A line for each form. */
  lines(now: number): readonly string[] {
    return [...this.#forms].map(
      ([form, total]) =>
        `${printable(form)}: ${totalInWords([total])}; the oldest queued for ${ageInWords(now - total.oldestAt)}\n`,
    );
  }
}

function totalInWords(totals: readonly Total[]): string {
  const [due, held, dead] = (['due', 'held', 'dead_letter'] as const).map((kind) =>
    totals.reduce((sum, total) => sum + total[kind], 0),
  );
  return [
    ...(due ? [`${due} retried by the relay`] : []),
    ...(held ? [`${held} held`] : []),
    ...(dead ? [count(dead, 'dead letter')] : []),
  ].join(', ');
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
