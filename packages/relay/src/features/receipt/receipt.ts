import { late, lateFunction } from '../../base/late.ts';
import { finding } from '../../schema/finding.ts';
import { feature } from '../feature.ts';

const give = lateFunction(late(async () => (await import('./give.ts')).giveReceipt));

/** Gives visitors a signed code once their submission was delivered (D120). */
export const receipt = feature({
  name: 'receipt',
  settings: ({ form }: { readonly form: { readonly receipt: boolean } }) => form.receipt || undefined,
  needs: () => [{ name: 'RECEIPT_SECRET', path: ['receipt'] }],
  warnings: (_, { redirect }) =>
    redirect ? [{ ...finding('receipt_behind_redirect', ['receipt']), aboutKey: true }] : [],
  stages: () => ({ receipt: give }),
});
