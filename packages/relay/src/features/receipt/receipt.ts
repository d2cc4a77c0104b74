import { finding } from '../../base/config_finding.ts';
import type { ReceiptOf } from '../../form.ts';
import { feature } from '../feature.ts';

const give: ReceiptOf = async (...given) => (await import('./give.ts')).giveReceipt(...given);

/** Gives visitors a signed code once their submission was delivered (D120). */
export const receipt = feature({
  name: 'receipt',
  settings: ({ form }: { readonly form: { readonly receipt: boolean } }) => form.receipt || undefined,
  needs: () => [{ name: 'RECEIPT_SECRET', path: ['receipt'] }],
  warnings: (_, { redirect }) =>
    redirect ? [{ ...finding('receipt_behind_redirect', ['receipt']), aboutKey: true }] : [],
  stages: () => ({ receipt: give }),
});
