import { ClientError } from '@form-relay/base/client_error';
import type { Finding } from '@form-relay/core/command';
import type { ConsumerConfig, StreamConfig, StreamInfo } from '@nats-io/jetstream';
import { failed } from '../failures.ts';

import { codeOf, type LiveConnection, type StreamConnection } from './connection.ts';
import { subjectsOf } from './stream_message.ts';

/** A lease that is not renewed for this long makes the message be redelivered. */
export const leaseMs = 20_000;

export const consumerName = 'due';

const timeoutMs = 10_000;

/** Three replicas tolerate the loss of one server. */
const wantedReplicas = 3;

/** JetStream's codes for too few servers. */
const tooFewServers: readonly unknown[] = [10_074, 10_005];

function streamConfig(stream: string) {
  return {
    name: stream,
    subjects: [subjectsOf(stream).all],
    // An entry stays until it is deleted, even if the consumer is lost.
    retention: 'limits',
    storage: 'file',
    // If the stream is full, old entries stay.
    discard: 'new',
    description: 'Form Relay: kept deliveries',
  } satisfies Partial<StreamConfig>;
}

function consumerConfig(stream: string) {
  return {
    durable_name: consumerName,
    filter_subject: subjectsOf(stream).due,
    ack_policy: 'explicit',
    ack_wait: leaseMs * 1_000_000,
    deliver_policy: 'all',
    // The relay counts attempts itself.
    max_deliver: -1,
    // All entries that wait until they are due count as pending.
    max_ack_pending: -1,
  } satisfies Partial<ConsumerConfig>;
}

/** Creates the stream and its consumer. Resolves with what was done, in words. */
export async function setUpStream(connection: StreamConnection): Promise<readonly string[]> {
  const { stream } = connection;
  return connection.ask(timeoutMs, async (live) => [
    ...(await setUpStreamItself(live, stream)),
    ...(await setUpConsumer(live, stream)),
  ]);
}

async function setUpStreamItself(live: LiveConnection, stream: string): Promise<readonly string[]> {
  const { jsm } = live;
  const wanted = streamConfig(stream);
  const found = await orNone(jsm.streams.info(stream));
  if (!found) {
    const made = await withReplicas((num_replicas) =>
      jsm.streams.add({ ...wanted, num_replicas } as StreamConfig),
    );
    return [`created the stream ${stream}, with ${replicas(made.config.num_replicas)}`];
  }
  const wrong = differenceOf(found, stream);
  if (wrong !== undefined) throw failed('nats_stream_of_another_shape', { stream, wrong });
  const { num_replicas } = await moreReplicas(live, found);
  return [`the stream ${stream} exists, with ${replicas(num_replicas)}`];
}

async function moreReplicas({ nc, jsm }: LiveConnection, { config }: StreamInfo): Promise<StreamConfig> {
  // A single server would accept more replicas, but still have only one.
  if (config.num_replicas >= wantedReplicas || nc.info?.cluster === undefined) return config;
  const updated = await withReplicas((num_replicas) =>
    jsm.streams.update(config.name, { num_replicas: Math.max(num_replicas, config.num_replicas) }),
  );
  return updated.config;
}

/** Uses as many replicas as there are servers. */
async function withReplicas(declare: (num_replicas: number) => Promise<StreamInfo>): Promise<StreamInfo> {
  try {
    return await declare(wantedReplicas);
  } catch (error) {
    if (!tooFewServers.includes(codeOf(error))) throw error;
    return declare(1);
  }
}

async function setUpConsumer({ jsm }: LiveConnection, stream: string): Promise<readonly string[]> {
  const wanted = consumerConfig(stream);
  const found = await orNone(jsm.consumers.info(stream, consumerName));
  if (found && isAsWanted(found.config, wanted))
    return [`the consumer ${consumerName} has the right settings`];
  // The consumer's state may be lost, because entries hold everything needed.
  if (found) await jsm.consumers.delete(stream, consumerName);
  await jsm.consumers.add(stream, wanted as ConsumerConfig);
  return [`${found ? 'replaced the consumer' : 'created the consumer'}: ${consumerName}`];
}

const isAsWanted = (found: object, wanted: object) =>
  Object.entries(wanted).every(([key, value]) => found[key as keyof typeof found] === value);

/** A description of the wrong settings of an existing stream. */
function differenceOf({ config }: StreamInfo, stream: string): string | undefined {
  if (config.retention !== 'limits') return `the retention is ${config.retention}, but must be limits`;
  if (config.storage !== 'file')
    return `the storage is ${config.storage}, but must be file: delete the stream once it is empty, and run relay kept setup`;
  if (config.deny_delete) return 'deleting is denied (deny_delete)';
  if (config.sealed) return 'the stream is sealed, so nothing can be added';
  if (config.mirror) return 'the stream is a mirror of another one';
  if (!config.subjects.includes(subjectsOf(stream).all))
    return `the subject ${subjectsOf(stream).all} is missing`;
  if (config.discard !== 'new') return 'a full stream discards old messages (discard)';
  if (config.no_ack) return 'messages are not acknowledged (no_ack)';
  if (config.max_msgs_per_subject > 0) return 'each subject has a limit (max_msgs_per_subject)';
  return undefined;
}

