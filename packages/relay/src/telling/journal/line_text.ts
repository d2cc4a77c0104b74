import type { JournalDelivery, JournalLine } from '../../base/journal_line.ts';

/** The line as `JSON.stringify` writes it. A delivered submission without more to tell, as most are, is written faster. */
export function lineText(line: JournalLine): string {
  if (line.kind !== 'submission') return byItself(line);
  const { at, id, form, result, ms, deliveries, by, reason, doubt, restored, confirmed_at } = line;
  const isMore = (by ?? reason ?? doubt ?? restored ?? confirmed_at) !== undefined;
  if (isMore || !deliveries || !Number.isFinite(ms)) return byItself(line);
  let written = '';
  for (const one of deliveries) {
    const text = deliveryText(one);
    if (text === undefined) return byItself(line);
    written += written === '' ? text : `,${text}`;
  }
  return `{"kind":"submission","at":"${at}","id":${quoted(id)},"form":${quoted(form)},"result":"${result}","ms":${ms},"deliveries":[${written}]}\n`;
}

/** `undefined` if it has more to tell. */
function deliveryText({ output, type, result, attempts, ms, reason }: JournalDelivery): string | undefined {
  if (reason !== undefined || !Number.isFinite(attempts) || !Number.isFinite(ms)) return undefined;
  return `{"output":${output},"type":${quoted(type)},"result":"${result}","attempts":${attempts},"ms":${ms}}`;
}

const byItself = (line: JournalLine) => `${JSON.stringify(line)}\n`;

const quoted = (text: string) => (/^[\w.:-]*$/.test(text) ? `"${text}"` : JSON.stringify(text));
