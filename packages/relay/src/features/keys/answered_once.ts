/**
 * Answers each `Idempotency-Key` once. A store remembers for a day what was sent under it: who is working on it until
 * when, under which id it is delivered, and the answer once there is one. A try that died leaves its id to the next.
 */
import { createHmac } from 'node:crypto';
import { ClientError, failed } from '../../base/client_error.ts';
import type { CountPlace } from '../../base/counts.ts';
import type { SentFile } from '../../base/files.ts';
import type { RelayResponse } from '../../base/http.ts';
import type { Outcome } from '../../base/outcome.ts';
import { err, ok, type Result } from '../../base/result.ts';
import type { Sent } from '../../bodies/sent.ts';
import type { ClaimedOnce, ServerArrival } from '../../form.ts';
import { keysFolder } from '../places/claims.ts';
import type { Sender } from './senders.ts';

/** How long an answer is remembered, in milliseconds. */
export const rememberedMs = 86_400_000;

/** How long a try may take. A submission ends within 25 s, and its answer is stored after that. */
export const leaseMs = 30_000;

/** DynamoDB stores 400 KB under a key. */
const mostBytes = 300_000;

interface Entry {
  /** When it was first sent, in milliseconds since the epoch, like all times here. */
  readonly at: number;
  /** Until when a try may be under way; 0: none is. */
  readonly until: number;
  /** The try that is under way, or was the last. */
  readonly by: string;
  /** The fingerprint of the values and files. */
  readonly print: string;
  /** The submission's id, the same in each try. */
  readonly id: string;
  readonly answer?: RelayResponse;
}

type Entries = Readonly<Record<string, Entry>>;

export interface Asked {
  readonly where: CountPlace;
  readonly sender: Sender;
  /** As it was sent, without quotes. */
  readonly idempotencyKey: string;
}

/** Claims the key for this try. Never rejects. */
export async function answerOnce(
  asked: Asked,
  sent: Sent,
  arrival: ServerArrival,
): Promise<Result<ClaimedOnce, Outcome>> {
  const one = new Once(asked, sent, arrival);
  try {
    return await one.claim();
  } catch (error) {
    return err(one.unknown(error));
  }
}

/** A store has 4,096 parts for each form, so that none of them grows large. @param key In hexadecimal. */
export const partOf = (form: string, key: string): string => `${keysFolder(form)}/${key.slice(0, 3)}`;

class Once {
  readonly #key: string;
  readonly #part: string;
  readonly #print: string;
  /** Names this try. */
  readonly #by: string;
  /** How it stands after the claim. */
  #entry: Entry | undefined;

  constructor(
    private readonly asked: Asked,
    sent: Sent,
    private readonly arrival: ServerArrival,
  ) {
    const { sender, idempotencyKey } = asked;
    this.#by = arrival.effects.uuid();
    const { id, checkNames } = arrival.form;
    // A reader of the store cannot guess values, and each key of the form has entries of its own.
    const secret = createHmac('sha256', sender.key).update('form-relay idempotency').digest();
    const digest = (content: string | Uint8Array) =>
      createHmac('sha256', secret).update(content).digest('hex').slice(0, 32);
    this.#key = digest(JSON.stringify([id, idempotencyKey]));
    this.#part = partOf(id, this.#key);
    this.#print = digest(contentOf(sent, checkNames, digest));
  }

