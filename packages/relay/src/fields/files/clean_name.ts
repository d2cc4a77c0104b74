/** What systems take for names of files, and what names must not do to whoever reads them (D73). */

const mostBytes = 200;

/** Longer ones are no endings, but the rest of a sentence. */
const longestEnding = 20;

/**
 * A name that is safe anywhere, and reads as it is: NFC, without a path, controls, marks that turn the direction of
 * writing, and what Windows reserves; at most 200 bytes, its ending kept.
 * @param ending What the name ends with if nothing else is left of it.
 */
export function cleanName(sent: string, ending?: string): string {
  // Half a pair of surrogates has no bytes.
  const whole = Buffer.from(sent).toString().normalize('NFC');
  const name = trimmed(whole.slice(Math.max(whole.lastIndexOf('/'), whole.lastIndexOf('\\')) + 1))
    .replaceAll(unwanted, '')
    // What was left out may have kept an accent from its letter.
    .normalize('NFC');
  const safe = trimmed(name);
  if (safe === '') return ending === undefined ? 'file' : `file.${ending}`;
  return cut(reserved.test(safe) ? `_${safe}` : safe);
}

// Controls; marks of direction; characters without width but those that join letters; what Windows keeps for itself.
const unwanted =
  /[\0-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb<>:"/\\|?*]/g;

/** Without blanks and dots around it. In one pass: a name may be thousands of blanks and a letter. */
function trimmed(name: string): string {
  let from = 0;
  let to = name.length;
  while (from < to && isBlankOrDot(name[from])) from += 1;
  while (to > from && isBlankOrDot(name[to - 1])) to -= 1;
  return name.slice(from, to);
}

const isBlankOrDot = (character = '') => character === '.' || character.trim() === '';

/** Devices of Windows, whatever comes after a dot. */
const reserved = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9\u00b9\u00b2\u00b3])\s*(\.|$)/i;

/** What follows the last dot, in lower case; empty where nothing does. */
export function endingOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot < 1 ? '' : name.slice(dot + 1).toLowerCase();
}

/** Replaces the ending, or adds one. */
export const withEnding = (name: string, ending: string): string => {
  const own = endingOf(name);
  return cut(`${own === '' ? name : name.slice(0, -own.length - 1)}.${ending}`);
};

/** Adds a number if another file has the same name: `cv (2).pdf`. Remembers the names it gives. */
export function distinctName(name: string, used: Set<string>): string {
  const [stem, ending] = split(name);
  for (let n = 1; ; n += 1) {
    const one = n === 1 ? name : cut(`${stem} (${n})${ending}`, ` (${n})${ending}`);
    // Most systems ignore case.
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
