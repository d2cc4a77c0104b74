/** Excel workbooks (ECMA-376) with one sheet, written row by row. Texts are never formulas. */
import { once } from 'node:events';
import { crc32, createDeflateRaw, deflateRawSync } from 'node:zlib';

/** A text, a number, a `date` (a day), or a `time` (in UTC). */
export type SheetCell = string | number | { readonly date: number } | { readonly time: number };

/** Excel's limits. Excel offers to repair a sheet that exceeds them. */
const mostCharacters = 32_767;
const mostRows = 1_048_576;
const mostColumns = 16_384;
const pieceLength = 65_536;

/** @param rows The first row has the names of the columns. `undefined` is only a sign of progress. */
export async function* workbook(
  rows: AsyncIterable<readonly SheetCell[] | undefined>,
): AsyncGenerator<Uint8Array> {
  const zip = new Zip();
  for (const [name, xml] of parts) yield zip.add(name, xml);
  const sheet = zip.begin('xl/worksheets/sheet1.xml');
  yield sheet.head;
  await sheet.write(sheetStart);
  let xml = '';
  let count = 0;
  for await (const row of rows) {
    if (!row) {
      yield none;
      continue;
    }
    count += 1;
    if (count === mostRows)
      xml += rowOf(['There are more rows than a sheet can have; export them as CSV.'], count);
    if (count >= mostRows) continue;
    xml += rowOf(row, count);
    if (xml.length < pieceLength) continue;
    await sheet.write(xml);
    xml = '';
    yield sheet.taken();
  }
  await sheet.write(`${xml}</sheetData></worksheet>`);
  yield await sheet.end();
  yield zip.end();
}

const none = new Uint8Array();

const rowOf = (row: readonly SheetCell[], nth: number) =>
  `<row r="${nth}">${row
    .slice(0, mostColumns)
    .map((one, index) => cellOf(one, `${lettersOf(index)}${nth}`, nth === 1))
    .join('')}</row>`;

/** The name of a column: A to Z, then AA. */
const lettersOf = (index: number): string =>
  (index < 26 ? '' : lettersOf(Math.floor(index / 26) - 1)) + String.fromCharCode(65 + (index % 26));

function cellOf(cell: SheetCell, at: string, isHead: boolean): string {
  if (typeof cell === 'number') return `<c r="${at}"><v>${cell}</v></c>`;
  if (typeof cell === 'object')
    return 'date' in cell
      ? `<c r="${at}" s="2"><v>${serialOf(cell.date)}</v></c>`
      : `<c r="${at}" s="3"><v>${serialOf(cell.time)}</v></c>`;
  if (cell === '') return '';
  const style = isHead ? ' s="1"' : '';
  return `<c r="${at}" t="inlineStr"${style}><is><t xml:space="preserve">${textOf(cell)}</t></is></c>`;
}

/** Excel counts days since 30 December 1899. */
const serialOf = (at: number) => at / 86_400_000 + 25_569;

