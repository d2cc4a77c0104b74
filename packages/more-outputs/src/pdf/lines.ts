/** Breaks a text into lines, and a line into runs as they stand on paper, from left to right. */
/// <reference path="./libraries.d.ts" />

import { isolates, rightToLeft } from '@form-relay/core/kit';
import { type Cast, cast, type Face } from './fonts.ts';
import pdfkit from './pdfkit.ts';

const bidi = pdfkit.bidiFactory();

/** Part of a line in one font and direction, as fontkit wants it: from right to left in the order of reading. */
export interface Run {
  readonly face: Face;
  readonly text: string;
}

export interface Line {
  readonly runs: readonly Run[];
  /** Whether it holds what runs from right to left. */
  readonly isMixed: boolean;
}

type Measure = (text: string, face: Face) => number;

export type YieldToEventLoop = () => Promise<void> | undefined;

const withoutIsolates = (text: string): string => text.replaceAll(isolates, '');

export interface Paragraph {
  readonly text: string;
  readonly faces: readonly Face[];
  /** `auto`: as its first letter. */
  readonly base: 'ltr' | 'rtl' | 'auto';
  readonly width: number;
  readonly measure: Measure;
  readonly yieldToEventLoop: YieldToEventLoop;
  /** Hears of characters that no font has. */
  readonly missed: (characters: number) => void;
}

/** The lines of a text without line breaks. They are broken in the order of reading, and then reordered (UAX 9, 3.4). */
export async function linesOf(paragraph: Paragraph): Promise<readonly Line[]> {
  const { faces, base, missed } = paragraph;
  const isMixed = base === 'rtl' || rightToLeft.test(paragraph.text);
  const whole = cast(isMixed ? paragraph.text : withoutIsolates(paragraph.text), faces);
  missed(whole.missing);
  const { text } = whole;
  const ends = await breaks(whole, paragraph);
  const levels = isMixed ? bidi.getEmbeddingLevels(text, base) : undefined;
  let start = 0;
  const lines: Line[] = [];
  for (const end of ends) {
    lines.push({
      runs: levels
        ? inVisualOrder(whole, levels, faces, start, end)
        : [...inFaces(whole, start, end)].map(({ text, at }) => ({ text, face: faces[at] as Face })),
      isMixed,
    });
    start = end;
    await paragraph.yieldToEventLoop();
  }
  return lines;
}

const words = new Intl.Segmenter('en', { granularity: 'word' });
const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** After these, a line may end, though no space follows: hyphens, slashes, and what closes in Chinese and Japanese. */
const breaksAfter = /[-\u2010\u2013\u2014/?&、。，．：；！？）］｝〉》」』】〕…]$/;
/** These do not begin a line. */
const staysBehind =
  /^[\s.,:;!?)\]}%'"’”»、。，．：；！？）］｝〉》」』】〕…ーぁぃぅぇぉっゃゅょァィゥェォッャュョ々]/;

async function breaks(
  { text, faces: at }: Cast,
  { faces, width, measure, yieldToEventLoop }: Paragraph,
): Promise<readonly number[]> {
  const cached = { text, faces: at, missing: 0 };
  const widthOf = (start: number, end: number) => {
    let sum = 0;
    for (const run of inFaces(cached, start, end))
      sum += measure(withoutIsolates(run.text), faces[run.at] as Face);
    return sum;
  };
  const ends: number[] = [];
  /** Where the line begins, what has room on it for sure, and how wide that is. */
  let lineStart = 0;
  let fits = 0;
  let used = 0;
  /** What cannot be parted from what follows. */
  let heldWidth = 0;
  let before: { readonly segment: string; readonly isWordLike: boolean } | undefined;
  const endLine = (end: number) => {
    ends.push(end);
    lineStart = end;
    fits = end;
    used = 0;
  };
  /** A word that is wider than a line is broken where the line is full. */
  const breakWord = (start: number, end: number) => {
    let sum = used;
    for (const { segment, index } of characters.segment(text.slice(start, end))) {
      const wide = widthOf(start + index, start + index + segment.length);
      if (sum + wide > width && start + index > lineStart) {
        endLine(start + index);
        sum = 0;
      }
      sum += wide;
    }
    fits = end;
    used = sum;
  };
  const hold = (end: number) => {
    const room = width - used;
    if (heldWidth <= room) {
      fits = end;
      used += heldWidth;
    } else {
      const start = fits;
      if (fits > lineStart) endLine(fits);
      if (heldWidth <= width) {
        fits = end;
        used = heldWidth;
      } else breakWord(start, end);
    }
    heldWidth = 0;
  };
  for (const { segment, index, isWordLike = false } of words.segment(text)) {
    const isSpace = segment.trim() === '' && !segment.includes('\u00a0');
    if (before && mayBreak(before, segment, isWordLike) && !isSpace) hold(index);
    before = { segment, isWordLike };
    // A space at the end of a line needs no room.
    if (isSpace) {
      hold(index);
      used += widthOf(index, index + segment.length);
      fits = index + segment.length;
    } else heldWidth += widthOf(index, index + segment.length);
    await yieldToEventLoop();
  }
  hold(text.length);
  if (lineStart < text.length || ends.length === 0) ends.push(text.length);
  return ends;
}

