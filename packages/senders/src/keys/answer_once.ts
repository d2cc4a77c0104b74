/**
 * Answers each `Idempotency-Key` once. For a day, a store keeps a record of the request: which process is handling it
 * until when, the id of the delivery, and later the response. If a process dies, the next attempt uses the same id.
 */
import { createHmac } from 'node:crypto';
import { failures } from '@form-relay/base/client_error';
import { nameInStore, persist, uncounted, whyUncounted } from '@form-relay/capacity/counters/registration';
import type { Handler, Outcome, RelayResponse, SentFile, Submission } from '@form-relay/core/index';
import { refused } from '@form-relay/core/submission';
import { failed as uncountable } from '@form-relay/stores/failures';
import type { Once } from './index.ts';

export const failed = failures({
  idempotency_full: ({ most }: { most: number }) =>
    `Idempotency-Keys of one day exceed ${most} bytes; lower keys_limit (docs/retries.md)`,
});

/** How long a response to a server is stored, in milliseconds. */
const rememberedMs = 86_400_000;

/** How long an attempt may take. A submission ends within 25 s, and its response is stored after that. */
const leaseMs = 30_000;

/** DynamoDB stores 400 KB under a key. */
const mostBytes = 300_000;

interface Entry {
  /** When it was first sent, in milliseconds since the epoch, like all times here. */
  readonly at: number;
  /** Until when an attempt may be in progress; 0 if none is. */
  readonly until: number;
  /** The current or last attempt. */
  readonly by: string;
  /** The fingerprint of the values and files. */
  readonly print: string;
  /** The submission's id, which is the same in each attempt. */
  readonly id: string;
  readonly answer?: RelayResponse;
  /** Default: `rememberedMs`. */
  readonly forMs?: number | undefined;
}

type Entries = Readonly<Record<string, Entry>>;

/** Claims the key for this attempt, and stores the result. Never rejects. */
export async function answerOnce(config: Once, submission: Submission, next: Handler): Promise<Outcome> {
  const key = new IdempotencyKey(config, submission);
  let claim: Claim | Outcome;
  try {
    claim = await key.claim();
  } catch (error) {
    return unknown(error, submission);
  }
  if ('kind' in claim) return claim;
  submission.requestId = claim.entry.id;
  submission.receivedAt = claim.entry.at;
  const outcome = await next(submission);
  const answer = await submission.respond(outcome);
  return { ...outcome, answer: await key.conclude(outcome, answer, claim) };
}

/** Logs the id under which outputs get the submission, which may be an earlier attempt's. */
const idOf = (entry: Entry, submission: Submission) => submission.addLogFields({ submission: entry.id });

const unknown = (error: unknown, submission: Submission): Outcome => ({
  ...uncounted,
  message: { code: 'idempotency_unknown' },
  by: 'keys',
  code: 'unknown',
  why: `the store cannot look up its Idempotency-Key: ${whyUncounted(error, submission)}`,
});

interface Claim {
  readonly entry: Entry;
  /** An earlier attempt had already chosen the id. */
  readonly isResumed: boolean;
}

class IdempotencyKey {
  readonly #key: string;
  readonly #part: string;
  readonly #print: string;
  /** Identifies this attempt. */
  readonly #by: string;
  readonly #submission: Submission;
  readonly #forMs: number | undefined;

  constructor({ sender, idempotencyKey, forMs }: Once, submission: Submission) {
    this.#submission = submission;
    this.#forMs = forMs;
    this.#by = submission.services.uuid();
    const { id, reservedNames } = submission.form;
    // Readers of the store cannot guess values, and each key of the form has separate entries.
    const secret = createHmac('sha256', sender.key).update('form-relay idempotency').digest();
    const digest = (content: string | Uint8Array) =>
      createHmac('sha256', secret).update(content).digest('hex').slice(0, 32);
    this.#key = digest(JSON.stringify([id, idempotencyKey]));
    this.#part = partOf(id, this.#key);
    this.#print = digest(contentOf(submission, reservedNames, digest));
  }

