import { failures } from '@form-relay/core/kit';

export const failed = failures({
  timed_out: ({ timeoutMs }: { timeoutMs: number }) => `no complete answer within ${timeoutMs} ms`,
  sns_certificate_unread: 'the certificate with which Amazon SNS signs could not be fetched',
  sns_subscription_unconfirmed: 'Amazon SNS did not confirm the subscription',
  recipients_malformed: ({ key }: { key: string }) =>
    `a part of \`${key}\` did not render to addresses like name@example.com`,
});
