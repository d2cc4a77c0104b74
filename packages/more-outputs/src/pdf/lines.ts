/** Breaks a text into lines, and a line into runs in visual order, from left to right. */
/// <reference path="./libraries.d.ts" />

import { isolates, rightToLeft } from '@form-relay/base/unicode';
import { type Cast, cast, type Face } from './fonts.ts';
import pdfkit from './pdfkit.ts';

const bidi = pdfkit.bidiFactory();

/** Part of a line in one font and direction, as fontkit expects it: right-to-left runs are in reading order. */
export interface Run {
  readonly face: Face;
  readonly text: string;
}

export interface Line {
  readonly runs: readonly Run[];
  /** Whether it contains right-to-left text. */
  readonly isMixed: boolean;
}

type Measure = (text: string, face: Face) => number;

export type YieldToEventLoop = () => Promise<void> | undefined;

const withoutIsolates = (text: string): string => text.replaceAll(isolates, '');

export interface Paragraph {
  readonly text: string;
  readonly faces: readonly Face[];
  /** `auto` uses the direction of the first letter. */
  readonly base: 'ltr' | 'rtl' | 'auto';
  readonly width: number;
  readonly measure: Measure;
  readonly yieldToEventLoop: YieldToEventLoop;
  /** Called with the number of characters that no font has. */
  readonly missed: (characters: number) => void;
}

/** The lines of a text without line breaks. Breaks it in reading order, then reorders each line (UAX 9, 3.4). */
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

/** A line may end after these, even without a space: hyphens, slashes, and closing punctuation in Chinese and Japanese. */
const breaksAfter = /[-\u2010\u2013\u2014/?&、。，．：；！？）］｝〉》」』】〕…]$/;
/** No line may start with these. */
const staysBehind =
  /^[\s.,:;!?)\]}%'"’”»、。，．：；！？）］｝〉》」』】〕…ーぁぃぅぇぉっゃゅょァィゥェォッャュョ々]/;

/** No line has more characters than this. Limits the text to measure, because a font shapes all of it at once. */
const mostOnLine = 1_000;

async function breaks(
  whole: Cast,
  { faces, width, measure, yieldToEventLoop }: Paragraph,
): Promise<readonly number[]> {
  const { text } = whole;
  const widthOf = (start: number, end: number) => {
    let sum = 0;
    for (const run of inFaces(whole, start, end))
      sum += measure(withoutIsolates(run.text), faces[run.at] as Face);
    return sum;
  };
  const ends: number[] = [];
  let lineStart = 0;
  let used = 0;
  const endLine = (end: number) => {
    ends.push(end);
    lineStart = end;
    used = 0;
  };
  let start = 0;
  for (const end of possibleEnds(text)) {
    // A space at the end of a line takes no room.
    const part = text.slice(start, end).trimEnd();
    const wide = part.length > mostOnLine ? Infinity : widthOf(start, start + part.length);
    if (used + wide > width && start > lineStart) endLine(start);
    if (wide <= width) used += wide;
    else {
      // A word that is wider than a line is broken where the line is full.
      for (const { segment, index } of characters.segment(part)) {
        const at = start + index;
        const one = widthOf(at, at + segment.length);
        if (used + one > width && at > lineStart) endLine(at);
        used += one;
        await yieldToEventLoop();
      }
    }
    used += widthOf(start + part.length, end);
    start = end;
    await yieldToEventLoop();
  }
  return [...ends, text.length];
}

function* possibleEnds(text: string): Generator<number> {
  let before: Intl.SegmentData | undefined;
  for (const one of words.segment(text)) {
    if (before && mayBreak(before, one)) yield one.index;
    before = one;
  }
  yield text.length;
}

const mayBreak = (before: Intl.SegmentData, { segment, isWordLike }: Intl.SegmentData): boolean =>
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
  // In right-to-left text, a trailing space would be placed before the line.
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
    // Restores the reading order.
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

/** The direction that fontkit gives a text: that of its first letter with a script. fontkit also counts Persian digits as such. */
function laidOut(text: string, wanted: 'ltr' | 'rtl', { file }: Face): 'ltr' | 'rtl' {
  if (!file) return 'ltr';
  const isSure = wanted === 'rtl' ? /^[\u05d0-\u05ea\u0620-\u064a]/.test(text) : /^[\0-\u02ff]+$/.test(text);
  return isSure ? wanted : file.layout(text).direction;
}

const isSameRun = (one: number, other: number, levels: Uint8Array, at: Uint8Array) =>
  levels[one] === levels[other] && at[one] === at[other];
