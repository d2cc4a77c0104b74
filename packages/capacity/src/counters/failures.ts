import { failures, inBrackets } from '@form-relay/core/kit';

export const failed = failures({
  timed_out: ({ timeoutMs }: { timeoutMs: number }) => `no complete answer within ${timeoutMs} ms`,
  binding_missing: ({ name, kind }: { name: string; kind: string }) =>
    `nothing that is a ${kind} is bound to "${name}"; only Cloudflare Workers have such bindings, which wrangler.jsonc lists (docs/deploy/cloudflare.md)`,
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
