import { colour, type Style } from '@form-relay/base/terminal';
import type { SpokenWords } from '@form-relay/learning/train';
import { keepInWords } from '@form-relay/queue/store_status';
import { printable as printableLine } from '@form-relay/yaml/problem';
import type { CheckReport, MailReport, OutputReport, SubmissionReport } from './report.ts';
import type { Shown } from './shown.ts';

/** A report with the words that a model weighed most. */
interface SpokenReport extends SubmissionReport {
  readonly words?: SpokenWords;
}

/** Formats a submission's report for a terminal. `confirmed`: the report after a click on the link. */
export const showReport = (
  report: SpokenReport,
  stream: NodeJS.WriteStream,
  confirmed?: SubmissionReport,
): string => new ReportText(stream).whole(report, confirmed);

class ReportText {
  readonly #paint: (style: Style, text: string) => string;

  constructor(stream: NodeJS.WriteStream) {
    this.#paint = (style, text) => colour(style, text, stream);
  }

  whole(report: SpokenReport, confirmed: SubmissionReport | undefined): string {
    const { form, values, page, ignored, checks, words, keep, notes } = report;
    return [
      `${this.#paint('bold', printable(form))}: ${this.#ending(report)}`,
      values.length > 0 ? this.#heading('submitted') : '',
      ...values.flatMap(([name, all]) =>
        all.map((value) => indent(`${printable(name)}=${printable(value).replaceAll('\n', '\n\t')}`)),
      ),
      ...ignored.map(
        (name) => `  ${this.#paint('yellow', 'ignored')}: the form has no field "${printable(name)}"\n`,
      ),
      page ? `${this.#heading('page')}  ${printable(inWords(page))}\n` : '',
      checks.length > 0 ? this.#heading('checks') : '',
      ...checks.map((check) => this.#check(check)),
      ...(words
        ? [this.#words('points towards spam', words.spam), this.#words('points towards a person', words.ham)]
        : []),
      this.#deliveries(report),
      confirmed
        ? `${this.#heading('once the link is clicked')}  ${this.#ending(confirmed)}${this.#deliveries(confirmed)}`
        : '',
      keep
        ? `${this.#heading(`keep: ${keep.what}`)}  ${printable(keepInWords({ what: keep.what, where: { ...keep, in: { name: keep.in } } }, 'would be'))}\n`
        : '',
      notes.length > 0 ? this.#heading('notes') : '',
      ...notes.map((note) => `  ${note}\n`),
      `\n${this.#paint('dim', 'Nothing was sent.')}\n`,
    ].join('');
  }

  #heading(text: string): string {
    return `\n${this.#paint('bold', text)}\n`;
  }

  #ending({ outcome, says, outputs, answer }: SubmissionReport): string {
    const has = (wanted: OutputReport['result']) => outputs.some(({ result }) => result === wanted);
    const word = has('kept') && !has('delivered') ? 'would be queued' : endings[outcome];
    const words = `${word ?? outcome.replaceAll('_', ' ')}: ${printable(says)}`;
    const style = outcome === 'delivered' || outcome === 'held' ? 'green' : 'red';
    return `${this.#paint(style, words)} (${answer.status})\n`;
  }

  #check({ check, verdict, says, signals = [], silent = [] }: CheckReport): string {
    const word = verdict.replace('_', ' ').padEnd(12);
    const style = verdict === 'passed' ? 'green' : verdict === 'ended' ? 'red' : 'dim';
    return [
      `${`  ${check.padEnd(11)} ${this.#paint(style, word)}${printable(says)}`.trimEnd()}\n`,
      ...signals.map(({ signal, points, why }) => signalLine(String(points), signal, printable(why))),
      ...silent.map(({ signal, why }) =>
        signalLine('-', signal, this.#paint('dim', `not evaluated: ${printable(why)}`)),
      ),
    ].join('');
  }

  #words(title: string, words: readonly string[]): string {
    return words.length > 0 ? `${this.#heading(title)}  ${printable(words.join(', '))}\n` : '';
  }