  async claim(): Promise<Result<ClaimedOnce, Outcome>> {
    const { effects, requestId } = this.arrival;
    let before: Entry | undefined;
    await this.#change((entries, now) => {
      const known = entries[this.#key];
      // An earlier write of this claim may have got there.
      if (known?.by === this.#by) return entries;
      // Another try may have come before it.
      this.#entry = undefined;
      before = known;
      if (known && (known.print !== this.#print || known.answer || known.until > now)) return entries;
      const { at = now, id = requestId } = known ?? {};
      this.#entry = { at, until: now + leaseMs, by: this.#by, print: this.#print, id };
      return { ...entries, [this.#key]: this.#entry };
    });
    const entry = this.#entry;
    if (entry) {
      if (before) this.#repeats(before);
      return ok({
        requestId: entry.id,
        receivedAt: entry.at,
        conclude: (outcome, answer) => this.#conclude(outcome, answer, entry, before !== undefined),
      });
    }
    if (before?.print !== this.#print) return err(this.#end('other_body', { kind: 'key_reused' }));
    if (before.answer) {
      this.#repeats(before);
      return err({ kind: 'replayed', answer: before.answer });
    }
    const waitMs = before.until - effects.now();
    const retryAfterSeconds = Math.min(5, Math.max(1, Math.ceil(waitMs / 1_000)));
    return err(this.#end('in_progress', { kind: 'in_progress', retryAfterSeconds }));
  }

  unknown(error: unknown): Outcome {
    const { tell } = this.arrival;
    if (!(error instanceof ClientError)) tell({ kind: 'broken', error });
    const reason = error instanceof ClientError ? error.message : 'internal error';
    tell({ kind: 'checked', passed: false, evidence: { check, code: 'unknown', reason } });
    return { kind: 'uncounted', refusal: { code: 'idempotency_unknown' } };
  }

  #repeats({ id }: Entry): void {
    this.arrival.tell({ kind: 'checked', passed: true, evidence: { check, code: 'repeated', id } });
  }

  #end(code: 'in_progress' | 'other_body', outcome: Outcome): Outcome {
    this.arrival.tell({ kind: 'checked', passed: false, evidence: { check, code } });
    return outcome;
  }

  /**
   * Remembers the answer to a submission that is over. Otherwise the next try goes on with it, or begins anew if no output can
   * have it. Resolves with the answer to give.
   */
  async #conclude(
    outcome: Outcome,
    answer: RelayResponse,
    entry: Entry,
    isResumed: boolean,
  ): Promise<RelayResponse> {
    const { effects, form, world } = this.arrival;
    const isEnd = isOver.has(outcome.kind);
    const isUnsent = !isEnd && !isResumed && outcome.kind !== 'undelivered';
    let instead: RelayResponse | undefined;
    const note = () =>
      this.#change((entries) => {
        const known = entries[this.#key];
        // This try took so long that another has taken over.
        if (known && known.by !== entry.by) {
          instead = known.answer;
          return entries;
        }
        const { [this.#key]: _, ...others } = entries;
        if (isUnsent) return others;
        return { ...entries, [this.#key]: { ...entry, until: 0, ...(isEnd && { answer }) } };
      }, true);
    const waits = world.request.livesOn ? [200, 1_000] : [200];
    for (;;) {
      try {
        await note();
        return instead ?? answer;
      } catch (error) {
        const waitMs = waits.shift();
        if (waitMs !== undefined && error instanceof ClientError) await effects.sleep(waitMs);
        else {
          const reason = error instanceof ClientError ? error.message : 'internal error';
          effects.log('warn', 'idempotency_unsaved', { request_id: entry.id, form: form.id, reason });
          return answer;
        }
      }
    }
  }

  /** @param hasRoom Whether it replaces an entry. */
  async #change(make: (entries: Entries, now: number) => Entries, hasRoom = false): Promise<void> {
    const { effects } = this.arrival;
    const counter = await effects.openCounter(this.asked.where);
    await counter.change(this.#part, (text) => {
      const now = effects.now();
      const before = readEntries(this.#part, text, now);
      const after = make(before, now);
      if (after === before) return text;
      const written = JSON.stringify(after);
      if (!hasRoom && Buffer.byteLength(written) > mostBytes)
        throw failed('idempotency_full', { most: mostBytes });
      return written;
    });
  }
}

const check = 'keys';

/** Endings after which nobody is to send it again. */
const isOver: ReadonlySet<Outcome['kind']> = new Set(['delivered', 'held', 'dropped']);

/** Without entries of more than a day ago. */
function readEntries(at: string, text: string | undefined, now: number): Entries {
  if (text === undefined) return {};
  let all: unknown;
  try {
    all = JSON.parse(text);
  } catch {
    throw failed('counts_damaged', { at });
  }
  if (typeof all !== 'object' || all === null) throw failed('counts_damaged', { at });
  const entries = Object.entries(all as Entries);
  const recent = entries.filter(([, one]) => one.at > now - rememberedMs);
  return Object.fromEntries(recent);
}

/** The same for the same values and files, in whichever order and kind of body they came. What is for browsers is ignored. */
function contentOf(
  { values, files }: Sent,
  ignored: ReadonlySet<string>,
  digest: (content: Uint8Array) => string,
): string {
  const inFile = ({ name, type, bytes }: SentFile) => [name, type, digest(bytes)];
  return JSON.stringify([
    [...values].filter(([name]) => !ignored.has(name)).toSorted(byName),
    [...files].toSorted(byName).map(([name, all]) => [name, all.map(inFile)]),
  ]);
}

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]) =>
  one < other ? -1 : 1;
