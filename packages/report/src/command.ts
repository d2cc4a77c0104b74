/** `relay report`: the results of a month's submissions, as a page and a PDF for each form or client. */
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { withoutLinks } from '@form-relay/base/html';
import { whyUnreadable, whyUnwritten } from '@form-relay/base/text_file';
import { monthOf, readProof } from '@form-relay/canary/proof';
import { type CommandContext, CommandFailed, command, option, repeated } from '@form-relay/core/command';
import type { Form, Plugin } from '@form-relay/core/index';
import { segmentOf } from '@form-relay/more-outputs/archive_layout';
import { anyText, fileName, textSchema } from '@form-relay/schema/scalars';
import { openArchive } from '@form-relay/stored/archive/open';
import { archivesIn } from '@form-relay/stored/archive/retention';
import { submissionOf } from '@form-relay/stored/kept/list';
import { withStore } from '@form-relay/stored/kept/with_store';
import { Ledger } from './figures.ts';
import { filedOf, pageOf, type Report, verdictOf } from './page.ts';

const monthSchema = textSchema((text, at) =>
  /^\d{4}-(0[1-9]|1[0-2])$/.test(text) ? text : at.error('Expected a month such as 2026-10.'),
);

const report = command({
  name: 'report',
  summary: 'write a monthly report for each form, as a page and a PDF',
  description:
    'write a page and a PDF for each form: submissions received, delivered, late or lost in a month, the median time, and tests',
  options: {
    month: option('month', 'the month, in UTC. Default: the last one', monthSchema),
    form: repeated('name', 'only this form; may be repeated', anyText),
    client: option('name', 'only the forms of this client (CLIENT/FORM)', anyText),
    log: repeated('file', "the relay's log in JSON; - for stdin; may be repeated", fileName),
    out: option('folder', 'folder for the reports. Default: report-MONTH', fileName),
  },
  notes:
    'Numbers come from the archives, the store of queued deliveries and the log. Without the log, late and lost deliveries are unknown.',
  examples: [
    ['relay report', 'last month, from archives and the store'],
    ['relay report --month 2026-10 --log relay.log --out reports', 'with times and losses from the log'],
  ],
  run: writeReports,
});

export const plugin: Plugin = { name: 'report', commands: [report] };

interface Options {
  readonly month: string | undefined;
  readonly form: readonly string[] | undefined;
  readonly client: string | undefined;
  readonly log: readonly string[] | undefined;
  readonly out: string | undefined;
}

async function writeReports({ month, form: only, client, log = [], out }: Options, context: CommandContext) {
  const config = await context.config();
  const { services } = await context.relay();
  const madeAt = services.now();
  const [year = 0, nth = 0] = (month ?? monthBefore(madeAt)).split('-').map(Number);
  const span = { from: Date.UTC(year, nth - 1), to: Date.UTC(year, nth) };
  const forms = [...config.forms.values()].filter(
    ({ id }) => (only?.includes(id) ?? true) && (client === undefined || clientOf(id) === client),
  );
  if (forms.length === 0)
    throw new CommandFailed('this form does not exist; relay form list shows all forms');
  const ledger = new Ledger(span);
  for (const file of log) await readLog(file, ledger);
  for (const place of archivesIn(forms))
    for await (const { id, form, receivedAt } of openArchive(place).entries(
      { since: span.from, until: span.to },
      () => {},
    ))
      ledger.archived(id, form, receivedAt);
  const keep = config.shared.get('keep');
  const kept = keep && !keep.in.type.hidesWaiting ? await idsIn(context) : undefined;
  const about = { month: monthOf(span.from), hasLog: ledger.hasLog, hasStore: kept !== undefined, madeAt };
  const reportOf = async (
    own: readonly Form[],
    title: string,
    parts: readonly Report[],
  ): Promise<Report> => ({
    ...about,
    title,
    parts,
    figures: ledger.figures(new Set(own.map(({ id }) => id)), kept && ((id) => kept.has(id))),
    tested:
      parts.length > 0 ? sumOf(parts) : (await readProof(own[0] as Form, services))?.months[about.month],
    look: lookOf(own[0] as Form),
  });
  const reports = new Map<string, Report>();
  for (const form of forms) reports.set(form.id, await reportOf([form], titleOf(form), []));
  for (const name of new Set(forms.flatMap(({ id }) => clientOf(id) ?? []))) {
    const own = forms.filter(({ id }) => clientOf(id) === name);
    reports.set(
      name,
      await reportOf(
        own,
        name,
        own.flatMap(({ id }) => reports.get(id) ?? []),
      ),
    );
  }
  const folder = out ?? `report-${about.month}`;
  const { writePdf } = await import('@form-relay/more-outputs/pdf/write_pdf');
  for (const [name, one] of reports) {
    const path = join(folder, ...name.split('/').map(segmentOf));
    const { bytes } = await writePdf(filedOf(one), forms[0]?.provided.get('pdf')?.fonts ?? []);
    const replaces = existsSync(`${path}.html`) ? ' (replaced)' : '';
    try {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(`${path}.html`, pageOf(one));
      await writeFile(`${path}.pdf`, bytes);
    } catch (error) {
      throw new CommandFailed(`${path}: ${whyUnwritten(error)}`);
    }
    context.print(`${path}.html, .pdf${replaces}: ${verdictOf(one)}\n`);
  }
}

/** The total of the tests of a client's forms. */
function sumOf(parts: readonly Report[]): Report['tested'] {
  const tested = parts.flatMap((part) => part.tested ?? []);
  if (tested.length === 0) return undefined;
  const sum = (key: 'passed' | 'failed') => tested.reduce((all, one) => all + one[key], 0);
  return {
    passed: sum('passed'),
    failed: sum('failed'),
    failures: tested.flatMap(({ failures }) => failures),
  };
}

const monthBefore = (now: number): string => {
  const date = new Date(now);
  return monthOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - 1));
};

const clientOf = (id: string): string | undefined => /^([^/]+)\//.exec(id)?.[1];
const titleOf = (form: Form): string =>
  form.title === undefined ? form.id : form.locale(undefined).text(form.title);

function lookOf(form: Form): Report['look'] {
  const look = form.provided.get('look');
  const { type, body, isBase64 } = look?.logo?.content ?? {};
  const name = look?.name ?? titleOf(form);
  const logo = type && body && isBase64 ? { name, type, bytes: Buffer.from(body, 'base64') } : undefined;
  const footer = look?.footer && withoutLinks(form.locale(undefined).text(look.footer));
  return { accent: look?.ink, name: look?.name, logo, footer };
}

async function readLog(file: string, ledger: Ledger): Promise<void> {
  const input = file === '-' ? process.stdin : createReadStream(file);
  try {
    for await (const line of createInterface({ input, crlfDelay: Infinity })) ledger.line(line);
  } catch (error) {
    throw new CommandFailed(`${file}: ${whyUnreadable(error)}`);
  }
}

/** The submissions that have a queued delivery. */
async function idsIn(context: CommandContext): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  await withStore({}, context, async ({ leases }) => {
    for await (const { kept } of leases.list()) ids.add(submissionOf(kept.id));
  });
  return ids;
}