  #deliveries({ outputs, mails }: SubmissionReport): string {
    return [
      ...outputs.map((output) => {
        const { index, type, target, onError, warnings, sent } = output;
        const title = `outputs[${index}]: ${type}${target && ` to ${target}`} (on_error: ${onError})`;
        const warned = warnings.map((warning) => `  ${this.#paint('yellow', 'warning')}: ${warning}\n`);
        return this.#delivery(title, this.#outputResult(output), sent, warned);
      }),
      ...mails.map((mail) => {
        const { key, target, sent } = mail;
        return this.#delivery(`${key}${target && ` through ${target}`}`, this.#mailResult(mail), sent);
      }),
    ].join('');
  }

  #delivery(title: string, result: string, sent: readonly Shown[], warned: readonly string[] = []): string {
    const messages = sent.map((one) => `\n${indent(showSent(one))}`);
    return [this.#heading(title), `  ${result}\n`, ...warned, ...messages].join('');
  }

  #outputResult({ result, reason = '', isKept }: OutputReport): string {
    const paint = this.#paint;
    if (isKept && result === 'delivered')
      return paint('green', 'would be queued, and delivered after the answer');
    if (result === 'kept')
      return `${paint('yellow', 'would fail')}: ${reason}; ${paint('yellow', 'would be queued')}, and retried`;
    if (result === 'delivered') return paint('green', 'would be delivered');
    if (result === 'skipped') return `${paint('dim', 'would be skipped')}, since ${printable(reason)}`;
    return `${paint('red', 'would fail')}: ${reason}`;
  }

  #mailResult({ result, reason = '' }: MailReport): string {
    if (result === 'sent') return this.#paint('green', 'would be sent');
    if (result === 'withheld') return `${this.#paint('dim', 'would not be sent')}: ${reason}`;
    return `${this.#paint('red', 'would fail')}: ${reason}`;
  }
}

const signalLine = (points: string, signal: string, words: string) =>
  `${''.padEnd(26)}${points.padStart(4)}  ${signal.padEnd(14)}${words}\n`;

const inWords = ({ url, title }: NonNullable<SubmissionReport['page']>) =>
  url === '' ? 'unknown' : `${url}${title && ` "${title}"`}`;

/** Says “would be”, because nothing was sent. */
const endings: Readonly<Record<string, string>> = {
  delivered: 'would be delivered',
  undelivered: 'would fail',
  dropped: 'would be dropped',
  held: 'would be held back',
};

/** Formats a sent message for a terminal. */
export function showSent(sent: Shown): string {
  if (sent.kind === 'http') return printable(sent.bytes);
  if (sent.kind === 'entry') return printable(sent.text);
  const { server, envelope, source, text, subject, html, attachments } = sent;
  const way = printable(`${server}: from ${envelope.from} to ${envelope.to.join(', ')}`);
  const readable = printable(text.trimEnd());
  if (html !== undefined) {
    const notes = [
      'The mail also has an HTML version: see relay dev.',
      ...(attachments.length > 0 ? [`Attached: ${printable(attachments.join(', '))}`] : []),
    ];
    return [way, '', printable(headOf(sent)), '', readable, '', ...notes].join('\n');
  }
  // If the source itself is readable, it already shows subject and text.
  const isReadable =
    source.includes(text.trimEnd().replaceAll('\n', '\r\n')) || source.includes(text.trimEnd());
  return [
    way,
    ...(isReadable ? [] : [`Subject: ${printable(subject)}`, '', readable]),
    '',
    printable(source.trimEnd()),
  ].join('\n');
}

/** A mail's headers before encoding, except those that describe its MIME structure. */
function headOf({
  from,
  to,
  cc,
  replyTo,
  subject,
  headers,
  source,
}: Extract<Shown, { kind: 'mail' }>): string {
  const known = [
    `From: ${from}`,
    `To: ${to.join(', ')}`,
    ...(cc.length > 0 ? [`Cc: ${cc.join(', ')}`] : []),
    ...(replyTo === undefined ? [] : [`Reply-To: ${replyTo}`]),
    `Subject: ${subject}`,
  ];
  const [, head = ''] = /^(From: .*?)\r\n\r\n/ms.exec(source) ?? [];
  const others = head
    .split(/\r\n(?![ \t])/)
    .filter((line) => !/^(from|to|cc|reply-to|subject|mime-version|content-[\w-]+):/i.test(line))
    .filter((line) => !headers.some(([name]) => line.startsWith(`${name}:`)));
  return [...known, ...others, ...headers.map(([name, value]) => `${name}: ${value}`)].join('\n');
}

export const indent = (text: string) =>
  text
    .split('\n')
    .map((line) => (line === '' ? '\n' : `  ${line}\n`))
    .join('');

/** Cleans multi-line text, but keeps tabs. */
const printable = (text: string) =>
  text.replaceAll('\r\n', '\n').replaceAll(/[^\n\t]+/g, (part) => printableLine(part));
