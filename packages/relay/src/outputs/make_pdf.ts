/** Makes the PDF of a submission, for outputs with `pdf: true`. */
import type { UploadedFile } from '../base/files.ts';
import type { Job } from '../base/job.ts';
import { inTime } from '../base/soon.ts';
import type { Values } from '../base/values.ts';
import { momentWords } from '../messages/moment_words.ts';
import type { Scope } from '../schema/template/render.ts';
import { segmentOf, stemOf } from '../transports/archive/archive_entry.ts';
import type { Filed, FiledEntry, Written } from '../transports/pdf/filed.ts';
import { writePdf } from '../transports/pdf/write_pdf.ts';
import { type FilledIn, filledIn, isList, plainLine } from './filled_in.ts';
import { cleanEntry } from './html_mail.ts';
import type { FormAbout, Output, Paper } from './output.ts';

export { fontProblems } from '../transports/pdf/font_problems.ts';

type Filing = Pick<Job, 'requestId' | 'formId' | 'receivedAt' | 'values' | 'files' | 'page' | 'doubt'>;

export interface MadePdf {
  readonly file: UploadedFile;
  readonly isComplete: boolean;
}

/** The PDFs of a submission, by what they say: outputs that show the same share one. */
const made = new WeakMap<Values, Map<string, Promise<Written>>>();

/** One after the other: they take the processor and memory, and other requests have their turn in between. */
let latest: Promise<unknown> = Promise.resolve();

/** `undefined`: there was no time for it. Rejects on a bug, and if a font is gone. */
export async function makePdf(
  output: Output & { readonly form: FormAbout },
  filing: Filing,
  scope: Scope,
  timeoutMs: number,
): Promise<MadePdf | undefined> {
  const { form } = output;
  if (!form.paper) throw new Error('the form of an output with `pdf` knows no paper');
  const filed = filedOf(output, form, form.paper, filing, scope);
  const { fonts } = form.paper;
  const known = made.get(filing.values) ?? new Map<string, Promise<Written>>();
  made.set(filing.values, known);
  const key = JSON.stringify(filed, (name, value) => (name === 'bytes' ? undefined : value));
  let isLate = false;
  const writing = known.get(key) ?? inTurn(() => (isLate ? undefined : writePdf(filed, fonts)));
  known.set(key, writing as Promise<Written>);
  const written = await inTime(timeoutMs, writing, () => {
    isLate = true;
    return undefined;
  });
  if (!written) return undefined;
  return {
    file: { name: nameOf(filing), type: 'application/pdf', bytes: written.bytes },
    isComplete: written.missing === 0,
  };
}

function inTurn<T>(work: () => T): Promise<Awaited<T>> {
  const mine = latest.then(async () => work());
  latest = mine.catch(() => {});
  return mine as Promise<Awaited<T>>;
}

/** As entries of an archive: what visitors wrote names no file. */
const nameOf = ({ formId, receivedAt, requestId }: Filing): string =>
  `${segmentOf(formId).slice(0, 80)}-${stemOf({ receivedAt, jobId: requestId })}.pdf`;

function filedOf(
  output: Output,
  form: FormAbout,
  { zone, receivedLabel }: Paper,
  { receivedAt, page, values, files, doubt }: Filing,
  scope: Scope,
): Filed {
  const { showsField } = output;
  const shown = showsField
    ? { form: { ...form, fields: form.fields.filter(({ name }) => showsField(name)) } }
    : { ...output, form };
  const places = new Map<number, string>();
  const drawings = new Map(form.fields.map(({ name, drawingOf }) => [name, drawingOf]));
  const entries = filledIn(shown, { values, doubt }, scope, places)
    .map((filled, index) => {
      const name = places.get(index) ?? '';
      const entry = cleanEntry(filled);
      const { label, values } = entry;
      const drawingOf = drawings.get(name);
      return { label, values, isList: isList(entry), name, drawingOf, files: files.get(name) ?? [] };
    })
    .filter(({ values }) => values.length > 0);
  const about: readonly FilledIn[] = [
    { label: receivedLabel, values: [momentWords(receivedAt, zone).spell([form.language])] },
    ...(page ? [{ label: form.pageLabel, values: [page.url] }] : []),
  ];
  return {
    language: form.language,
    direction: form.direction,
    title: plainLine(form.title ?? form.id),
    about: about.map(({ label, values }) => ({ label: plainLine(label), values: values.map(plainLine) })),
    entries: withDrawings(entries),
    receivedAt,
  };
}

interface Named extends FiledEntry {
  readonly name: string;
  readonly drawingOf: string | undefined;
}

/** The drawing of a signature stands below the name that was typed. */
const withDrawings = (entries: readonly Named[]): readonly FiledEntry[] =>
  entries.flatMap((entry, index) => {
    const { name, drawingOf, ...filed } = entry;
    if (drawingOf !== undefined && entries[index - 1]?.name === drawingOf) return [];
    const next = entries[index + 1];
    return next?.drawingOf === name ? { ...filed, drawing: next } : filed;
  });
