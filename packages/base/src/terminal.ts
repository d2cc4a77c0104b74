/** Text as commands show it in a terminal. */
import { once } from 'node:events';
import { styleText } from 'node:util';

/** A single style: with several, Node 20 does not check whether the stream is a terminal. */
export type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow';

/** Styles the text if the stream is a terminal that supports it; respects NO_COLOR and FORCE_COLOR. */
export const colour = (style: Style, text: string, stream: NodeJS.WriteStream): string =>
  styleText(style, text, { stream });

/** `1 warning`, `2 warnings`. */
export const count = (number: number, what: string, several = `${what}s`): string =>
  `${number} ${number === 1 ? what : several}`;

/** Quotes a word for a shell, if necessary. */
export const quoted = (word: string): string =>
  /^[\w.@/:%-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** How many characters are written at once. */
const pieceLength = 65_536;

/** Writes a text that comes in pieces, no faster than the reader reads it. */
export async function writeOut(texts: AsyncIterable<string>): Promise<void> {
  let piece = '';
  for await (const text of texts) {
    piece += text;
    if (piece.length < pieceLength) continue;
    await write(piece);
    piece = '';
  }
  await write(piece);
}

async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}
