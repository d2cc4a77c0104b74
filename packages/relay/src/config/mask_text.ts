import { hideBroken } from './hide_broken.ts';
import { hideSecrets } from './hide_secrets.ts';
import { mask, maskLine, soundFinder } from './mask.ts';
import { readDocument } from './yaml/document.ts';

/** A config with all of its secrets masked, whether it is YAML or not. Keeps its length. */
export function maskText(text: string): string {
  const read = readDocument(text);
  const shown = read.ok ? hideComments(hideSecrets(text, read.value)) : hideBroken(text);
  return shown.replaceAll(/[^\r\n]+/g, maskLine);
}

/** Masks comments below the key of a secret, which may hold another one. */
function hideComments(text: string): string {
  const soundOf = soundFinder();
  let column = Infinity;
  return text.replaceAll(/[^\r\n]+/g, (line) => {
    const indent = line.search(/[^\s-]|-(?! )/);
    const isComment = line[indent] === '#';
    if (indent >= 0 && indent <= column && !isComment) column = holdsSecret(line) ? indent : Infinity;
    return indent > column ? line.replace(/(?<!\S)#.*/, mask) : line;
  });

  function holdsSecret(line: string): boolean {
    const keys = line.matchAll(/(?<![\w-])([\w-]{1,64})["']?\s*:/g);
    return [...keys].some(([, key = '']) => soundOf(key) !== undefined);
  }
}
