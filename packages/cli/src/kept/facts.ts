import type { Aside, Listed } from '@form-relay/relay/base/kept';
import type { Config } from '@form-relay/relay/config/parse';
import { submissionOf } from './choice.ts';
import { owedOutput } from './owed_output.ts';

/** What is known of a kept delivery, as JSON. Nothing in it was written by a visitor. */
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
    /** Where it delivers, as far as the config that is read here still has it. */
    readonly target?: string;
  };
  /** RFC 3339, in UTC with milliseconds; like all times here. */
  readonly received_at: string;
  readonly kept_at: string;
  readonly tries: number;
  readonly reason: { readonly code: string; readonly words: string } | null;
  /** `due`: the relay tries it again by itself. All else waits for its owner. */
  readonly state: 'due' | 'sealed' | Aside;
  /** `null`: the store does not know, or never by itself. */
  readonly next_try_at: string | null;
  /** How large its content is; `null` where that lies elsewhere. */
  readonly bytes: number | null;
}

export function factsOf(
  { kept, aside, isSealed, dueAt, content: elsewhere }: Listed,
  config: Config | undefined,
): Facts {
  const { id, form, output, receivedAt, keptAt, tries, why, content } = kept;
  const owed = config && owedOutput(kept, config);
  const target = owed?.ok ? owed.value.output.target?.name : undefined;
  const state = aside ?? (isSealed ? 'sealed' : 'due');
  return {
    id,
    submission: submissionOf(id),
    form,
    output: { index: output.place, type: output.type, ...(target !== undefined && { target }) },
    received_at: inUtc(receivedAt),
    kept_at: inUtc(keptAt),
    tries,
    reason: why ? { code: why.code, words: why.words } : null,
    state,
    next_try_at: state === 'due' && dueAt !== undefined ? inUtc(dueAt) : null,
    bytes: elsewhere ? null : content.length,
  };
}

const inUtc = (time: number) => new Date(time).toISOString();