/** Checks whether the stream can be used, and reports what its owner should know. */
export async function probeStream(connection: StreamConnection, forMs: number): Promise<readonly Finding[]> {
  const { stream } = connection;
  return connection.ask(timeoutMs, async ({ nc, jsm }) => {
    const info = await jsm.streams.info(stream);
    const wrong = differenceOf(info, stream);
    if (wrong !== undefined) throw failed('nats_stream_of_another_shape', { stream, wrong });
    const { config } = await jsm.consumers.info(stream, consumerName);
    if (!isAsWanted(config, consumerConfig(stream))) {
      const wrong = `the consumer ${consumerName} has other settings`;
      throw failed('nats_stream_of_another_shape', { stream, wrong });
    }
    const { num_replicas, max_age, max_bytes } = info.config;
    return [
      {
        level: 'ok',
        says: `NATS ${nc.info?.version} has the stream ${stream}, with ${replicas(num_replicas)}`,
      },
      ...(num_replicas < wantedReplicas ? [onlyServer] : []),
      ...(max_age > 0 && max_age < forMs * 1_000_000
        ? [
            {
              level: 'warning' as const,
              says: `deletes messages older than ${Math.floor(max_age / 3_600e9)} h (max_age), delivered or not`,
              remedy: `Run nats stream edit ${stream} --max-age 0 to keep all messages; or set a shorter \`for\`.`,
            },
          ]
        : []),
      // The server checks a message's size without its overhead, and then removes other messages to make room for that.
      ...(max_bytes > 0
        ? [
            {
              level: 'warning' as const,
              says: `when it has ${max_bytes} bytes (max_bytes), the server deletes the oldest messages, delivered or not`,
              remedy: `Limit its account instead (max_file), which deletes nothing; then run nats stream edit ${stream} --max-bytes=-1`,
            },
          ]
        : []),
    ];
  });
}

const onlyServer: Finding = {
  level: 'warning',
  says: 'only one server has a copy: if its disk fails, queued deliveries are lost',
  remedy: `Run a cluster of ${wantedReplicas} servers, then relay kept setup; or keep backups of that server's disk.`,
};

const replicas = (count: number) => (count === 1 ? '1 replica' : `${count} replicas`);

/** JetStream's codes for an unknown stream or consumer. */
const none: readonly unknown[] = [10_059, 10_014];

async function orNone<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ClientError || !none.includes(codeOf(error))) throw error;
    return undefined;
  }
}

/** A message handed out by a consumer. */
export interface Pulled {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly seq: number;
  /** The subject for acknowledgements. */
  readonly reply: string;
}

/** How long a server may take to respond, in addition to the wait. */
const graceMs = 5_000;

/** Without a time limit, a server that has miscounted its messages may never say that there are none. */
const leastWaitMs = 200;

/**
 * Pulls up to `most` messages from a consumer. Waits up to `waitMs` for the first one, or until `stop`; the
 * rest comes at once, and then a message without a reply subject, which ends the batch.
 */
export async function pull(
  { nc, jsm }: LiveConnection,
  stream: string,
  most: number,
  waitMs: number,
  stop?: AbortSignal,
): Promise<readonly Pulled[]> {
  const { createInbox } = await import('@nats-io/transport-node');
  if (stop?.aborted) return [];
  return new Promise((resolve, reject) => {
    const pulled: Pulled[] = [];
    const inbox = createInbox();
    const end = (error?: Error) => {
      clearTimeout(timer);
      stop?.removeEventListener('abort', stopped);
      subscription.unsubscribe();
      if (error && pulled.length === 0) reject(error);
      else resolve(pulled);
    };
    const stopped = () => end();
    const late = failed('timed_out', { timeoutMs: waitMs + graceMs }, { retryAfterMs: 0 });
    // If the consumer is missing, no server responds.
    const unanswered = () => void jsm.consumers.info(stream, consumerName).then(() => end(late), end);
    const timer = setTimeout(unanswered, waitMs + graceMs);
    const subscription = nc.subscribe(inbox, {
      callback: (error, { subject, data, reply, headers }) => {
        if (error) end(error);
        else if (!reply) {
          if (/deleted/i.test(headers?.description ?? '')) unanswered();
          else end();
        } else {
          pulled.push({ subject, data, seq: seqOf(reply), reply });
          if (pulled.length === most) end();
        }
      },
    });
    stop?.addEventListener('abort', stopped);
    const wanted = { batch: most, no_wait: true, expires: Math.max(waitMs, leastWaitMs) * 1_000_000 };
    nc.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumerName}`, JSON.stringify(wanted), {
      reply: inbox,
    });
  });
}

/** `$JS.ACK.<stream>.<consumer>.<deliveries>.<sequence>.…`, with a domain and an account before the stream since 2.10. */
function seqOf(reply: string): number {
  const parts = reply.split('.');
  return Number(parts[parts.length === 9 ? 5 : 7]);
}
