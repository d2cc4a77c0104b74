import { hideSecrets } from './hide_secrets.ts';
import { mask, maskLine, soundFinder } from './mask.ts';
import { readDocument } from './yaml/document.ts';

/** A config, or a part of its comments, with all of its secrets masked. Keeps its length. */
export function maskText(text: string): string {
  const read = readDocument(text);
  const shown = read.ok ? hideComments(hideSecrets(text, read.value)) : hideFromSecretOn(text);
  return shown.replaceAll(/[^\r\n]+/g, maskLine);
}

/** Masks comments below the key of a secret, which may hold another one. */
function hideComments(text: string): string {
  const holdsSecret = secretKeyFinder();
  let column = Infinity;
  return text.replaceAll(/[^\r\n]+/g, (line) => {
    const indent = line.search(/[^\s-]|-(?! )/);
    const isComment = line[indent] === '#';
    if (indent >= 0 && indent <= column && !isComment) column = holdsSecret(line) ? indent : Infinity;
    return indent > column ? line.replace(/(?<!\S)#.*/, mask) : line;
  });
}

/** In a comment that is not YAML, nothing tells where a secret ends: masks all below the first key of one. */
function hideFromSecretOn(text: string): string {
  const holdsSecret = secretKeyFinder();
  let isBelow = false;
  return text.replaceAll(/[^\r\n]+/g, (line) => {
    if (isBelow) return line.replace(/\S.*/, mask);
    isBelow = holdsSecret(line);
    return line;
  });
}

function secretKeyFinder(): (line: string) => boolean {
  const soundOf = soundFinder();
  return (line) =>
    [...line.matchAll(/(?<![\w-])([\w-]{1,64})["']?\s*:/g)].some(
      ([, key = '']) => soundOf(key) !== undefined,
    );
}
