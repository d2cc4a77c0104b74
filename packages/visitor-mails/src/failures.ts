import { failures } from '@form-relay/core/kit';

export const failed = failures({
  recipients_malformed: ({ key }: { key: string }) =>
    `a part of \`${key}\` did not render to addresses like name@example.com`,
});
