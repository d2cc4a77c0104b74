/** Writes a submission as a PDF: tagged, with its labels and values. */
/// <reference path="./libraries.d.ts" />
import { setImmediate } from 'node:timers/promises';
import { directionOf, hasLetter, labelled, rightToLeft, withIsolates } from '@form-relay/base/unicode';
import type { Content, default as PDFDocument, Structure } from 'pdfkit';
import { isList } from '../filled_in.ts';
import {
  type Filed,
  type FiledEntry,
  lineHeight,
  type Place,
  type Style,
  styles,
  type Written,
} from './filed.ts';
import { type Face, facesOf } from './fonts.ts';
import { type Line, linesOf, type YieldToEventLoop } from './lines.ts';
import pdfkit from './pdfkit.ts';
import { Pictures, type Sized } from './pictures.ts';

/** Equal content and fonts lead to equal bytes. */
export async function writePdf(filed: Filed, fonts: readonly string[]): Promise<Written> {
  const sheet = new Sheet(filed, facesOf(fonts));
  await sheet.write();
  return sheet.end();
}

/** The margin of A4, in points. */
const margin = 56;
/** Short enough that other requests do not notice. */
const turnMs = 8;
/** Fonts shape their text anyway. If a feature is named, pdfkit shapes a whole run at once, not each word. */
const features = ['ccmp'];
/** Without a width and a word count, pdfkit would lay out each line twice, for links that do not exist. */
const drawn = { lineBreak: false, features, baseline: 'alphabetic', textWidth: 0, wordCount: 0 };
const mostMeasured = 5_000;
/** The minimum number of lines of a text at the bottom of a page. */
const leastLines = 2;
const mostLogoHeight = 48;
/** Space above and below an image. */
const aroundPicture = 4;
/** The maximum number of spaces kept before a line. */
const mostIndented = 40;

class Sheet {
  readonly #filed: Filed;
  readonly #faces: readonly Face[];
  readonly #document: PDFDocument;
  readonly #root: Structure;
  readonly #pictures: Pictures;
  readonly #pieces: Uint8Array[] = [];
  readonly #ended: Promise<void>;
  readonly #widths = new Map<string, number>();
  readonly #yieldToEventLoop: YieldToEventLoop;
  #y = margin;
  #missing = 0;