  async claim(): Promise<Claim | Outcome> {
    const { services, requestId } = this.#submission;
    let before: Entry | undefined;
    let claimed: Entry | undefined;
    await this.#change((entries, now) => {
      const known = entries[this.#key];
      // An earlier write of this claim may have succeeded.
      if (known?.by === this.#by) return entries;
      // Another attempt may have been faster.
      claimed = undefined;
      before = known;
      if (known && (known.print !== this.#print || known.answer || known.until > now)) return entries;
      const { at = now, id = requestId } = known ?? {};
      const own = { by: this.#by, print: this.#print, forMs: this.#forMs };
      claimed = { at, until: now + leaseMs, id, ...own };
      return { ...entries, [this.#key]: claimed };
    });
    const entry = claimed as Entry | undefined;
    const known = before as Entry | undefined;
    if (entry) {
      if (known) idOf(known, this.#submission);
      return { entry, isResumed: known !== undefined };
    }
    if (known?.print !== this.#print)
      return {
        ...refused(422, 'idempotency_key_reused'),
        kind: 'key_reused',
        by: 'keys',
        code: 'other_body',
        why: 'this Idempotency-Key was already used with other values',
      };
    if (known.answer) {
      idOf(known, this.#submission);
      this.#submission.trace?.note(`repeats an earlier try under the same Idempotency-Key: ${known.id}`);
      const headers = { 'idempotency-replayed': 'true' };
      return { kind: 'replayed', status: known.answer.status, answer: known.answer, headers };
    }
    const seconds = Math.min(5, Math.max(1, Math.ceil((known.until - services.now()) / 1_000)));
    return {
      ...refused(409, 'idempotency_in_progress'),
      kind: 'in_progress',
      headers: { 'retry-after': String(seconds) },
      by: 'keys',
      code: 'in_progress',
      why: 'another try under the same Idempotency-Key is still being delivered',
    };
  }

  /**
   * Stores the response to a completed submission. Otherwise the next attempt continues from here, or starts
   * over if no output can have got the submission. Resolves with the response to send.
   */
  async conclude(
    outcome: Outcome,
    answer: RelayResponse,
    { entry, isResumed }: Claim,
  ): Promise<RelayResponse> {
    const { services, formId, request } = this.#submission;
    const isEnd = outcome.message === undefined;
    const isUnsent = !isEnd && !isResumed && outcome.kind !== 'undelivered';
    let instead: RelayResponse | undefined;
    const note = () =>
      this.#change((entries) => {
        const known = entries[this.#key];
        // This attempt took so long that another one has taken over.
        if (known && known.by !== entry.by) {
          instead = known.answer;
          return entries;
        }
        const { [this.#key]: _, ...others } = entries;
        if (isUnsent) return others;
        return { ...entries, [this.#key]: { ...entry, until: 0, ...(isEnd && { answer }) } };
      }, true);
    const reason = await persist(note, request.livesOn ? [200, 1_000] : [200], services);
    if (reason === undefined) return instead ?? answer;
    services.log('warn', 'idempotency_unsaved', { request_id: entry.id, form: formId, reason });
    return answer;
  }

  /** @param hasRoom Whether it only replaces an entry. */
  async #change(make: (entries: Entries, now: number) => Entries, hasRoom = false): Promise<void> {
    const { services, form } = this.#submission;
    const counter = await form.provided.get('counters')?.counter(services);
    await counter?.change(this.#part, (text) => {
      const now = services.now();
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

/** A store has 4,096 parts per form, so that none grows large. @param key In hexadecimal. */
const partOf = (form: string, key: string): string => `${answersFolder(form)}/${key.slice(0, 3)}`;

/** The folder of a form's keys in a store. */
export const answersFolder = (form: string): string => `keys/${nameInStore(form)}`;

/** Parses the entries and drops expired ones. */
function readEntries(at: string, text: string | undefined, now: number): Entries {
  if (text === undefined) return {};
  let all: unknown;
  try {
    all = JSON.parse(text);
  } catch {
    throw uncountable('counts_damaged', { at });
  }
  if (typeof all !== 'object' || all === null) throw uncountable('counts_damaged', { at });
  const entries = Object.entries(all as Entries);
  return Object.fromEntries(entries.filter(([, one]) => one.at > now - (one.forMs ?? rememberedMs)));
}

/** The same for the same values and files, in any order and any kind of body. Ignores fields that are meant for browsers. */
function contentOf(
  { sent, sentFiles }: Submission,
  ignored: ReadonlySet<string>,
  digest: (content: Uint8Array) => string,
): string {
  const inFile = ({ name, type, bytes }: SentFile) => [name, type, digest(bytes)];
  return JSON.stringify([
    [...sent].filter(([name]) => !ignored.has(name)).toSorted(byName),
    [...sentFiles].toSorted(byName).map(([name, all]) => [name, all.map(inFile)]),
  ]);
}

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]) =>
  one < other ? -1 : 1;
