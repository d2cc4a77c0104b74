/** Makes the PDF of a submission, for outputs with `pdf: true`. */
import { setImmediate } from 'node:timers/promises';
import { withoutLinks } from '@form-relay/base/html';
import { momentWords } from '@form-relay/base/time_zone';
import { withTimeout } from '@form-relay/base/with_timeout';
import type { Delivery, OutputForm, UploadedFile } from '@form-relay/core/index';
import { segmentOf, stemOf } from './archive_layout.ts';
import { type FilledIn, filledIn, plain, plainLine } from './filled_in.ts';
import { cleanEntries } from './html_mail.ts';
import type { Look } from './html_styles.ts';
import type { Filed } from './pdf/filed.ts';
import { writePdf } from './pdf/write_pdf.ts';

export interface Paper {
  /** Paths of the fonts, as in the config. */
  readonly fonts: readonly string[];
  /** IANA time zone. Default: UTC. */
  readonly zone: string | undefined;
  /** Whether the PDF shows a field. `undefined`: it shows the fields in `mapping` and `static`, like an HTML mail. */
  readonly showsField: ((field: string) => boolean) | undefined;
  readonly mapping: Parameters<typeof filledIn>[0]['mapping'];
  readonly static: Parameters<typeof filledIn>[0]['static'];
  /** The form's design. */
  readonly look: Look | undefined;
}

/** A queue per client, first in, first out. */
const lines = new Map<string, (() => Promise<void>)[]>();
let isWriting = false;

/** `undefined` if there was not enough time. Rejects if there is a bug, or a font is missing. */
export async function makePdf(
  paper: Paper,
  form: OutputForm,
  delivery: Delivery,
  timeoutMs: number,
  client: string,
) {
  const filed = filedOf(paper, form, delivery);
  let isLate = false;
  const writing = inTurn(client, () => (isLate ? undefined : writePdf(filed, paper.fonts)));
  const written = await withTimeout(timeoutMs, writing, () => {
    isLate = true;
    return undefined;
  });
  if (!written) return undefined;
  const file: UploadedFile = { name: nameOf(delivery), type: 'application/pdf', bytes: written.bytes };
  return { file, isComplete: written.missing === 0 };
}

/** Runs one job at a time, because each takes CPU time and memory, and handles other requests in between. Clients take turns. */
function inTurn<T>(client: string, work: () => T | Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const next = async () => {
      try {
        resolve(await work());
      } catch (error) {
        reject(error);
      }
    };
    lines.set(client, [...(lines.get(client) ?? []), next]);
    if (!isWriting) void writeAll();
  });
}

async function writeAll(): Promise<void> {
  isWriting = true;
  for (const [client, line] of lines) {
    lines.delete(client);
    const [next, ...others] = line;
    await next?.();
    // A quick job never yields, so this lets other requests be read.
    await setImmediate();
    // The client's remaining jobs, and new ones, go behind the clients that came in the meantime.
    const own = [...others, ...(lines.get(client) ?? [])];
    lines.delete(client);
    if (own.length > 0) lines.set(client, own);
  }
  isWriting = false;
}

/** Named like archive entries, so that nothing a visitor wrote is part of a file name. */
const nameOf = ({ formId, receivedAt, requestId }: Delivery): string =>
  `${segmentOf(formId).slice(0, 80)}-${stemOf({ receivedAt, deliveryId: requestId })}.pdf`;

function filedOf(paper: Paper, form: OutputForm, delivery: Delivery): Filed {
  const { showsField, zone, look } = paper;
  const { receivedAt, files, templateContext } = delivery;
  const { page } = templateContext;
  const { translate, write, language, direction } = form.locale;
  const shown = showsField ? form.fields.filter(({ name }) => showsField(name)) : form.fields;
  const mapped = showsField ? { mapping: undefined, static: undefined } : paper;
  const entries = filledIn(mapped, { fields: shown, locale: form.locale }, delivery);
  const about: readonly FilledIn[] = [
    { label: translate({ code: 'pdf_received' }), values: [write(momentWords(receivedAt, zone))] },
    ...(page ? [{ label: translate({ code: 'mail_page' }), values: [page.url] }] : []),
  ];
  return {
    language: language ?? 'en',
    direction: direction ?? 'ltr',
    title: plainLine(form.title ?? form.id),
    about: about.map(({ label, values }) => ({ label: plainLine(label), values: values.map(plainLine) })),
    entries: cleanEntries(entries).map((entry) => ({ ...entry, files: files.get(entry.name ?? '') ?? [] })),
    receivedAt,
    accent: look?.ink,
    logo: logoOf(look, form),
    footer: look?.footer && plain(withoutLinks(form.locale.text(look.footer))),
  };
}

/** Omits SVGs, and logos on other servers. */
function logoOf(look: Look | undefined, { title, id }: OutputForm): Filed['logo'] {
  const { type, body, isBase64 } = look?.logo?.content ?? {};
  if (type === undefined || body === undefined || !isBase64) return undefined;
  return { name: plainLine(look?.name ?? title ?? id), type, bytes: Buffer.from(body, 'base64') };
}
