import type { Services } from '@form-relay/core/index';
import { type NatsPlace, StreamConnection } from '@form-relay/queue/stores/nats/connection';
import { subjectsOf } from '@form-relay/queue/stores/nats/stream_message';
import type { CounterStore, Versioned } from '../store.ts';

/** JetStream's error code if another process has written. */
const wrongLastSequence = 10_071;

/** Counts in the stream of kept deliveries: the last message of a subject is the latest version. */
export class NatsCounts implements CounterStore {
  readonly #connection: StreamConnection;
  readonly #stream: string;

  constructor(place: NatsPlace, readEnv: Services['env']) {
    this.#connection = new StreamConnection(place, readEnv);
    this.#stream = place.stream;
  }

  read(key: string, timeoutMs: number): Promise<Versioned> {
    const last_by_subj = this.#subjectOf(key);
    return this.#connection.ask(timeoutMs, async ({ jsm }) => {
      const found = await jsm.streams.getMessage(this.#stream, { last_by_subj });
      return { text: found ? found.string() : undefined, version: String(found?.seq ?? 0) };
    });
  }

  write(key: string, text: string, { version }: Versioned, timeoutMs: number): Promise<boolean> {
    const subject = this.#subjectOf(key);
    const expect = { streamName: this.#stream, lastSubjectSequence: Number(version) };
    return this.#connection.ask(timeoutMs, async ({ js, jsm }, timeout) => {
      try {
        await js.publish(subject, text, { timeout, expect });
      } catch (error) {
        // Or this request wrote before its connection broke.
        if ((error as { readonly code?: unknown }).code === wrongLastSequence) return false;
        throw error;
      }
      // Older versions are not read.
      void jsm.streams.purge(this.#stream, { filter: subject, keep: 1 }).catch(() => {});
      return true;
    });
  }

  remove(key: string, timeoutMs: number): Promise<void> {
    const filter = this.#subjectOf(key);
    return this.#connection.ask(timeoutMs, async ({ jsm }) => {
      await jsm.streams.purge(this.#stream, { filter });
    });
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  readonly #subjectOf = (key: string) => subjectsOf(this.#stream).count(key.replaceAll('/', '.'));
}
