import type { Marked } from '@form-relay/learning/marked';
import { CommandFailed } from '../command_failed.ts';
import { isSpamBy, type MessageFile, namesOf, timeOf } from './message_file.ts';

/** Messages in the rows of a table whose first row names its columns. Commas, semicolons or tabs separate them. */
export async function markedRows(text: string, file: MessageFile): Promise<readonly Marked[]> {
  const { name, areSpam, now, tell } = file;
  const { default: papaparse } = await import('papaparse');
  const { data } = papaparse.parse<readonly string[]>(text, { skipEmptyLines: 'greedy' });
  const [head = [], ...rows] = data;
  const names = head.map((one) => one.trim().toLowerCase().replaceAll(/[ -]/g, '_'));
  const placeOf = (kind: keyof typeof namesOf) =>
    namesOf[kind].map((one) => names.indexOf(one)).find((place) => place >= 0) ?? -1;
  const [textAt, labelAt, atAt, idAt] = [placeOf('text'), placeOf('label'), placeOf('at'), placeOf('id')];
  if (textAt < 0) throw new CommandFailed(`${name}: ${lacking('text')}`);
  if (labelAt < 0 && areSpam === undefined) throw new CommandFailed(`${name}: ${lacking('label')}`);
  return rows.flatMap((row, index): readonly Marked[] => {
    const place = `row ${index + 2}`;
    const isSpam = areSpam ?? isSpamBy(row[labelAt]);
    const written = row[textAt] ?? '';
    if (isSpam !== undefined && written.trim() !== '')
      return [{ id: row[idAt] || `${name}, ${place}`, texts: [written], isSpam, at: timeOf(row[atAt], now) }];
    tell(place, isSpam === undefined ? 'has no known label' : 'has no text');
    return [];
  });
}

const lacking = (kind: 'text' | 'label') =>
  `its first row has no column named ${namesOf[kind].slice(0, -1).join(', ')} or ${namesOf[kind].at(-1)}`;
