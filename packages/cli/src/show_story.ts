import { printable as printableLine } from '@form-relay/relay/config/excerpt';
import { keepInWords, waitInWords } from '@form-relay/relay/dry_run/keep_words';
import type { CheckStory } from '@form-relay/relay/telling/check_story';
import type { OutputStory } from '@form-relay/relay/telling/output_story';
import type { MailStory, Story } from '@form-relay/relay/telling/story';
import type { Shown } from '@form-relay/relay/transports/transport';
import { colour, type Style } from './terminal.ts';

/** A submission's story for a terminal. `confirmed`: how it goes on once the link is clicked that holds it. */
export function showStory(story: Story, stream: NodeJS.WriteStream, confirmed?: Story): string {
  const { form, answer, values, page, ignored, checks, outputs, mails, keep, notes } = story;
  const paint = (style: Style, text: string) => colour(style, text, stream);
  const endingOf = ({ outcome, says, outputs }: Story) => {
    const has = (wanted: OutputStory['result']) => outputs.some(({ result }) => result === wanted);
    const word = has('kept') && !has('delivered') ? 'would be kept' : endings[outcome];
    const words = `${word ?? outcome.replaceAll('_', ' ')}: ${printable(says)}`;
    return paint(outcome === 'delivered' || outcome === 'held' ? 'green' : 'red', words);
  };
  const heading = (text: string) => `\n${paint('bold', text)}\n`;

  const showCheck = ({ check, verdict, says, signals = [], silent = [] }: CheckStory) => {
    const word = verdict.replace('_', ' ').padEnd(12);
    const style = verdict === 'passed' ? 'green' : verdict === 'ended' ? 'red' : 'dim';
    return [
      `${`  ${check.padEnd(12)}${paint(style, word)}${printable(says)}`.trimEnd()}\n`,
      ...signals.map(({ signal, points, why }) => signalLine(String(points), signal, printable(why))),
      ...silent.map(({ signal, why }) =>
        signalLine('-', signal, paint('dim', `says nothing: ${printable(why)}`)),
      ),
    ].join('');
  };
  const signalLine = (points: string, signal: string, words: string) =>
    `${''.padEnd(26)}${points.padStart(4)}  ${signal.padEnd(14)}${words}\n`;
  const showResult = ({ result, reason = '', kept }: OutputStory) => {
    if (kept && result === 'delivered')
      return paint('green', 'would be kept, and delivered after the answer');
    if (kept && result === 'kept') {
      const why = reason === '' ? '' : `${paint('yellow', 'would fail')}: ${reason}; `;
      return `${why}${paint('yellow', 'would be kept')}, ${waitInWords(kept)}`;
    }
    if (result === 'delivered') return paint('green', 'would be delivered');
    if (result === 'skipped') return `${paint('dim', 'would be skipped')}, since ${printable(reason)}`;
    return `${paint('red', 'would fail')}: ${reason}`;
  };
  const showOutput = (output: OutputStory) => {
    const { index, type, target, onError, warnings, sent } = output;
    return [
      heading(`outputs[${index}]: ${type}${target && ` to ${target}`} (on_error: ${onError})`),
      `  ${showResult(output)}\n`,
      ...warnings.map((warning) => `  ${paint('yellow', 'warning')}: ${warning}\n`),
      ...sent.map((one) => `\n${indent(showSent(one))}`),
    ].join('');
  };

  const showMail = ({ key, target, result, reason = '', sent }: MailStory) => {
    const words = {
      sent: paint('green', 'would be sent'),
      withheld: `${paint('dim', 'would not be sent')}: ${reason}`,
      failed: `${paint('red', 'would fail')}: ${reason}`,
    };
    return [
      heading(`${key}${target && ` through ${target}`}`),
      `  ${words[result]}\n`,
      ...sent.map((one) => `\n${indent(showSent(one))}`),
    ].join('');
  };

  return [
    `${paint('bold', printable(form))}: ${endingOf(story)} (${answer.status})\n`,
    values.length > 0 ? heading('submitted') : '',
    ...values.flatMap(([name, all]) =>
      all.map((value) => indent(`${printable(name)}=${printable(value).replaceAll('\n', '\n\t')}`)),
    ),
    ...ignored.map(
      (name) => `  ${paint('yellow', 'ignored')}: the config does not know "${printable(name)}"\n`,
    ),
    page ? `${heading('page')}  ${printable(inWords(page))}\n` : '',
    checks.length > 0 ? heading('checks') : '',
    ...checks.map(showCheck),
    ...outputs.map(showOutput),
    ...mails.map(showMail),
    ...(confirmed
      ? [
          heading('once the link is clicked'),
          `  ${endingOf(confirmed)} (${confirmed.answer.status})\n`,
          ...confirmed.outputs.map(showOutput),
          ...confirmed.mails.map(showMail),
        ]
      : []),
    keep ? `${heading(`keep: ${keep.what}`)}  ${printable(keepInWords(keep, 'would be'))}\n` : '',
    notes.length > 0 ? heading('notes') : '',
    ...notes.map((note) => `  ${note}\n`),
    `\n${paint('dim', 'Nothing was sent.')}\n`,
  ].join('');
}

const inWords = ({ url, title }: NonNullable<Story['page']>) =>
  url === '' ? 'unknown' : `${url}${title && ` "${title}"`}`;

/** Nothing was sent, so nothing was delivered either. */
const endings: Readonly<Partial<Record<Story['outcome'], string>>> = {
  delivered: 'would be delivered',
  undelivered: 'would fail',
  dropped: 'would be dropped',
  held: 'would be held back',
};

/** What was sent, for a terminal. */
export function showSent(sent: Shown): string {
  if (sent.kind === 'http') return printable(sent.bytes);
  if (sent.kind === 'entry') return printable(sent.text);
  const { server, envelope, source, text, subject, html, attachments } = sent;
  const way = printable(`${server}: from ${envelope.from || 'nobody'} to ${envelope.to.join(', ')}`);
  const readable = printable(text.trimEnd());
  if (html !== undefined) {
    const notes = [
      'The mail also holds this as HTML: relay dev shows it.',
      ...(attachments.length > 0 ? [`Attached: ${printable(attachments.join(', '))}`] : []),
    ];
    return [way, '', printable(headOf(sent)), '', readable, '', ...notes].join('\n');
  }
  // A source that people can read already shows subject and text.
  const isReadable =
    source.includes(text.trimEnd().replaceAll('\n', '\r\n')) || source.includes(text.trimEnd());
  return [
    way,
    ...(isReadable ? [] : [`Subject: ${printable(subject)}`, '', readable]),
    '',
    printable(source.trimEnd()),
  ].join('\n');
}

/** A mail's headers before any encoding, but for those that say how its parts are put together. */
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

/** Text of several lines, with its tabs. */
const printable = (text: string) =>
  text.replaceAll('\r\n', '\n').replaceAll(/[^\n\t]+/g, (part) => printableLine(part));
