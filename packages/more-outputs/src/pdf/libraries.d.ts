/** Types for the parts of pdfkit and bidi-js that are used here. Neither has its own types. */

declare module 'pdfkit' {
  interface Structure {
    add(child: Structure | Content): this;
    end(): void;
  }

  /** Marked content of a page. */
  interface Content {
    readonly mcid: number;
  }

  interface Picture {
    readonly width: number;
    readonly height: number;
    /** From EXIF. Above 4, width and height are swapped. */
    readonly orientation?: number;
  }

  /** A font that fontkit opened. */
  interface FontFile {
    readonly ascent: number;
    readonly unitsPerEm: number;
    readonly postscriptName: string | null;
    hasGlyphForCodePoint(codePoint: number): boolean;
    layout(text: string, features?: readonly string[]): { readonly direction: 'ltr' | 'rtl' };
    getGlyph(number: number, codePoints?: readonly number[]): Glyph;
  }

  /** Created once per number. */
  interface Glyph {
    /** The text that the glyph stands for. */
    codePoints: readonly number[];
  }

  export default class PDFDocument {
    constructor(options: object);
    readonly page: { readonly width: number; readonly height: number };
    /** pdfkit offers no other access to a font that it opened. */
    readonly _font: { readonly font: FontFile };
    on(event: 'data', listener: (piece: Uint8Array) => void): this;
    on(event: 'end', listener: () => void): this;
    on(event: 'error', listener: (error: unknown) => void): this;
    addPage(): this;
    bufferedPageRange(): { readonly start: number; readonly count: number };
    switchToPage(page: number): void;
    font(source: string | Uint8Array | FontFile, family?: string): this;
    fontSize(size: number): this;
    fillColor(color: string): this;
    strokeColor(color: string): this;
    lineWidth(width: number): this;
    moveTo(x: number, y: number): this;
    lineTo(x: number, y: number): this;
    stroke(): this;
    widthOfString(text: string, options?: object): number;
    text(text: string, x: number, y: number, options: object): this;
    openImage(bytes: Uint8Array): Picture;
    image(picture: Picture, x: number, y: number, options: object): this;
    markContent(tag: string, options?: object): this;
    markStructureContent(tag: string, options?: object): Content;
    endMarkedContent(): this;
    struct(type: string, options: object, children?: readonly (Structure | Content)[]): Structure;
    addStructure(structure: Structure): this;
    end(): void;
  }
}

declare module 'bidi-js' {
  interface Levels {
    readonly levels: Uint8Array;
    readonly paragraphs: readonly { readonly start: number; readonly end: number; readonly level: number }[];
  }

  interface Bidi {
    getEmbeddingLevels(text: string, base?: 'ltr' | 'rtl' | 'auto'): Levels;
    /** Ranges to reverse, one after the other, with `end` included. */
    getReorderSegments(
      text: string,
      levels: Levels,
      start: number,
      end: number,
    ): readonly (readonly [start: number, end: number])[];
    /** Takes the whole text, and the array of levels instead of the object that contains it. */
    getMirroredCharactersMap(
      text: string,
      levels: Uint8Array,
      start: number,
      end: number,
    ): ReadonlyMap<number, string>;
  }

  export default function bidiFactory(): Bidi;
}
