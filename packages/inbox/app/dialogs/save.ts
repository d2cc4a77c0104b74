/** A download that shows how far it is, as a file that the browser saves. */
import { asked } from '../ask.ts';

interface Saving {
  readonly name: string;
  readonly stop: AbortSignal;
  /** @param of Unknown if the server does not say. */
  readonly on: (entries: number, of: number | undefined) => void;
}

/** The browser can move whole blobs to its disk. */
const blobBytes = 8_000_000;

export async function save(path: string, options: RequestInit, { name, stop, on }: Saving): Promise<void> {
  const answer = await asked(path, { ...options, signal: stop });
  const said = answer.headers.get('x-entries');
  const of = said === null ? undefined : Number(said);
  const type = answer.headers.get('content-type') ?? '';
  const blobs: Blob[] = [];
  let pieces: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  const rows = rowCounter(type.startsWith('text/csv'));
  const reader = answer.body?.getReader();
  for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
    pieces.push(piece.value);
    size += piece.value.length;
    on(rows(piece.value), of);
    if (size < blobBytes) continue;
    blobs.push(new Blob(pieces));
    [pieces, size] = [[], 0];
  }
  const address = URL.createObjectURL(new Blob([...blobs, ...pieces], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
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
