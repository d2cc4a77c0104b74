import { openSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { dirname } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { maxConfigBytes, ownersText, type ReadText } from '@form-relay/base/owners_text';
import { err, ok } from '@form-relay/base/result';
import { readTextFile, tooLarge, whyUnreadable, withoutWaiting } from '@form-relay/base/text_file';
import { type ConfigSource, siblingPath } from '@form-relay/config/source';
import type { ReadText as ReadSibling } from '@form-relay/yaml/siblings';

/** Somebody may have to type a password first. */
const pipePatienceMs = 30_000;

/**
 * The text of a config for a command that reads it once: of a file as it stands, or of a pipe, such as bash's
 * `<(command)` or /dev/stdin. `relay serve` reads its config again and again, so it takes no pipe.
 */
export async function readConfig(path: string, patienceMs = pipePatienceMs): Promise<ReadText> {
  const isPipe = await stat(path).then(
    (stats) => stats.isFIFO(),
    () => false,
  );
  if (isPipe) return readPipe(path, patienceMs);
  const file = await readTextFile(path);
  return file.ok ? ok(file.value.text) : file;
}

/** The file of a config, read once: a command may ask again for what a pipe gave. */
export function fileOnce(
  path: string,
): Omit<ConfigSource, 'read'> & { readonly read: () => Promise<ReadText> } {
  let text: Promise<ReadText> | undefined;
  return {
    name: path,
    pluginFolder: dirname(path),
    read: () => {
      text ??= readConfig(path);
      return text;
    },
    readSibling: besideFile(path),
  };
}

/** Reads what a config names, from where its file is. */
export const besideFile =
  (config: string): ReadSibling =>
  async (path) => {
    const file = await readTextFile(siblingPath(config, path));
    return file.ok ? ok(file.value.text) : file;
  };

/** Through a socket, which waits without a thread: a command can end though nobody writes to the pipe. */
async function readPipe(path: string, patienceMs: number): Promise<ReadText> {
  const late = AbortSignal.timeout(patienceMs);
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    const pipe = new Socket({ fd: openSync(path, withoutWaiting), readable: true, writable: false });
    for await (const piece of addAbortSignal(late, pipe)) {
      pieces.push(piece);
      size += piece.length;
      if (size > maxConfigBytes) return tooLarge;
    }
  } catch (error) {
    return err(late.aborted ? `this pipe did not end within ${patienceMs / 1_000} s` : whyUnreadable(error));
  }
  return ownersText(Buffer.concat(pieces));
}
