/** Cleans file names, for file systems and for people. */

const mostBytes = 200;

/** A longer extension is probably the rest of a sentence. */
const longestEnding = 20;

/**
 * Makes a name safe: NFC, without a path, controls, bidirectional marks and names that Windows reserves; at
 * most 200 bytes, including the extension.
 *
 * @param ending The ending if nothing else is left.
 */
export function cleanName(sent: string, ending?: string): string {
  // A lone surrogate cannot be encoded; the round trip replaces it.
  const whole = Buffer.from(sent).toString().normalize('NFC');
  const name = trimmed(whole.slice(Math.max(whole.lastIndexOf('/'), whole.lastIndexOf('\\')) + 1))
    .replaceAll(unwanted, '')
    // A removed character may have separated an accent from its letter.
    .normalize('NFC');
  const safe = trimmed(name);
  if (safe === '') return ending === undefined ? 'file' : `file.${ending}`;
  return cut(reserved.test(safe) ? `_${safe}` : safe);
}

// Controls, bidirectional marks, zero-width characters except joiners, and characters that Windows reserves.
const unwanted =
  /[\0-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb<>:"/\\|?*]/g;

/** Trims blanks and dots in one pass, because a name may have thousands. */
function trimmed(name: string): string {
  let from = 0;
  let to = name.length;
  while (from < to && isBlankOrDot(name[from])) from += 1;
  while (to > from && isBlankOrDot(name[to - 1])) to -= 1;
  return name.slice(from, to);
}

const isBlankOrDot = (character = '') => character === '.' || character.trim() === '';

/** Windows devices, with any ending. */
const reserved = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9\u00b9\u00b2\u00b3])\s*(\.|$)/i;

/** The text after the last dot, in lower case, or empty text. */
export function endingOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot < 1 ? '' : name.slice(dot + 1).toLowerCase();
}

export const withEnding = (name: string, ending: string): string => {
  const own = endingOf(name);
  return cut(`${own === '' ? name : name.slice(0, -own.length - 1)}.${ending}`);
};

/** Numbers a repeated name: `cv (2).pdf`. Adds the name to `used`. */
export function distinctName(name: string, used: Set<string>): string {
  const [stem, ending] = split(name);
  for (let n = 1; ; n += 1) {
    const one = n === 1 ? name : cut(`${stem} (${n})${ending}`, ` (${n})${ending}`);
    // Most file systems ignore case.
    const folded = one.toLowerCase().normalize('NFC');
    if (used.has(folded)) continue;
    used.add(folded);
    return one;
  }
}

function split(name: string): readonly [stem: string, ending: string] {
  const dot = name.lastIndexOf('.');
  const isEnding = dot > 0 && Buffer.byteLength(name.slice(dot)) <= longestEnding;
  return isEnding ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
}

function cut(name: string, tail = split(name)[1]): string {
  if (Buffer.byteLength(name) <= mostBytes) return name;
  let room = mostBytes - Buffer.byteLength(tail);
  let stem = '';
  for (const character of name.slice(0, name.length - tail.length)) {
    room -= Buffer.byteLength(character);
    if (room < 0) break;
    stem += character;
  }
  return `${trimmed(stem)}${tail}`;
}
