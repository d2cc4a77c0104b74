import { late, lateFunction } from '../../base/late.ts';
import { finding } from '../../schema/finding.ts';
import { withDefault } from '../../schema/keys.ts';
import { flag } from '../../schema/kinds.ts';
import { feature } from '../feature.ts';

const give = lateFunction(late(async () => (await import('./give.ts')).giveReceipt));

/** Gives visitors a signed code once their submission was delivered. */
export const receipt = feature({
  name: 'receipt',
  keys: {
    form: {
      receipt: withDefault(
        'false',
        'Whether the visitor gets a short signed code once the submission was delivered, with which anybody can tell that the relay took exactly this text (docs/receipts.md). Needs RECEIPT_SECRET in the environment.',
        flag(),
      ),
    },
  },
  settings: ({ form }: { readonly form: { readonly receipt: boolean } }) => form.receipt || undefined,
  needs: () => [{ name: 'RECEIPT_SECRET', path: ['receipt'] }],
  warnings: (_, { redirect }) =>
    redirect ? [{ ...finding('receipt_behind_redirect', ['receipt']), aboutKey: true }] : [],
  routes: [
    {
      name: 'receipts',
      methods: 'GET',
      isOfAll: true,
      answer: async (call) => (await import('./receipts_answer.ts')).receiptsAnswer(call.context()),
    },
  ],
  stages: () => ({ receipt: give }),
});
