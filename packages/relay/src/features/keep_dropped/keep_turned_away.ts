import { ClientError, stackOf } from '../../base/client_error.ts';
import type { Effects } from '../../base/effects.ts';
import type { CheckEvidence } from '../../base/event.ts';
import type { TurnedAway } from '../../form.ts';
import type { Message } from '../../transports/index.ts';
import { transportOf } from '../../transports/index.ts';
import { archiveOf } from './archive_of.ts';
import { acceptedFiles, contentHash, fieldsOf, sizeOf } from './content.ts';
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
