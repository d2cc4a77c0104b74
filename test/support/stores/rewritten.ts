/** What somebody does who can write to a store, and knows all that the relay's sources say. */
import { mkdir, mkdtemp, readdir, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import type { Kept } from '../../../packages/relay/src/base/kept.ts';
import {
  nameOf,
  read,
  readName,
  write,
} from '../../../packages/relay/src/keeping/stores/folder/file_format.ts';
import { readMessage, writeMessage } from '../../../packages/relay/src/keeping/stores/nats/stream_message.ts';
import { readEntry, writeEntry } from '../../../packages/relay/src/keeping/stores/sqs/queue_message.ts';
import { account } from '../aws/signature.ts';
import { startSqs } from '../aws/sqs.ts';
import { hasNats, startNats } from '../nats.ts';
import { openNatsStore } from './nats.ts';
import { makeQueues } from './sqs.ts';

export interface RewrittenPlace {
  /** As a config has it. */
  readonly in: string;
  /** What a relay needs to use it. */
  readonly env: Readonly<Record<string, string>>;
  /** Replaces all that waits, while no relay runs. What this gives is due at once. */
  rewrite(change: (all: readonly Kept[]) => readonly Kept[]): Promise<void>;
  remove(): Promise<void>;
}

export const rewrittenPlaces: Readonly<
  Record<string, { readonly isHere: boolean; readonly create: () => Promise<RewrittenPlace> }>
> = {
  folder: {
    isHere: true,
    create: async () => {
      const root = await mkdtemp(join(tmpdir(), 'kept-'));
      return {
        in: root,
        env: {},
        rewrite: async (change) => {
          const kept: Kept[] = [];
          for (const one of await readdir(join(root, 'due'), { recursive: true, withFileTypes: true })) {
            const name = one.isFile() ? readName(one.name) : undefined;
            if (!name) continue;
            const path = join(one.parentPath, one.name);
            for (const { kept: entry } of read(await readFile(path), name).values()) kept.push(entry);
            await unlink(path);
          }
          await mkdir(join(root, 'due/20200101T0000'), { recursive: true });
          for (const [at, entry] of change(kept).entries()) {
            const mark = `feed${String(at).padStart(20, '0')}`;
            const name = nameOf({
              status: 0,
              keptAt: entry.keptAt,
              left: 1,
              total: 1,
              mark,
              form: 'contact',
            });
            const bytes = Buffer.concat(write(mark, [{ kept: entry, isDamaged: false }]));
            await writeFile(join(root, 'due/20200101T0000', name), bytes);
          }
        },
        remove: () => rm(root, { recursive: true }),
      };
    },
  },
  sqs: {
    isHere: true,
    create: async () => {
      const queue = await startSqs();
      makeQueues(queue);
      return {
        in: 'sqs://sqs.eu-central-1.amazonaws.com/123456789012/kept',
        env: { ...account, AWS_ENDPOINT_URL_SQS: queue.origin },
        rewrite: async (change) => {
          const messages = queue.queues.get('kept')?.messages ?? [];
          const kept = messages.splice(0).flatMap(({ body }) => readEntry(body)?.kept ?? []);
          for (const entry of change(kept)) {
            const more = { object: undefined, dueAt: 0, aside: undefined, isSealed: false };
            queue.put('kept', writeEntry({ kept: entry, ...more }));
          }
        },
        remove: queue.close,
      };
    },
  },
  nats: {
    isHere: hasNats,
    create: async () => {
      const server = await startNats();
      const setter = await openNatsStore(server.port);
      await setter.setUp?.();
      await setter.close();
      return {
        in: `nats://127.0.0.1:${server.port}/kept`,
        env: {},
        rewrite: async (change) => {
          const nc = await connect({ servers: `127.0.0.1:${server.port}` });
          const jsm = await jetstreamManager(nc);
          const { state } = await jsm.streams.info('kept');
          const kept: Kept[] = [];
          for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
            const found = await jsm.streams.getMessage('kept', { seq }).catch(() => null);
            if (!found?.subject.startsWith('kept.due.')) continue;
            kept.push(readMessage(found.subject, seq, found.data).kept);
            await jsm.streams.deleteMessage('kept', seq);
          }
          for (const entry of change(kept)) {
            const mark = { dueAt: 0, aside: undefined, isSealed: false, parts: undefined };
            await jsm.jetstream().publish('kept.due.contact.0', writeMessage(entry, mark));
          }
          await nc.close();
        },
        remove: server.close,
      };
    },
  },
};
