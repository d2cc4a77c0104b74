import { type Finding, failure, makeSecret, secretSet } from '@form-relay/base/finding';
import type { CheckContext } from '@form-relay/core/command';
import { jsonAnswer } from '@form-relay/core/html/fragments';
import type { DeliveryResult, Outcome, Plugin, Services, Submission } from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { onOutcome } from '@form-relay/core/submission';
import { boolean } from '@form-relay/schema/scalars';
import { withDefault } from '@form-relay/schema/schema';
import { textsIn, variableWithSecret, weaknessOf } from '@form-relay/schema/variables';
import { contentHash, contentOf, decoyCode, publicKeys, type Receipt, receiptCode } from './code.ts';

declare module '@form-relay/core/plugin' {
  interface Provided {
    receipt: true;
  }
}

/** The secrets in RECEIPT_SECRET. The first one signs; all of them verify. */
const secretsIn = ({ env }: Pick<Services, 'env'>): readonly string[] => textsIn(env('RECEIPT_SECRET') ?? '');

/** Gives visitors a signed code once their submission was delivered. */
const receipt = feature({
  name: 'receipt',
  after: ['double_opt_in', 'thanks'],
  keys: {
    form: {
      receipt: withDefault(
        'false',
        'Whether visitors get a signed code that proves what they sent (docs/receipts.md). Needs RECEIPT_SECRET.',
        boolean(),
      ),
    },
  },
  configure: ({ form, provided }, at) => {
    if (!form.receipt) return undefined;
    const { double_opt_in: held }: Readonly<Record<string, unknown>> = form;
    if (provided.get('redirect') ?? provided.get('thanks')?.redirects)
      at.in('receipt').warning(
        'visitors are redirected to `redirect`, which does not show the receipt; remove one of the two',
        { aboutKey: true },
      );
    at.in('receipt').needsEnv('RECEIPT_SECRET');
    return {
      provides: true as const,
      // Without a code, bots would learn that they were dropped.
      ...(held === undefined && {
        onRequest: onOutcome((outcome, submission) =>
          outcome.kind === 'dropped' ? withCode(outcome, submission, decoyCode) : outcome,
        ),
      }),
      afterValidation: onOutcome((outcome, submission) =>
        outcome.kind === 'delivered' && submission.deliveries.some(isAccepted)
          ? withCode(outcome, submission, receiptCode)
          : outcome,
      ),
    };
  },
});

/** Whether the output has accepted the submission, or will. */
const isAccepted = (result: DeliveryResult | undefined): boolean =>
  result?.outcome === 'delivered' || result?.outcome === 'kept';

function withCode(
  outcome: Outcome,
  { form, receivedAt, services, sent, values, files }: Submission,
  sign: (secret: string, receipt: Receipt) => string,
): Outcome {
  const [secret] = secretsIn(services);
  // The submission counts even without a receipt.
  if (secret === undefined) return outcome;
  const content = contentOf(form.fields, outcome.kind === 'dropped' ? sent : values, files);
  const code = sign(secret, { form: form.id, at: receivedAt, hash: contentHash(content) });
  return { ...outcome, codes: { ...outcome.codes, receipt: code } };
}

/** Without a secret, forms deliver but issue no receipts. */
function secretFound({ config, services }: CheckContext): readonly Finding[] {
  const name = 'RECEIPT_SECRET';
  const [first] = [...(config?.forms.values() ?? [])].filter(({ provided }) => provided.get('receipt'));
  if (!first) return [];
  const secrets = secretsIn(services);
  return secrets.length === 0
    ? [failure(name, `not set; "${first.id}" issues no receipts`, makeSecret)]
    : [secretSet(name, secrets.map(weaknessOf).find(Boolean), `signs the receipts of "${first.id}"`)];
}

export const plugin: Plugin = {
  name: 'receipt',
  features: [receipt],
  checks: [{ name: 'Environment', probe: async (context) => secretFound(context) }],
  variables: {
    receiptSecret: variableWithSecret(
      'RECEIPT_SECRET',
      'Signs receipts; forms with `receipt` require it. The first of several, separated by commas, signs; the others only verify (docs/receipts.md).',
    ),
  },
  start: ({ forms, services }) => {
    const isUsed = [...forms.values()].some(({ provided }) => provided.get('receipt'));
    const weakness = isUsed ? secretsIn(services).map(weaknessOf).find(Boolean) : undefined;
    if (weakness) services.log('warn', 'weak_receipt_secret', { reason: `RECEIPT_SECRET ${weakness}` });
  },
  messages: { en: { receipt: 'Your receipt: {code}' } },
  publicRoutes: [
    {
      matches: (path) => path === '/api/v1/receipts.json',
      // A JSON Web Key Set (RFC 7517, 5).
      answer: (_, { services }) => {
        const secrets = secretsIn(services);
        return secrets.length > 0
          ? jsonAnswer(200, { keys: publicKeys(secrets) })
          : jsonAnswer(404, { error: 'page not found' });
      },
    },
  ],
};
