/** The fonts of a PDF: those that the config names, or the standard font, which every reader has and which supports Latin-1. */
/// <reference path="./libraries.d.ts" />
import { readFileSync, statSync } from 'node:fs';
import type { FontFile } from 'pdfkit';
import pdfkit from './pdfkit.ts';

/** A font in the form that pdfkit takes, and the characters that it has. */
export interface Face {
  readonly family: string | undefined;
  readonly source: string | FontFile;
  /** `undefined`: the standard font, which cannot show right-to-left text. */
  readonly file: FontFile | undefined;
  has(codePoint: number): boolean;
}

/** Windows-1252, which includes Latin-1: all characters of a standard font. */
const inStandard = /[ -~\u00a0-\u00ff€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]/;

const standard: Face = {
  family: undefined,
  source: 'Helvetica',
  file: undefined,
  has: (codePoint) => inStandard.test(String.fromCodePoint(codePoint)),
};

/** Why a font cannot be used, in words for the owner. */
interface FontProblem {
  readonly problem: string;
  /** Whether the disk is the cause, rather than the font. */
  readonly mayPass: boolean;
}

const unreadable = (named: string, reason: string): FontProblem => ({
  problem: `${named}: the font cannot be read (${reason})`,
  mayPass: true,
});

/** Opened fonts by their name in the config. Fonts stay open, so that their tables are read once and shared by all documents. */
const opened = new Map<string, Face>();
/** More than a config names. The limit matters for configs that keep changing. */
const mostOpened = 20;

/** @param named A path. For a file with several fonts, it is followed by `#` and a PostScript name. */
export function openFace(named: string): Face | FontProblem {
  const known = opened.get(named);
  if (known) return known;
  const [, path = named, name] = /^(.*\.(?:ttc|otc))#([^#/]+)$/i.exec(named) ?? [];
  let bytes: Uint8Array;
  try {
    // A device may never end, and opening a pipe waits for a writer.
    if (!statSync(path).isFile()) return unreadable(named, 'not a file');
    bytes = readFileSync(path);
  } catch (error) {
    return unreadable(named, (error as NodeJS.ErrnoException).code ?? 'unreadable');
  }
  const isCollection = Buffer.from(bytes.subarray(0, 4)).toString('latin1') === 'ttcf';
  if (isCollection && name === undefined) {
    const problem = `the file has several fonts; add a PostScript name: ${named}#NotoSansCJKjp-Regular`;
    return { problem, mayPass: false };
  }
  try {
    const document = new pdfkit.PDFDocument({ font: null, autoFirstPage: false });
    const { font: file } = document.font(bytes, name)._font;
    keepText(file);
    const has = (codePoint: number) => file.hasGlyphForCodePoint(codePoint);
    if (opened.size >= mostOpened) opened.clear();
    const face = { family: named, source: file, file, has };
    opened.set(named, face);
    return face;
  } catch {
    const problem = `${named}: the file has no TrueType or OpenType font, or no font with this PostScript name`;
    return { problem, mayPass: false };
  }
}

/** Documents share glyphs. A glyph that was first used as part of another (the u of an ü) would keep that text in all documents. */
function keepText(file: FontFile): void {
  const getGlyph = file.getGlyph.bind(file);
  file.getGlyph = (number, codePoints = []) => {
    const glyph = getGlyph(number, codePoints);
    if (codePoints.length > 0) glyph.codePoints = codePoints;
    return glyph;
  };
}

/** The fonts that the config names, in order, or else the standard font. Throws if a font is missing by now. */
export function facesOf(names: readonly string[]): readonly Face[] {
  if (names.length === 0) return [standard];
  return names.map((named) => {
    const face = openFace(named);
    if ('problem' in face) throw new Error(`a font that was checked is gone: ${face.problem}`);
    return face;
  });
}

/** Invisible characters: joiners, selectors, isolates, and those that only allow line breaks. */
const isIgnorable = (codePoint: number) =>
  codePoint === 0xad ||
  (codePoint >= 0x200b && codePoint <= 0x200d) ||
  codePoint === 0x2060 ||
  (codePoint >= 0x2066 && codePoint <= 0x2069) ||
  (codePoint >= 0xfe00 && codePoint <= 0xfe0f) ||
  (codePoint >= 0xe0000 && codePoint <= 0xe0fff);

const canShow = (face: Face, cluster: string): boolean => {
  for (const one of cluster) {
    const codePoint = one.codePointAt(0) as number;
    if (!isIgnorable(codePoint) && !face.has(codePoint)) return false;
  }
  return true;
};

/** A text with a font for each character. */
export interface Cast {
  readonly text: string;
  /** For each UTF-16 unit, the index of its font. */
  readonly faces: Uint8Array;
  /** How many characters were replaced because no font has them. */
  readonly missing: number;
}

const clusters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * The maximum length of a cluster. Each mark is placed relative to all before it, so thousands on one letter
 * would take seconds. Stream-safe texts have 30 (UAX 15).
 */
const mostInCluster = 32;

/** Assigns each grapheme the first font that has all of it. */
export function cast(text: string, faces: readonly Face[]): Cast {
  if (/^[ -~]*$/.test(text) && faces[0] && canShow(faces[0], text))
    return { text, faces: new Uint8Array(text.length), missing: 0 };
  let shown = '';
  const places: number[] = [];
  let missing = 0;
  for (const { segment: whole } of clusters.segment(text)) {
    const segment = whole.length > mostInCluster ? [...whole].slice(0, mostInCluster).join('') : whole;
    let at = faces.findIndex((face) => canShow(face, segment));
    let part = segment;
    if (at < 0) {
      missing += 1;
      at = faces.findIndex((face) => face.has(0xfffd));
      part = at < 0 ? '?' : '\ufffd';
      at = Math.max(at, 0);
    }
    // A standard font has no invisible characters.
    if (!faces[at]?.file) part = [...part].filter((one) => !isIgnorable(one.codePointAt(0) ?? 0)).join('');
    shown += part;
    for (let unit = 0; unit < part.length; unit += 1) places.push(at);
  }
  return { text: shown, faces: Uint8Array.from(places), missing };
}
