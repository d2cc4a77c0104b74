/** A download that shows how far it is, as a file that the browser saves. */
import { asked } from '../ask.ts';
import { counted, number } from '../words.ts';

interface Saving {
  readonly name: string;
  readonly stop: AbortSignal;
  /** @param of Unknown if the server does not say. */
  readonly on: (entries: number, of: number | undefined) => void;
}

interface Saved {
  readonly rows: number;
  /** As the server said before. */
  readonly of: number | undefined;
}

/** The browser can move whole blobs to its disk. */
const blobBytes = 8_000_000;

/** Rejects if the download breaks off; nothing is saved then. */
export async function save(path: string, options: RequestInit, { name, stop, on }: Saving): Promise<Saved> {
  const answer = await asked(path, { ...options, signal: stop });
  const header = answer.headers.get('x-entries');
  const of = header === null ? undefined : Number(header);
  const type = answer.headers.get('content-type') ?? '';
  const blobs: Blob[] = [];
  let pieces: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  let rows = 0;
  const count = rowCounter(type.startsWith('text/csv'));
  const reader = answer.body?.getReader();
  try {
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
      pieces.push(piece.value);
      size += piece.value.length;
      rows = count(piece.value);
      on(rows, of);
      if (size < blobBytes) continue;
      blobs.push(new Blob(pieces));
      [pieces, size] = [[], 0];
    }
  } catch (error) {
    if (stop.aborted) throw error;
    const sum =
      of === undefined ? counted(rows, 'submission') : `${number(rows)} of ${counted(of, 'submission')}`;
    throw new Error(`The download broke off after ${sum}. Nothing was saved.`);
  }
  const address = URL.createObjectURL(new Blob([...blobs, ...pieces], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
  return { rows, of };
}

/** Lines so far. Those within quotes of CSV do not count, nor does its heading. */
function rowCounter(isCsv: boolean): (bytes: Uint8Array) => number {
  let [rows, isQuoted] = [isCsv ? -1 : 0, false];
  return (bytes) => {
    for (const byte of bytes) {
      if (isCsv && byte === 0x22) isQuoted = !isQuoted;
      else if (byte === 0x0a && !isQuoted) rows += 1;
    }
    return Math.max(0, rows);
  };
}
