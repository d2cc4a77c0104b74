/** The reasons why a store failed, in words for the owner, without submitted values and secrets. */

import { failures, inBrackets } from '@form-relay/base/client_error';
import { withTimeout } from '@form-relay/base/with_timeout';
import { connectionWords } from '@form-relay/clients/failures';
import { folderWords } from '@form-relay/clients/folder';

const kb = (bytes: number) => `${Math.ceil(bytes / 1_024)} KB`;
const wholeKb = (bytes: number) => `${Math.floor(bytes / 1_024)} KB`;

export const words = {
  ...connectionWords,
  ...folderWords,
  store_failed: ({ reason }: { reason: string }) => `the store failed: ${reason}`,
  store_busy: 'the store is overloaded: too many writes are waiting',
  store_newer:
    'a newer relay wrote the entry, in a format that this version cannot read: update the relay; the entry stays unchanged until then',
  claim_lost: 'this relay was too slow: another copy has taken over the delivery',
  binding_missing: ({ name, kind }: { name: string; kind: string }) =>
    `no ${kind} is bound to "${name}"; only Cloudflare Workers have bindings, in wrangler.jsonc (docs/deploy/cloudflare.md)`,
  queue_unseen:
    'only the Worker can reach Cloudflare queues; see their content in the Cloudflare dashboard (docs/deploy/cloudflare.md)',
  queue_refused: ({ name }: { name: string }) => `the queue bound to "${name}" rejected the message`,
  sqs_status: ({ status, name }: { status: number; name: string }) =>
    `SQS answered ${status}${inBrackets(name)}`,
  sqs_answer_malformed: 'the response is not from SQS',
  sqs_no_queue: ({ queue }: { queue: string }) =>
    `there is no queue "${queue}" in this region and account (QueueDoesNotExist)`,
  sqs_access_denied: ({ queue, action }: { queue: string; action: string }) =>
    `access denied (AccessDenied): the role needs sqs:${action} on the queue "${queue}"; expired credentials and missing permissions for a KMS key cause the same error`,
  sqs_credentials_refused: ({ name }: { name: string }) =>
    `SQS does not accept the credentials (${name}); check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN and this machine's clock`,
  sqs_message_refused: ({ name }: { name: string }) => `SQS does not accept the message (${name})`,
  sqs_too_large: ({ size, most }: { size: number; most: number }) =>
    `the submission is too large for the queue: ${kb(size)}, and the limit is ${wholeKb(most)}; with \`files_in\`, the relay stores large ones in a bucket`,
  sqs_without_dead_letter_queue: ({ queue }: { queue: string }) =>
    `the queue "${queue}" has no dead-letter queue for dead letters (docs/keep-stores.md)`,
  nats_client_missing:
    'the NATS client (@nats-io/jetstream, @nats-io/transport-node) is not installed; on Lambda, use sqs://…',
  nats_login_refused:
    'the NATS server rejects the login; check NATS_CREDS, NATS_USER and NATS_PASSWORD, NATS_TOKEN or NATS_NKEY',
  nats_without_tls: 'the NATS server does not offer TLS; write nats://… if you do not need it',
  nats_part_missing: 'part of the entry is no longer in the stream',
  nats_file_unreadable: ({ name, path, reason }: { name: string; path: string; reason: string }) =>
    `${name} names ${path}, which cannot be read: ${reason}`,
  nats_credentials_malformed: ({ name }: { name: string }) => `the file in ${name} has no NATS credentials`,
  nats_not_allowed: ({ what }: { what: string }) => `the NATS account is not allowed to ${what}`,
  nats_without_jetstream: ({ stream, name }: { stream: string; name: string }) =>
    `no stream accepts deliveries: JetStream is not enabled, has no leader, or has no stream "${stream}", which \`relay kept setup --in ${name}\` creates`,
  nats_no_stream: ({ stream, name }: { stream: string; name: string }) =>
    `there is no stream "${stream}"; create it with \`relay kept setup --in ${name}\``,
  nats_no_consumer: ({ stream }: { stream: string }) =>
    `the stream "${stream}" delivers nothing: it has no consumer "due" (create it with \`relay kept setup\`), or no leader`,
  nats_stream_of_another_shape: ({ stream, wrong }: { stream: string; wrong: string }) =>
    `the stream "${stream}" cannot be used as it is: ${wrong}`,
  nats_full: ({ stream }: { stream: string }) =>
    `the stream "${stream}", its account (max_file) or the server's disk is full`,
  nats_too_large: ({ stream }: { stream: string }) =>
    `the message is too large for the stream "${stream}" (max_msg_size)`,
  nats_refused: ({ number }: { number: number }) => `JetStream rejected the message (${number})`,
  durable_object_failed: ({ name }: { name: string }) =>
    `the Durable Object bound to "${name}" did not respond`,
  counts_damaged: ({ at }: { at: string }) => `the count ${at} is damaged (docs/counting.md)`,
  counts_newer: ({ at }: { at: string }) =>
    `a newer relay wrote the count ${at}, in a format that this version cannot read: update the relay; the count stays unchanged until then`,
  counts_denied: ({ at }: { at: string }) =>
    `this user is not allowed to read or write ${at}, which belongs to another user; change its owner to the relay's user`,
  counts_too_many: ({ bytes }: { bytes: number }) => `the count exceeds ${bytes} bytes`,
  dynamodb_status: ({ status, name }: { status: number; name: string }) =>
    `DynamoDB answered ${status}${inBrackets(name)}`,
  dynamodb_no_table: ({ table }: { table: string }) =>
    `there is no table "${table}" in this region and account (ResourceNotFoundException); create one whose partition key is the string \`id\``,
  dynamodb_access_denied: ({ table, action }: { table: string; action: string }) =>
    `access denied (AccessDeniedException): the role needs dynamodb:${action} on the table "${table}"`,
  dynamodb_answer_malformed: 'the response is not from DynamoDB',
};

export const failed = failures(words);

export function timedOut(timeoutMs: number): never {
  throw failed('timed_out', { timeoutMs }, { retryAfterMs: 0 });
}

export const inTime = <T>(timeoutMs: number, work: Promise<T>): Promise<T> =>
  withTimeout(timeoutMs, work, () => timedOut(timeoutMs));
