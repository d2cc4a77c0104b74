/** The key `keep_dropped: 30d` of `spam`: stores submissions that a check rejected in the form's archive, for the owner. */

import { ClientError, stackOf } from '@form-relay/base/client_error';
import { cleanName, distinctName } from '@form-relay/base/file_names';
import { chain } from '@form-relay/base/maybe_promise';
import { throttledReport } from '@form-relay/base/throttled';
import type {
  Delivery,
  Diagnostics,
  Files,
  Form,
  Outcome,
  Plugin,
  SentFile,
  Services,
  Submission,
  UploadedFile,
  Values,
} from '@form-relay/core/index';
import { templateContext } from '@form-relay/core/outputs/delivery';
import { feature } from '@form-relay/core/plugin';
import { onOutcome } from '@form-relay/core/submission';
import { duration } from '@form-relay/schema/scalars';
import { optional } from '@form-relay/schema/schema';

declare module '@form-relay/core/plugin' {
  interface Provided {
    /** How long to keep them, in milliseconds. The daily pruning of `archive` respects it. */
    keep_dropped: number;
  }
}

/**
 * The timeouts of the store. The second one applies if the process may freeze after the response, so that the
 * visitor has to wait.
 */
const timeoutMs = 30_000;
const waitedForMs = 5_000;
const dayMs = 86_400_000;

/** Outcomes that show the form again: some visitors solve the challenge, and others give up. */
const shownAgain: readonly string[] = ['captcha_failed', 'challenged'];

const isLost = ({ kind }: Outcome) => kind === 'dropped' || shownAgain.includes(kind);

/** Each relay gets its own plug-in, because it counts what is stored. */
export function plugin(): Plugin {
  let limits: DropLimits | undefined;

  const keep = (outcome: Outcome, submission: Submission): void | Promise<void> => {
    const { form, services, request } = submission;
    const place = archiveIn(form);
    if (!place) return;
    limits ??= new DropLimits(services);
    const values = valuesOf(submission);
    const files = filesOf(submission);
    const room = limits.enter(form.id, sizeOf(values, files));
    if (!room) return;
    const delivery = deliveryOf(submission, place.index, values, files);
    return submission.defer(async () => {
      try {
        // Send the response first.
        if (request.livesOn) await services.sleep(0);
        const mostMs = request.livesOn
          ? timeoutMs
          : Math.min(waitedForMs, submission.deadline - services.now());
        await place.rejected.store(delivery, rejectionOf(outcome, submission), mostMs);
        room.stored();
      } catch (error) {
        room.failed(wordsOf(error, form.id, services));
      }
    });
  };

  return {
    name: 'keep_dropped',
    features: [
      feature({
        name: 'keep_dropped',
        keys: {
          sharedSpam: {
            keep_dropped: optional(
              'How long to keep dropped submissions with the reason, in `.dropped` of the form’s first `folder` or `s3` output (docs/dropped.md#keep-dropped-submissions).',
              duration({ leastMs: dayMs, hasDays: true }),
            ),
          },
        },
        configureTop: (_, at, { forms }) => reportMissingArchives(forms, at),
        configure: ({ spam, topSpam }) => {
          const forMs = spam.keep_dropped ?? topSpam.keep_dropped;
          if (forMs === undefined) return undefined;
          return {
            provides: forMs,
            // Runs outside all checks, to see their outcomes.
            onRequest: onOutcome((outcome, submission) => {
              if (!isLost(outcome) || submission.services.isDryRun) return outcome;
              try {
                return chain(keep(outcome, submission), () => outcome);
              } catch (error) {
                // A bug here must not change the response, which must look the same to a bot.
                wordsOf(error, submission.formId, submission.services);
                return outcome;
              }
            }),
          };
        },
      }),
    ],
  };
}

function reportMissingArchives(
  forms: ReadonlyMap<string, Readonly<Record<string, unknown>>>,
  at: Diagnostics,
): undefined {
  const everywhere = at.in('spam', 'keep_dropped');
  for (const [id, { outputs }] of forms) {
    if (!Array.isArray(outputs) || outputs.some(({ isArchive }) => isArchive)) continue;
    const own = at.in('forms', id, 'spam', 'keep_dropped');
    const place = own.written === undefined ? everywhere : own;
    if (place.written !== undefined)
      place.error(
        `${id} has no archive for them; add an output of type folder or s3, or set keep_dropped only in forms with an archive`,
      );
  }
}

function archiveIn({ outputs }: Pick<Form, 'outputs'>) {
  for (const [index, { transport }] of outputs.entries())
    if (transport?.rejected) return { index, rejected: transport.rejected };
  return undefined;
}

function deliveryOf(submission: Submission, index: number, values: Values, files: Files): Delivery {
  const { requestId, formId, receivedAt, services, page } = submission;
  return {
    id: `${requestId}-${index}`,
    requestId,
    formId,
    receivedAt,
    values,
    payload: [],
    templateContext: templateContext(formId, values, receivedAt, services, { page }),
    files,
  };
}