  constructor(filed: Filed, faces: readonly Face[]) {
    const { language, title, receivedAt } = filed;
    this.#filed = filed;
    this.#faces = faces;
    this.#document = new pdfkit.PDFDocument({
      size: 'A4',
      margin: 0,
      font: null,
      pdfVersion: '1.7',
      tagged: true,
      lang: language,
      displayTitle: true,
      bufferPages: true,
      fontLayoutCache: false,
      info: {
        Title: title,
        Creator: 'Form Relay',
        Producer: 'Form Relay',
        CreationDate: new Date(receivedAt),
      },
    });
    this.#pictures = new Pictures(this.#document, this.#width);
    this.#root = this.#document.struct('Document', { lang: language });
    this.#document.addStructure(this.#root);
    this.#ended = new Promise((resolve, reject) => {
      this.#document.on('data', (piece) => this.#pieces.push(piece));
      this.#document.on('end', resolve);
      this.#document.on('error', reject);
    });
    // The promise may reject before anyone awaits it.
    this.#ended.catch(() => {});
    let since = performance.now();
    this.#yieldToEventLoop = () => {
      if (performance.now() - since < turnMs) return undefined;
      return setImmediate(undefined).then(() => {
        since = performance.now();
      });
    };
  }

  async write(): Promise<void> {
    const { title, about, entries, direction, accent, logo, footer } = this.#filed;
    const picture = await this.#pictures.sized(logo, mostLogoHeight);
    if (logo && picture) {
      this.#root.add(await this.#picture(logo.name, picture));
      this.#y += 8;
    }
    const { color } = styles.title;
    this.#root.add(await this.#text(title, { ...styles.title, color: accent ?? color }, 'auto'));
    this.#y += 4;
    for (const { label, values } of about) {
      this.#root.add(await this.#text(`${label}: ${values.join(', ')}`, styles.about, direction));
    }
    this.#y += 12;
    const list = this.#document.struct('L', {});
    this.#root.add(list);
    for (const entry of entries) list.add(await this.#entry(entry));
    list.end();
    if (footer) {
      this.#y += 12;
      this.#root.add(await this.#text(footer, styles.about, 'auto'));
    }
    this.#root.end();
    this.#numberPages();
  }

  async end(): Promise<Written> {
    this.#document.end();
    await this.#ended;
    return { bytes: Buffer.concat(this.#pieces), missing: this.#missing };
  }

  get #width() {
    return this.#document.page.width - 2 * margin;
  }

  get #bottom() {
    return this.#document.page.height - margin - 12;
  }

  async #entry(entry: FiledEntry): Promise<Structure> {
    const { label, values, files } = entry;
    const [first, ...others] = files;
    const picture = await this.#pictures.sized(first);
    // Keeps a label together with the first lines of its value, and names together with their image.
    const lines = picture ? values.length : leastLines;
    const below = picture ? picture.down + 2 * aroundPicture : 0;
    this.#keepTogether(lineHeight(styles.label) + lines * lineHeight(styles.value) + 8 + below);
    this.#rule();
    const item = this.#document.struct('LI', {});
    item.add(await this.#text(label, styles.label, this.#filed.direction));
    if (isList(entry)) item.add(await this.#list(values));
    else item.add(await this.#text(values[0] ?? '', styles.value, 'auto'));
    if (first && picture) item.add(await this.#picture(labelled(label, first.name), picture));
    for (const file of others) {
      const next = await this.#pictures.sized(file);
      if (next) item.add(await this.#picture(labelled(label, file.name), next));
    }
    this.#y += 8;
    item.end();
    return item;
  }

  async #list(values: readonly string[]): Promise<Structure> {
    const list = this.#document.struct('L', {});
    for (const value of values) {
      const item = this.#document.struct('LI', {}, [await this.#text(`•  ${value}`, styles.value, 'auto')]);
      list.add(item);
    }
    list.end();
    return this.#document.struct('LBody', {}, [list]);
  }

  async #text(text: string, style: Style, base: 'ltr' | 'rtl' | 'auto'): Promise<Structure> {
    const contents: Content[] = [];
    let isReordered = false;
    let isOpen = false;
    const { direction } = this.#filed;
    const start = directionOf(text, direction);
    const side = base === 'auto' ? start : base;
    const mayTurn = direction === 'rtl' || rightToLeft.test(text);
    const face = this.#faces[0] as Face;
    // Few fonts have the narrow no-break space of French, and Helvetica lacks the minus sign of Swedish.
    const paragraphs = text.replaceAll('\u202f', '\u00a0').replaceAll('\u2212', '-').split('\n');
    for (const [nth, paragraph] of paragraphs.entries()) {
      const words = paragraph.replace(/^ +/, '');
      const indent =
        Math.min(paragraph.length - words.length, mostIndented) * this.#measure(' ', face, style);
      // Indented lines have the direction of the line above. A line without letters, such as a postal code,
      // is aligned with the others, or with the form's language.
      const isBelow = indent > 0 || !hasLetter(words);
      const lines = await linesOf({
        text: mayTurn ? withIsolates(words) : words,
        faces: this.#faces,
        base: base === 'auto' && isBelow ? start : base,
        width: this.#width - indent,
        measure: (part, face) => this.#measure(part, face, style),
        yieldToEventLoop: this.#yieldToEventLoop,
        missed: (characters) => {
          this.#missing += characters;
        },
      });
      for (const [index, line] of lines.entries()) {
        if (this.#y + lineHeight(style) > this.#bottom && isOpen) {
          this.#document.endMarkedContent();
          isOpen = false;
        }
        // Keeps the heading of an entry together with its content.
        const isFirstOfSeveral = nth + index === 0 && paragraphs.length + lines.length > 2;
        this.#keepTogether(lineHeight(style) * (isFirstOfSeveral ? leastLines : 1));
        if (!isOpen) contents.push(this.#document.markStructureContent(style.tag));
        isOpen = true;
        isReordered ||= line.isMixed || line.runs.length > 1;
        this.#line(line, style, { side, indent, isLast: index === lines.length - 1 });
        await this.#yieldToEventLoop();
      }
    }
    if (isOpen) this.#document.endMarkedContent();
    return this.#document.struct(style.tag, isReordered ? { actual: text } : {}, contents);
  }

  #line({ runs, isMixed }: Line, style: Style, { side, indent, isLast }: Place): void {
    const document = this.#document;
    document.fontSize(style.size).fillColor(style.color);
    // A line in one font is not measured, because measuring takes as long as drawing.
    const widths =
      runs.length > 1 || side === 'rtl' ? runs.map(({ text, face }) => this.#measure(text, face, style)) : [];
    const sum = widths.reduce((all, one) => all + one, 0);
    let x = margin + (side === 'rtl' ? this.#width - indent - sum : indent);
    const y = this.#y + style.size * 1.1;
    for (const [index, { text, face }] of runs.entries()) {
      document.font(face.source, face.family);
      // Without the space, screen readers would join the words of two lines. Right-to-left lines would get a
      // gap, and are read from the structure instead.
      const end = isLast && index === runs.length - 1 && !isMixed ? ' ' : '';
      document.text(text + end, x, y, drawn);
      x += widths[index] ?? 0;
    }
    this.#y += lineHeight(style);
  }

  #measure(text: string, face: Face, { size }: Style): number {
    const key = `${size} ${face.family ?? ''} ${text}`;
    const known = this.#widths.get(key);
    if (known !== undefined) return known;
    this.#document.font(face.source, face.family).fontSize(size);
    const width = this.#document.widthOfString(text, { features });
    if (this.#widths.size >= mostMeasured) this.#widths.clear();
    this.#widths.set(key, width);
    return width;
  }

  async #picture(alt: string, { picture, across, down }: Sized): Promise<Structure> {
    this.#y += aroundPicture;
    this.#keepTogether(down);
    const x = this.#filed.direction === 'rtl' ? margin + this.#width - across : margin;
    const content = this.#document.markStructureContent('Figure');
    this.#document.image(picture, x, this.#y, { fit: [across, down] });
    this.#document.endMarkedContent();
    const bbox = [x, this.#y, x + across, this.#y + down];
    const figure = this.#document.struct('Figure', { alt, bbox }, [content]);
    this.#y += down + aroundPicture;
    await this.#yieldToEventLoop();
    return figure;
  }

  #keepTogether(height: number): void {
    if (this.#y + height <= this.#bottom || this.#y === margin) return;
    this.#document.addPage();
    this.#y = margin;
  }

  #rule(): void {
    const document = this.#document;
    document.markContent('Artifact', { type: 'Layout' });
    document.strokeColor(this.#filed.accent ?? '#e3e3ea').lineWidth(0.5);
    document.moveTo(margin, this.#y);
    document.lineTo(margin + this.#width, this.#y);
    document.stroke();
    document.endMarkedContent();
    this.#y += 6;
  }

  #numberPages(): void {
    const document = this.#document;
    const { start, count } = document.bufferedPageRange();
    const [face] = this.#faces;
    if (count < 2 || !face) return;
    for (let page = 0; page < count; page += 1) {
      document.switchToPage(start + page);
      document.font(face.source, face.family).fontSize(styles.about.size).fillColor(styles.about.color);
      const text = `${page + 1} / ${count}`;
      const x = (document.page.width - document.widthOfString(text, { features })) / 2;
      document.markContent('Artifact', { type: 'Pagination' });
      document.text(text, x, document.page.height - margin + 10, drawn);
      document.endMarkedContent();
    }
  }
}
