import type { Marked } from '@form-relay/learning/marked';
import { CommandFailed } from '../command_failed.ts';
import { isSpamBy, type MessageFile, timeOf } from './message_file.ts';

/** What tables call their columns. */
const columns = {
  text: ['text', 'message', 'body', 'content', 'comment'],
  label: ['label', 'spam', 'is_spam', 'class', 'category', 'verdict'],
  at: ['at', 'date', 'time', 'timestamp', 'received', 'received_at', 'created_at'],
  id: ['id'],
};

/** Messages in the rows of a table whose first row names its columns. Commas, semicolons or tabs separate them. */
export async function markedRows(text: string, file: MessageFile): Promise<readonly Marked[]> {
  const { name, areSpam, now, tell } = file;
  const { default: papaparse } = await import('papaparse');
  const { data } = papaparse.parse<readonly string[]>(text, { skipEmptyLines: 'greedy' });
  const [head = [], ...rows] = data;
  const names = head.map((one) => one.trim().toLowerCase().replaceAll(/[ -]/g, '_'));
  const placeOf = (kind: keyof typeof columns) =>
    columns[kind].map((one) => names.indexOf(one)).find((place) => place >= 0) ?? -1;
  const [textAt, labelAt, atAt, idAt] = [placeOf('text'), placeOf('label'), placeOf('at'), placeOf('id')];
  if (textAt < 0) throw new CommandFailed(`${name}: ${lacking('text')}`);
  if (labelAt < 0 && areSpam === undefined) throw new CommandFailed(`${name}: ${lacking('label')}`);
  return rows.flatMap((row, index): readonly Marked[] => {
    const place = `row ${index + 2}`;
    const isSpam = areSpam ?? isSpamBy(row[labelAt]);
    const written = row[textAt] ?? '';
    if (isSpam !== undefined && written.trim() !== '')
      return [{ id: row[idAt] || `${name}, ${place}`, texts: [written], isSpam, at: timeOf(row[atAt], now) }];
    tell(place, isSpam === undefined ? 'has no label that is known' : 'has no text');
    return [];
  });
}

const lacking = (kind: 'text' | 'label') =>
  `its first row has no column named ${columns[kind].slice(0, -1).join(', ')} or ${columns[kind].at(-1)}`;