/** Replaces control characters, which XML does not allow, and escapes `_x0041_`, which Excel would read as A. */
const textOf = (text: string) =>
  (text.length > mostCharacters ? `${text.slice(0, mostCharacters - 1)}…` : text)
    .replaceAll(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\ufffd')
    .replaceAll(/_(?=x[0-9a-f]{4}_)/gi, '_x005F_')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#13;');

const xmlHead = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const namespace = 'http://schemas.openxmlformats.org';
const main = `xmlns="${namespace}/spreadsheetml/2006/main"`;
const typeOf = (name: string) => `application/vnd.openxmlformats-officedocument.spreadsheetml.${name}+xml`;
const relations = (...all: readonly string[]) =>
  `${xmlHead}<Relationships xmlns="${namespace}/package/2006/relationships">${all
    .map(
      (target, index) =>
        `<Relationship Id="r${index + 1}" Type="${namespace}/officeDocument/2006/relationships/${target.includes('sheet1') ? 'worksheet' : target.includes('styles') ? 'styles' : 'officeDocument'}" Target="${target}"/>`,
    )
    .join('')}</Relationships>`;

const sheetStart = `${xmlHead}<worksheet ${main}><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetFormatPr defaultColWidth="20" defaultRowHeight="15"/><sheetData>`;

const parts: readonly (readonly [name: string, xml: string])[] = [
  [
    '[Content_Types].xml',
    `${xmlHead}<Types xmlns="${namespace}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${typeOf('sheet.main')}"/><Override PartName="/xl/styles.xml" ContentType="${typeOf('styles')}"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${typeOf('worksheet')}"/></Types>`,
  ],
  ['_rels/.rels', relations('xl/workbook.xml')],
  ['xl/_rels/workbook.xml.rels', relations('worksheets/sheet1.xml', 'styles.xml')],
  [
    'xl/workbook.xml',
    `${xmlHead}<workbook ${main} xmlns:r="${namespace}/officeDocument/2006/relationships"><sheets><sheet name="Submissions" sheetId="1" r:id="r1"/></sheets></workbook>`,
  ],
  [
    'xl/styles.xml',
    `${xmlHead}<styleSheet ${main}><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="2"><font/><font><b/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="4"><xf xfId="0"/><xf fontId="1" applyFont="1"/><xf numFmtId="164" applyNumberFormat="1"/><xf numFmtId="165" applyNumberFormat="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`,
  ],
];

/** A ZIP archive whose last entry is written piece by piece (APPNOTE 4.4.4: bit 3). */
class Zip {
  #at = 0;
  readonly #entries: Buffer[] = [];

  add(name: string, text: string): Uint8Array {
    const bytes = Buffer.from(text);
    const packed = deflateRawSync(bytes);
    const sizes = [crc32(bytes), packed.length, bytes.length] as const;
    const head = Buffer.concat([this.#head(name, 0, sizes), packed]);
    this.#enter(name, 0, sizes);
    this.#at += head.length;
    return head;
  }

  begin(name: string) {
    const head = this.#head(name, 8, [0, 0, 0]);
    const deflate = createDeflateRaw();
    const pieces: Buffer[] = [];
    let [crc, size, packed] = [0, 0, 0];
    deflate.on('data', (piece: Buffer) => {
      packed += piece.length;
      pieces.push(piece);
    });
    const taken = () => Buffer.concat(pieces.splice(0));
    return {
      head,
      taken,
      write: async (text: string) => {
        const bytes = Buffer.from(text);
        crc = crc32(bytes, crc);
        size += bytes.length;
        if (!deflate.write(bytes)) await once(deflate, 'drain');
      },
      end: async () => {
        deflate.end();
        await once(deflate, 'end');
        if (Math.max(size, packed) > 0xffff_ffff) throw new Error('a workbook is smaller than 4 GB');
        const sizes = [crc, packed, size] as const;
        this.#enter(name, 8, sizes);
        this.#at += head.length + packed + 16;
        return Buffer.concat([taken(), numbers([4, 0x08074b50], ...sizes.map((one) => [4, one] as const))]);
      },
    };
  }

  end(): Uint8Array {
    const list = Buffer.concat(this.#entries);
    const count = this.#entries.length;
    const fields = [
      [4, 0x06054b50],
      [4, 0],
      [2, count],
      [2, count],
      [4, list.length],
      [4, this.#at],
      [2, 0],
    ] as const;
    return Buffer.concat([list, numbers(...fields)]);
  }

  #enter(name: string, flags: number, sizes: Sizes): void {
    const before = numbers([4, 0x02014b50], [2, 20]);
    const after = numbers([2, 0], [2, 0], [2, 0], [4, 0], [4, this.#at]);
    this.#entries.push(Buffer.concat([before, this.#facts(name, flags, sizes), after, Buffer.from(name)]));
  }

  #head = (name: string, flags: number, sizes: Sizes) =>
    Buffer.concat([numbers([4, 0x04034b50]), this.#facts(name, flags, sizes), Buffer.from(name)]);

  /**
   * The fields that local and central headers share: version, flags, method, time, date (1 January 1980),
   * CRC, sizes, lengths of name and extra field.
   */
  #facts = (name: string, flags: number, [crc, packed, size]: Sizes) =>
    numbers(
      ...([
        [2, 20],
        [2, flags],
        [2, 8],
        [2, 0],
        [2, 33],
        [4, crc],
        [4, packed],
        [4, size],
        [2, name.length],
        [2, 0],
      ] as const),
    );
}

type Sizes = readonly [crc: number, packed: number, size: number];

/** Encodes numbers in little-endian order. */
function numbers(...all: readonly (readonly [bytes: number, value: number])[]): Buffer {
  const bytes = Buffer.alloc(all.reduce((sum, [length]) => sum + length, 0));
  let at = 0;
  for (const [length, value] of all) at = bytes.writeUIntLE(value, at, length);
  return bytes;
}