const mayBreak = (
  before: { readonly segment: string; readonly isWordLike: boolean },
  segment: string,
  isWordLike: boolean,
): boolean =>
  !staysBehind.test(segment) &&
  (/\s$/.test(before.segment) ||
    (before.isWordLike && isWordLike) ||
    breaksAfter.test(before.segment) ||
    /^[（［｛〈《「『【〔]/.test(segment));

function* inFaces({ text, faces }: Cast, start: number, end: number) {
  let from = start;
  for (let index = start + 1; index <= end; index += 1) {
    if (index < end && faces[index] === faces[from]) continue;
    yield { text: text.slice(from, index), at: faces[from] as number };
    from = index;
  }
}

type Levels = ReturnType<typeof bidi.getEmbeddingLevels>;

function inVisualOrder(
  { text, faces: at }: Cast,
  levels: Levels,
  faces: readonly Face[],
  start: number,
  lineEnd: number,
): readonly Run[] {
  // Space at the end of a line would stand before it.
  const end = start + text.slice(start, lineEnd).trimEnd().length;
  const order = Array.from({ length: end - start }, (_, index) => start + index);
  if (end > start) {
    for (const [from, to] of bidi.getReorderSegments(text, levels, start, end - 1)) {
      const reversed = order.slice(from - start, to - start + 1).reverse();
      order.splice(from - start, reversed.length, ...reversed);
    }
  }
  const mirrored = bidi.getMirroredCharactersMap(text, levels.levels, start, end - 1);
  const runs: Run[] = [];
  for (let from = 0; from < order.length; ) {
    const first = order[from] as number;
    let to = from + 1;
    while (to < order.length && isSameRun(first, order[to] as number, levels.levels, at)) to += 1;
    // Back in the order of reading.
    const indices = order.slice(from, to).sort((one, other) => one - other);
    const logical = withoutIsolates(indices.map((index) => mirrored.get(index) ?? text[index]).join(''));
    const face = faces[at[first] as number] as Face;
    const wanted = (levels.levels[first] as number) % 2 === 1 ? 'rtl' : 'ltr';
    const isTurned = laidOut(logical, wanted, face) !== wanted;
    runs.push({ face, text: isTurned ? [...logical].reverse().join('') : logical });
    from = to;
  }
  return runs;
}

/** Which way fontkit lays out a text: by its first letter of a script, for which it takes Persian digits, too. */
function laidOut(text: string, wanted: 'ltr' | 'rtl', { file }: Face): 'ltr' | 'rtl' {
  if (!file) return 'ltr';
  const isSure = wanted === 'rtl' ? /^[\u05d0-\u05ea\u0620-\u064a]/.test(text) : /^[\0-\u02ff]+$/.test(text);
  return isSure ? wanted : file.layout(text).direction;
}

const isSameRun = (one: number, other: number, levels: Uint8Array, at: Uint8Array) =>
  levels[one] === levels[other] && at[one] === at[other];
