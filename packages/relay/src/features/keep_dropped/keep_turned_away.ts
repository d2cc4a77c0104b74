import { createHash } from 'node:crypto';
import { ClientError, stackOf } from '../../base/client_error.ts';
import type { Effects } from '../../base/effects.ts';
import type { CheckEvidence } from '../../base/event.ts';
import type { Files, SentFile, UploadedFile } from '../../base/files.ts';
import { type Values, withoutEmpty } from '../../base/values.ts';
import { labelOf } from '../../fields/field.ts';
import { cleanName, distinctName } from '../../fields/files/clean_name.ts';
import type { Form, TurnedAway } from '../../form.ts';
import type { ArchivedField } from '../../transports/archive/archive_entry.ts';
import { type Message, transportOf } from '../../transports/index.ts';
import { archiveOf } from './archive_of.ts';
import { Drops } from './drops.ts';

/** How long a store may take. Without a process that lives on, the visitor waits for it. */
const timeoutMs = 30_000;
const waitedForMs = 5_000;

/** Each relay's own: several may run in a process. */
const dropsOf = new WeakMap<Effects, Drops>();

/**
 * Stores a submission that a check turned away, beside the answer: the visitor's answer neither waits for it nor depends on
 * it. Where the process may freeze after the answer, it is stored before. Never rejects.
 */
export function keepTurnedAway(turned: TurnedAway): Promise<void> | undefined {
  const { passage, ending, evidence, explain } = turned;
  const { form, submission, world } = passage;
  const archive = archiveOf(form);
  const isLost = ending.kind === 'dropped' || isShownAgain.has(ending.kind);
  if (!archive || !isLost) return undefined;
  const { effects, request, transports } = world;
  let drops = dropsOf.get(effects);
  if (!drops) {
    drops = new Drops(effects);
    dropsOf.set(effects, drops);
  }
  const livesOn = request.livesOn === true;
  const { values, files } = submission;
  const place = drops.enter(form.id, contentHash(form, values, files), sizeOf(values, files));
  if (!place) return undefined;
  // An upload's memory is taken back once its request is answered.
  const held = livesOn ? copied(files) : files;
  const reason = explain(evidence);
  return world.afterwards(async () => {
    try {
      // The answer goes first.
      if (livesOn) await effects.sleep(0);
      const { requestId, receivedAt, page, deadline } = submission;
      const entry = {
        id: requestId,
        jobId: `${requestId}-${archive.index}`,
        form: form.id,
        receivedAt,
        page: page && { url: page.url, title: page.title },
        fields: fieldsOf(form, values),
        files: acceptedFiles(form, held),
        dropped: { by: evidence.check, reason },
        doubt: doubtOf(evidence),
      };
      const message: Message = { ...archive.target, entry };
      const mostMs = livesOn ? timeoutMs : Math.min(waitedForMs, deadline - effects.now());
      await transportOf(transports, message).send(message, mostMs);
      place.stored();
    } catch (error) {
      if (!(error instanceof ClientError))
        effects.log('error', 'internal_error', { form: form.id, stack: stackOf(error) });
      place.failed(error instanceof ClientError ? error.message : 'internal error');
    }
  });
}

/** The form comes back to these visitors: some solve what it asks, and some give up. */
const isShownAgain: ReadonlySet<string> = new Set(['captcha_failed', 'challenged', 'script_needed']);

const copied = (files: TurnedAway['passage']['submission']['files']): typeof files =>
  files.size === 0
    ? files
    : new Map(
        [...files].map(([field, some]) => [
          field,
          some.map((file) => ({ ...file, bytes: Buffer.from(file.bytes) })),
        ]),
      );

const doubtOf = (evidence: CheckEvidence) =>
  evidence.check === 'doubt'
    ? {
        score: evidence.score,
        ...(evidence.action && { action: evidence.action }),
        signals: Object.fromEntries(evidence.signals.map(({ signal, points }) => [signal, points])),
      }
    : undefined;

/**
 * All that was sent for the form's fields, and under names that its outputs read. No `mapping` chooses among them, since a
 * person may restore the submission to every output.
 */
function fieldsOf(form: Form, values: Values): readonly ArchivedField[] {
  const declared = form.fields.filter(({ takeFiles }) => !takeFiles);
  const names = new Set([...form.fields, ...form.inputs].map(({ name }) => name));
  const others = [...values.keys()].filter((name) => isUsed(form, name) && !names.has(name));
  return [
    ...declared.map((field) => ({ name: field.name, label: labelOf(field), parts: field.parts })),
    ...others.map((name) => ({ name, label: name, parts: undefined })),
  ].map(({ parts, ...one }) => {
    const value = parts?.gather(values);
    return value
      ? { ...one, values: [JSON.stringify(value)], in_words: parts?.words(value) }
      : { ...one, values: withoutEmpty(values.get(one.name) ?? []) };
  });
}

/** Files as validation would take them; others under a safe name. */
function acceptedFiles({ fields }: Form, files: Files<SentFile>) {
  const names = new Set<string>();
  return fields.flatMap(({ name: field, takeFiles }) => {
    const sent = files.get(field);
    if (!sent || !takeFiles) return [];
    const taken = takeFiles(sent, names);
    const all = taken.ok ? taken.value : sent.map((file) => unjudged(file, names));
    return all.map((file) => ({ field, file }));
  });
}

const unjudged = ({ name, bytes }: SentFile, names: Set<string>): UploadedFile => ({
  name: distinctName(cleanName(name), names),
  type: 'application/octet-stream',
  bytes,
});

/** The same for the same content, whatever tokens and solutions come with it. */
function contentHash(form: Form, values: Values, files: Files<SentFile>): string {
  const texts = [...values].filter(([name]) => isUsed(form, name)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const sizes = [...files].map(([field, some]) => [
    field,
    some.map(({ name, bytes }) => [name, bytes.length]),
  ]);
  return createHash('sha256')
    .update(JSON.stringify([form.id, texts, sizes]))
    .digest('base64url');
}

/** In bytes, about. */
function sizeOf(values: Values, files: Files<SentFile>): number {
  let size = 500;
  for (const [name, some] of values) for (const value of some) size += name.length + value.length;
  for (const some of files.values()) for (const { bytes } of some) size += bytes.length;
  return size;
}

const isUsed = ({ usedNames, checkNames }: Form, name: string) =>
  usedNames.has(name) && !checkNames.has(name);