/** Values as validation would pass them to outputs: a field of several inputs has one value, as JSON. */
function valuesOf({ form: { fields, usedNames }, sent }: Submission): Values {
  const values = new Map([...sent].filter(([name]) => usedNames.has(name)));
  for (const { name, inputs } of fields) {
    const whole = inputs?.gather(sent);
    for (const input of inputs?.all ?? []) values.delete(input.name);
    if (whole) values.set(name, [JSON.stringify(whole)]);
  }
  return values;
}

/**
 * Files as validation would accept them; rejected ones get a safe name. Copies their bytes, because an
 * upload's memory is reused after the response.
 */
function filesOf(submission: Submission): Files {
  const { form, sentFiles: sent, request } = submission;
  const names = new Set<string>();
  const files = new Map<string, readonly UploadedFile[]>();
  for (const { name, takeFiles } of form.fields) {
    const some = sent.get(name) ?? [];
    if (!takeFiles || some.length === 0) continue;
    const taken = takeFiles(some, names);
    const all = 'files' in taken ? taken.files : some.map((file) => unjudged(file, names));
    files.set(name, request.livesOn ? all.map((file) => ({ ...file, bytes: Buffer.from(file.bytes) })) : all);
  }
  return files;
}

const unjudged = ({ name, bytes }: SentFile, names: Set<string>): UploadedFile => ({
  name: distinctName(cleanName(name), names),
  type: 'application/octet-stream',
  bytes,
});

function rejectionOf({ by = '', why = '' }: Outcome, { logFields = {} }: Submission) {
  const { score, doubt: action, signals = {} } = logFields as LoggedDoubt;
  const more = score !== undefined &&
    by === 'doubt' && { more: { doubt: { score, ...(action && { action }), signals } } };
  return { by, reason: why, ...more };
}

interface LoggedDoubt {
  readonly score?: number;
  readonly doubt?: string;
  readonly signals?: Readonly<Record<string, number>>;
}

/** The approximate size in bytes. */
function sizeOf(values: Values, files: Files): number {
  let size = 500;
  for (const [name, some] of values) for (const value of some) size += name.length + value.length;
  for (const some of files.values()) for (const { bytes } of some) size += bytes.length;
  return size;
}

function wordsOf(error: unknown, form: string, { log }: Services): string {
  if (error instanceof ClientError) return error.message;
  log('error', 'internal_error', { form, stack: stackOf(error) });
  return 'internal error';
}

/** Daily limits (UTC) for each form and process, so that a flood of bots does not fill a disk. */
const mostADay = { entries: 1_000, bytes: 100_000_000 };

/** Limits for what a process is storing at once, so that a slow disk does not fill its memory. */
const mostAtOnce = { entries: 100, bytes: 32_000_000 };

/** Room to store a submission. The caller must call exactly one of the two methods. */
interface Room {
  stored(): void;
  failed(reason: string): void;
}

interface Used {
  entries: number;
  bytes: number;
}

/** Limits how many rejected submissions a process stores. */
class DropLimits {
  readonly #report: (form: string, reason: string) => void;
  readonly #days = new Map<string, Used & { readonly day: number }>();
  readonly #underWay: Used = { entries: 0, bytes: 0 };

  constructor(private readonly services: Pick<Services, 'now' | 'log'>) {
    this.#report = throttledReport(services.now, (times, form: string, reason: string) =>
      services.log('warn', 'dropped_unkept', { form, times, reason }),
    );
  }

  /** Reserves room; `undefined` if the submission must not be stored. */
  enter(form: string, bytes: number): Room | undefined {
    const today = this.#today(form);
    const full = fullBy(today, bytes, mostADay) ?? fullBy(this.#underWay, bytes, mostAtOnce);
    if (full !== undefined) {
      this.#report(form, full === mostADay ? dayInWords : atOnceInWords);
      return undefined;
    }
    add(today, 1, bytes);
    add(this.#underWay, 1, bytes);
    return {
      stored: () => add(this.#underWay, -1, bytes),
      failed: (reason) => {
        add(this.#underWay, -1, bytes);
        add(today, -1, bytes);
        this.#report(form, reason);
      },
    };
  }

  #today(form: string): Used {
    const day = Math.floor(this.services.now() / dayMs);
    let today = this.#days.get(form);
    if (today?.day !== day) {
      today = { day, entries: 0, bytes: 0 };
      this.#days.set(form, today);
    }
    return today;
  }
}

function add(used: Used, entries: 1 | -1, bytes: number): void {
  used.entries += entries;
  used.bytes += entries * bytes;
}

const fullBy = (used: Used, bytes: number, most: Used): Used | undefined =>
  used.entries >= most.entries || used.bytes + bytes > most.bytes ? most : undefined;

const dayInWords = `the limit of ${mostADay.entries} submissions or ${mostADay.bytes / 1e6} MB a day is reached`;
const atOnceInWords = `the limit of ${mostAtOnce.entries} submissions or ${mostAtOnce.bytes / 1e6} MB being stored at once is reached`;
