/** The reasons why a store failed, in words for the owner. The words hold no submitted value and no secret. */

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
  store_busy: 'the store has no time for it: too much else waits to be written',
  store_newer:
    'a newer relay wrote it, in a format that this one does not know: update the relay; until then it stays as it is',
  claim_lost: 'this relay was too slow: another one has the delivery by now',
  binding_missing: ({ name, kind }: { name: string; kind: string }) =>
    `nothing that is a ${kind} is bound to "${name}"; only Cloudflare Workers have such bindings, which wrangler.jsonc lists (docs/deploy/cloudflare.md)`,
  queue_unseen:
    'only the Worker reaches queues of Cloudflare; its dashboard shows what they hold, and a queue that the Worker consumes is delivered (docs/deploy/cloudflare.md)',
  queue_refused: ({ name }: { name: string }) => `the queue bound to "${name}" did not take the message`,
  sqs_status: ({ status, name }: { status: number; name: string }) =>
    `SQS answered ${status}${inBrackets(name)}`,
  sqs_answer_malformed: 'the answer is not one of SQS',
  sqs_no_queue: ({ queue }: { queue: string }) =>
    `there is no queue "${queue}" in this region and account (QueueDoesNotExist)`,
  sqs_access_denied: ({ queue, action }: { queue: string; action: string }) =>
    `access denied (AccessDenied): the role needs sqs:${action} on the queue "${queue}"; expired credentials and missing rights to a KMS key look the same`,
  sqs_credentials_refused: ({ name }: { name: string }) =>
    `SQS does not take the credentials (${name}); check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN and this machine's clock`,
  sqs_message_refused: ({ name }: { name: string }) => `SQS does not take the message (${name})`,
  sqs_too_large: ({ size, most }: { size: number; most: number }) =>
    `the submission is too large for the queue: ${kb(size)}, and the limit is ${wholeKb(most)}; with \`files_in\`, large ones go into a bucket`,
  sqs_without_dead_letter_queue: ({ queue }: { queue: string }) =>
    `the queue "${queue}" has no dead-letter queue, where what waits for its owner would lie (docs/keep-stores.md)`,
  nats_client_missing:
    'there is no NATS client here (@nats-io/jetstream, @nats-io/transport-node); on Lambda, keep in sqs://…',
  nats_login_refused:
    'the NATS server refuses the login; check NATS_CREDS, NATS_USER and NATS_PASSWORD, NATS_TOKEN or NATS_NKEY',
  nats_without_tls: 'the NATS server offers no TLS; write nats://… where it is not needed',
  nats_part_missing: 'a part of it is not in the stream any more',
  nats_file_unreadable: ({ name, path, reason }: { name: string; path: string; reason: string }) =>
    `${name} names ${path}, which cannot be read: ${reason}`,
  nats_credentials_malformed: ({ name }: { name: string }) =>
    `the file that ${name} names holds no credentials for NATS`,
  nats_not_allowed: ({ what }: { what: string }) => `the NATS account may not ${what}`,
  nats_without_jetstream: ({ stream, name }: { stream: string; name: string }) =>
    `no stream takes what is kept: JetStream is not enabled, has no leader now, or has no stream "${stream}", which \`relay kept setup --in ${name}\` makes`,
  nats_no_stream: ({ stream, name }: { stream: string; name: string }) =>
    `there is no stream "${stream}"; \`relay kept setup --in ${name}\` makes it`,
  nats_no_consumer: ({ stream }: { stream: string }) =>
    `the stream "${stream}" gives nothing out: it has no consumer "due", which \`relay kept setup\` makes, or no leader now`,
  nats_stream_of_another_shape: ({ stream, wrong }: { stream: string; wrong: string }) =>
    `the stream "${stream}" cannot be used as it is: ${wrong}`,
  nats_full: ({ stream }: { stream: string }) =>
    `the stream "${stream}" is full, or its account is (max_file), or the server's disk`,
  nats_too_large: ({ stream }: { stream: string }) =>
    `the stream "${stream}" takes no message of this size (max_msg_size)`,
  nats_refused: ({ number }: { number: number }) => `JetStream refused it (${number})`,
  durable_object_failed: ({ name }: { name: string }) =>
    `the Durable Object bound to "${name}" did not answer`,
  counts_damaged: ({ at }: { at: string }) =>
    `the count ${at} is damaged, so that nobody knows what is left (docs/counting.md)`,
  counts_newer: ({ at }: { at: string }) =>
    `a newer relay wrote the count ${at}, in a format that this one does not know: update the relay; until then it stays as it is`,
  counts_denied: ({ at }: { at: string }) =>
    `this user may not read or write ${at}, which another user made; give it to the user as whom the relay runs`,
  counts_too_many: ({ bytes }: { bytes: number }) => `there is more to count than ${bytes} bytes hold`,
  dynamodb_status: ({ status, name }: { status: number; name: string }) =>
    `DynamoDB answered ${status}${inBrackets(name)}`,
  dynamodb_no_table: ({ table }: { table: string }) =>
    `there is no table "${table}" in this region and account (ResourceNotFoundException); make one whose partition key is \`id\`, a string`,
  dynamodb_access_denied: ({ table, action }: { table: string; action: string }) =>
    `access denied (AccessDeniedException): the role needs dynamodb:${action} on the table "${table}"`,
  dynamodb_answer_malformed: 'the answer is not one of DynamoDB',
};

export const failed = failures(words);

export function timedOut(timeoutMs: number): never {
  throw failed('timed_out', { timeoutMs }, { retryAfterMs: 0 });
}

export const inTime = <T>(timeoutMs: number, work: Promise<T>): Promise<T> =>
  withTimeout(timeoutMs, work, () => timedOut(timeoutMs));
