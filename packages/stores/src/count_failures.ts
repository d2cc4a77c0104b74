import { failures, inBrackets } from '@form-relay/base/client_error';
import { queueWords } from './failures.ts';

export const failed = failures({
  binding_missing: queueWords.binding_missing,
  durable_object_failed: ({ name }: { name: string }) =>
    `the Durable Object bound to "${name}" did not answer`,
  counts_damaged: ({ at }: { at: string }) =>
    `the count ${at} is damaged, so that nobody knows what is left (docs/places.md)`,
  counts_denied: ({ at }: { at: string }) =>
    `this user may not read or write ${at}, which another user made; give it to the user as whom the relay runs`,
  counts_too_many: ({ bytes }: { bytes: number }) => `there is more to count than ${bytes} bytes hold`,
  dynamodb_status: ({ status, name }: { status: number; name: string }) =>
    `DynamoDB answered ${status}${inBrackets(name)}`,
  dynamodb_no_table: ({ table }: { table: string }) =>
    `there is no table "${table}" in this region and account (ResourceNotFoundException); make one whose partition key is \`id\`, a string`,
  dynamodb_access_denied: ({ table, action }: { table: string; action: string }) =>
    `access denied (AccessDeniedException): the role needs dynamodb:${action} on the table "${table}"`,
  dynamodb_answer_malformed: 'DynamoDB answered with something that is no answer of DynamoDB',
});
