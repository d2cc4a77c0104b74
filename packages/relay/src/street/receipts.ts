import { noFiles } from '../base/files.ts';
import type { Outcome } from '../base/outcome.ts';
import type { Checked } from '../base/submission.ts';
import type { Values } from '../base/values.ts';
import { contentHash, contentOf, decoyCode, receiptCode } from '../features/receipt.ts';
import type { Form } from '../form.ts';
import type { Settings } from '../schema/settings/settings.ts';

/** What there is to tell of it. */
export interface About {
  readonly receivedAt: number;
  readonly sent?: Values | undefined;
  /** What outputs had of it. */
  readonly taken: Pick<Checked, 'receivedAt' | 'values' | 'files'> | undefined;
}

/**
 * What its sender gets for a submission that was delivered, or kept. Whoever was dropped gets a code that proves nothing
 * (D1). Without RECEIPT_SECRET there is none: nothing is lost over it.
 */
export function receiptFor(
  outcome: Outcome,
  { id: form, fields, doubleOptIn }: Form,
  { receiptSecrets: [secret] }: Settings,
  { receivedAt, sent, taken }: About,
): string | undefined {
  if (secret === undefined) return undefined;
  if (outcome.kind === 'dropped') {
    // Its hash is the right one, as anybody can tell who sent it.
    const hash = contentHash(contentOf(fields, sent ?? new Map(), noFiles));
    return doubleOptIn ? undefined : decoyCode(secret, { form, at: receivedAt, hash });
  }
  if (outcome.kind !== 'delivered' || outcome.byNobody || !taken) return undefined;
  const hash = contentHash(contentOf(fields, taken.values, taken.files));
  return receiptCode(secret, { form, at: taken.receivedAt, hash });
}
