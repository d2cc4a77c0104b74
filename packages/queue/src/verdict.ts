import { ClientError } from '@form-relay/base/client_error';
import type { DeliveryResult } from '@form-relay/core/index';
import type { DeadLetterReason, FailureReason } from '@form-relay/stores/store';
import type { ContentProblem } from './content.ts';
import { mayPass, reasonOf } from './retry_policy.ts';

/** How a try ended. `undefined`: there was no time for it, and the delivery stays leased. */
export type Verdict =
  | { readonly kind: 'taken'; readonly sent: DeliveryResult }
  | {
      readonly kind: 'failed';
      readonly why: FailureReason;
      readonly retryAfterMs: number | undefined;
      readonly sent: DeliveryResult;
    }
  /** The delivery waits for its owner. Without `sent`, no request was made. */
  | {
      readonly kind: 'aside';
      readonly aside: DeadLetterReason;
      readonly why: FailureReason;
      readonly sent?: DeliveryResult;
    }
  /** No request was made, and it is due again at `dueAt`. `why`: what must pass first; then its time may run out. */
  | { readonly kind: 'untried'; readonly dueAt: number; readonly why?: FailureReason; readonly sent?: never }
  | undefined;

export function verdictOn(sent: DeliveryResult): Verdict {
  const { error } = sent;
  if (error === undefined) return { kind: 'taken', sent };
  const why = reasonOf(error);
  if (!mayPass(error)) return { kind: 'aside', aside: 'refused', why, sent };
  return {
    kind: 'failed',
    why,
    retryAfterMs: error instanceof ClientError ? error.retryAfterMs : undefined,
    sent,
  };
}

/** The owner has to look at it. */
export const unread = (problem: ContentProblem): Verdict => ({
  kind: 'aside',
  aside: 'unreadable',
  why: unreadable[problem],
});

export const declined: Verdict = {
  kind: 'aside',
  aside: 'refused',
  // The words must not reveal what a visitor chose.
  why: { code: 'output_declines', words: 'the `when` or `aside` of its output does not accept it' },
};

export const gone = {
  form: { code: 'form_gone', words: 'the config has no form of this name any more' },
  output: { code: 'output_gone', words: 'the form has no output any more that this was for' },
} as const;

const unreadable: Readonly<Record<ContentProblem, FailureReason>> = {
  damaged: { code: 'damaged', words: 'it is damaged: it is not as it was kept' },
  other_secret: {
    code: 'other_secret',
    words: 'it is encrypted with another KEEP_SECRET, damaged, or altered in the store',
  },
  no_secret: { code: 'no_secret', words: 'it is encrypted, and KEEP_SECRET is not set' },
  unencrypted: {
    code: 'unencrypted',
    words:
      'it is not encrypted, though KEEP_SECRET is set: anybody who can write to the store may have made it up',
  },
  altered: { code: 'altered', words: 'its output or time was altered in the store' },
};
