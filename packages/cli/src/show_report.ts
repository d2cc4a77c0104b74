import { printable } from '@form-relay/relay/config';
import { type Counts, type FormReport, type Listed, type SignalReport, sum } from './rules/report.ts';
import { colour, count } from './terminal.ts';

/** The report in words, a part for each form. */
export const showReport = (forms: readonly FormReport[], stream: NodeJS.WriteStream): string =>
  forms.length === 0
    ? 'there is nothing to look at\n'
    : `${forms.map((form) => partOf(form, stream)).join('\n')}`;

function partOf(report: FormReport, stream: NodeJS.WriteStream): string {
  const { form, submissions, actions, signals, hurt, missed, open } = report;
  const { spam, ham } = submissions;
  const marked = spam + ham === 0 ? 'none of them marked' : `${spam} marked as spam, ${ham} as ham`;
  return lines(
    `${colour('bold', printable(form), stream)}: ${count(sum(submissions), 'submission')}, ${marked}`,
    report.hasDoubt ? [] : '  it has no `spam.doubt`: these are the default signals, and tag',
    '',
    table([
      ['doubt', 'points', 'reach it', 'spam', 'ham', 'unmarked'],
      ...actions.map((one) => [one.action, `${one.from}`, `${sum(one)}`, ...counts(one)]),
    ]),
    shares(report),
    '',
    table([['signal', 'weight', 'against', 'spam', 'ham', 'unmarked', 'decides'], ...signals.map(rowOf)]),
    signals.flatMap(silence),
    list('marked as ham, and doubted: whom these rules would hurt', hurt),
    list('marked as spam, and not doubted', missed),
    list('doubted, and not marked yet', open),
    open.all > 0
      ? '  Look at one with relay archive show ID --from ARCHIVE, then say what it is: relay rules mark ID spam|ham --archive ARCHIVE'
      : [],
  );
}

const lines = (...all: readonly (string | readonly string[])[]): string =>
  all
    .flat()
    .map((line) => `${line}\n`)
    .join('');

const counts = ({ spam, ham, unmarked }: Counts) => [`${spam}`, `${ham}`, `${unmarked}`];

const rowOf = ({ signal, weight, against, decides, isLeftOut }: SignalReport): readonly string[] =>
  isLeftOut
    ? [signal, `${weight}`, 'not asked']
    : [signal, `${weight}`, `${sum(against)}`, ...counts(against), `${sum(decides)}`];

const silence = ({ signal, silent, why }: SignalReport): readonly string[] =>
  silent === 0 ? [] : [`  ${signal} could not look at ${silent}: ${why}`];

/** Both need marks: without one there is nothing to divide by. */
function shares({ precision, recall }: FormReport): readonly string[] {
  const some = [
    precision === undefined
      ? []
      : `precision ${percent(precision)}: of those marked that are doubted, so many are spam`,
    recall === undefined ? [] : `recall ${percent(recall)}: of those marked as spam, so many are doubted`,
  ].flat();
  return some.map((line) => `  ${line}`);
}

const percent = (share: number) => `${Math.round(share * 100)} %`;

/** How many of a list are shown. */
const mostShown = 10;

function list(title: string, { all, first }: Listed): readonly string[] {
  if (all === 0) return [];
  const shown = first.slice(0, mostShown);
  return [
    '',
    `  ${all} ${title}`,
    ...shown.map(({ received_at, id, score, signals, similar }) => {
      const why = Object.entries(signals).map(([signal, points]) => `${signal} ${points}`);
      if (similar) why.push(`like ${similar.count} earlier since ${similar.since.slice(0, 19)}Z`);
      return `    ${received_at}  ${printable(id)}  ${score}${why.length > 0 ? ` (${why.join(', ')})` : ''}`;
    }),
    ...(all > shown.length ? [`    and ${all - shown.length} more`] : []),
  ];
}

/** Names to the left, numbers to the right. */
function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows.map((row) =>
    `  ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  ')}`.trimEnd(),
  );
}
