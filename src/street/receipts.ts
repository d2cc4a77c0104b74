import type { Form } from '../form.ts';
import type { Outcome } from '../outcome.ts';
import { contentHash, contentOf, decoyCode, receiptCode } from '../receipt.ts';
import type { Settings } from '../settings.ts';
import type { Checked } from '../submission.ts';

type Taken = Pick<Checked, 'receivedAt' | 'values' | 'files'>;

/**
 * What its sender gets for a submission that was delivered, or kept. Whoever was dropped gets a code that proves nothing
 * (D1). Without RECEIPT_SECRET there is none: nothing is lost over it.
 *
 * @param taken What outputs had of it.
 */
export function receiptFor(
  outcome: Outcome,
  { id: form, fields, doubleOptIn }: Form,
  { receiptSecrets: [secret] }: Settings,
  {
    requestId,
    receivedAt,
    taken,
  }: { readonly requestId: string; readonly receivedAt: number; readonly taken: Taken | undefined },
): string | undefined {
  if (secret === undefined) return undefined;
  if (outcome.kind === 'dropped') {
    return doubleOptIn ? undefined : decoyCode(secret, { form, at: receivedAt, requestId });
  }
  if (outcome.kind !== 'delivered' || outcome.byNobody || !taken) return undefined;
  const hash = contentHash(contentOf(fields, taken.values, taken.files));
  return receiptCode(secret, { form, at: taken.receivedAt, hash });
}
