import { inflateRawSync } from 'node:zlib';
import { is, type Kind, signatures } from './file_kinds.ts';

/** Recognises files by their content. For markup, follows browsers: WHATWG MIME Sniffing, 7.1. */

const nothingKnown: readonly Kind[] = [];

/** The possible kinds, most likely first; the name decides between them. Empty if the bytes indicate none. */
export function kindsOf(bytes: Uint8Array): readonly Kind[] {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = file.toString('latin1', 0, 4_096);
  if (/^(\xef\xbb\xbf|\x1b%-12345X@PJL[^<]{0,900}?|[\0\s]{0,1000})%PDF-/.test(head)) return [is.pdf];
  const text = textAtStart(file);
  return text === undefined ? binaryKinds(file, head) : textKinds(file, text);
}

/** The beginning as text in any encoding (tables from Windows are in windows-1252); `undefined` for binary files. */
function textAtStart(file: Buffer): string | undefined {
  const isLittle = file[0] === 0xff && file[1] === 0xfe;
  if (isLittle || (file[0] === 0xfe && file[1] === 0xff)) {
    const start = Buffer.from(file.subarray(2, 8_194 - (file.length % 2)));
    if (start.length % 2 === 0) {
      const text = (isLittle ? start : start.swap16()).toString('utf16le');
      if (!control.test(text)) return text;
    }
  }
  if (file.includes(0) || control.test(file.toString('latin1', 0, 65_536))) return undefined;
  return file.toString('latin1', file.indexOf('\xef\xbb\xbf', 0, 'latin1') === 0 ? 3 : 0, 4_096);
}

/** Characters that do not occur in text. Tabs, line breaks, form feeds and escapes may occur. */
const control = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/;

const plain = [is.txt, is.csv, is.markdown, is.json, is.ics, is.vcf];
/** Kinds that only the file name distinguishes. */
const textByName = [...plain, is.script, is.shortcut, is.html, is.xml];

function textKinds(file: Buffer, start: string): readonly Kind[] {
  const text = start.trimStart();
  if (text.startsWith('{\\rtf')) return [is.rtf];
  if (/^(#!|<\?php|<\?=|<%)/i.test(text) || /^(windows registry editor|regedit4)/i.test(text))
    return [is.script];
  if (/^\[(internetshortcut|desktop entry|shell|\.shellclassinfo)\]/im.test(text)) return [is.shortcut];
  if (!text.startsWith('<')) return textByName;
  const isMarkup = markup.test(text);
  if (isMarkup || text.startsWith('<?'))
    return isSvg(file, text) ? [is.svg] : isMarkup ? [is.html] : [is.xml, is.svg];
  return textByName;
}

const isSvg = (file: Buffer, text: string) =>
  /^<(svg|!doctype\s+svg)\b/i.test(text) ||
  (!/^<(html|!doctype\s+html)\b/i.test(text) && file.includes('<svg'));

const markup =
  /^<(!--|!doctype\b|(html|head|script|iframe|h[1-6]|div|font|table|a|style|title|b|body|br|p|meta|link|img|form|object|embed|base|frameset|svg|math|video|audio|input|button|center|span|ul|ol|textarea|template|marquee|details)[\s/>])/i;

function binaryKinds(file: Buffer, head: string): readonly Kind[] {
  if (/^PK(\x03\x04|\x05\x06|\x07\x08)/.test(head)) return zipKinds(file);
  if (head.startsWith('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')) return compoundKinds(file);
  if (/^....(ftyp|moov|mdat|wide|free|skip|pnot)/s.test(head)) return moviesBy(head);
  if (/^RIFF....WEBP/s.test(head)) return [is.webp];
  if (/^(RIFF|RF64)....WAVE/s.test(head)) return [is.wav];
  if (/^RIFF....AVI /s.test(head)) return [is.avi];
  if (/^FORM....AIF[FC]/s.test(head)) return [is.aiff];
  if (head.startsWith('\x1a\x45\xdf\xa3'))
    return head.slice(0, 64).includes('webm') ? [is.webm, is.weba] : [is.mkv, is.mka];
  if (/^BM.{4}\0{4}/s.test(head)) return [is.bmp];
  const found = signatures.find(({ at, bytes }) => file.toString('latin1', at, at + bytes.length) === bytes);
  if (found) return found.kinds;
  const [first, second = 0, third = 0] = file;
  if (first === 0xff && isAudioFrame(second, third)) return [second & 0x06 ? is.mp3 : is.aac];
  if (file[0] === 0x47 && file[188] === 0x47 && file[376] === 0x47) return [is.mpeg];
  return file.toString('latin1', file.length - 512, file.length - 508) === 'koly' ? [is.disk] : nothingKnown;
}

/** The frame header of MPEG audio, or of AAC (ADTS). */
const isAudioFrame = (second: number, third: number) =>
  (second & 0xf6) === 0xf0 ||
  ((second & 0xe0) === 0xe0 && (second & 0x06) !== 0 && third >> 4 !== 15 && (third & 0x0c) !== 0x0c);

/** Kinds of ISO base media by the brands after `ftyp`. Old QuickTime files have none. */
function moviesBy(head: string): readonly Kind[] {
  if (head.slice(4, 8) !== 'ftyp') return [is.mov];
  const brands = head.slice(8, Math.min(head.charCodeAt(2) * 256 + head.charCodeAt(3), 200));
  const brand = brands.slice(0, 4);
  if (brands.includes('avif') || brands.includes('avis')) return [is.avif];
  if (/^(hei[cxmsf]|hev[cxms]|mif1|msf1)/.test(brand)) return [is.heic];
  if (brand === 'qt  ') return [is.mov];
  if (/^M4[AB]/.test(brand)) return [is.m4a];
  if (/^3g/.test(brand)) return [is.gpp, is.m4a, is.mp4];
  return [is.mp4, is.m4a, is.mov];
}

const openDocuments: readonly (readonly [mimetype: RegExp, kind: Kind])[] = [
  [/^application\/vnd\.oasis\.opendocument\.text/, is.odt],
  [/^application\/vnd\.oasis\.opendocument\.spreadsheet/, is.ods],
  [/^application\/vnd\.oasis\.opendocument\.presentation/, is.odp],
  [/^application\/vnd\.oasis\.opendocument\.graphics/, is.odg],
  [/^application\/epub\+zip/, is.epub],
];

/** The content type of the main part in `[Content_Types].xml`. */
const officeDocuments: readonly (readonly [contentType: RegExp, kind: Kind])[] = [
  [/wordprocessingml\.(document|template)\.main\+xml/, is.docx],
  [/spreadsheetml\.(sheet|template)\.main\+xml/, is.xlsx],
  [/presentationml\.(presentation|slideshow|template)\.main\+xml/, is.pptx],
];

function zipKinds(file: Buffer): readonly Kind[] {
  const zip = readZip(file);
  if (!zip) return [is.zip];
  const { names, mimetype, contentTypes } = zip;
  const has = (start: string) => names.some((name) => name.startsWith(start));
  if (has('meta-inf/manifest.mf') || has('androidmanifest.xml') || has('classes.dex')) return [is.program];
  // Programs detect macros by content type, whatever the file's name. Character references occur only in a file that hides one.
  if (
    /macroenabled|vbaproject|macrosheet|&#/.test(contentTypes) ||
    names.some((name) => name.endsWith('vbaproject.bin'))
  )
    return [is.macro];
  const open = openDocuments.find(([pattern]) => pattern.test(mimetype));
  // The folders that contain macros.
  if (open) return has('basic/') || has('scripts/') ? [is.macro] : [open[1]];
  if (has('index/document.iwa') || has('index.zip')) return [is.pages, is.numbers, is.keynote];
  const office = officeDocuments.find(([pattern]) => pattern.test(contentTypes));
  return office ? [office[1], is.macro] : [is.zip];
}

const utf16 = (text: string) => Buffer.from(text, 'utf16le');
const vba = utf16('_VBA_PROJECT');
const encrypted = utf16('EncryptedPackage');
const streams: readonly (readonly [name: Buffer, kind: Kind])[] = [
  [utf16('__substg1.0_'), is.msg],
  [utf16('WordDocument'), is.doc],
  [utf16('Workbook'), is.xls],
  [utf16('Book\0'), is.xls],
  [utf16('PowerPoint Document'), is.ppt],
];
/** The end of the class id of installers, {000C1084-0000-0000-C000-000000000046}, and of those of patches and transforms. */
const installer = Buffer.from('100c0000000000c000000000000046', 'hex');

/** Microsoft compound files (MS-CFB), which name their streams in UTF-16. */
function compoundKinds(file: Buffer): readonly Kind[] {
  if (file.includes(installer)) return [is.program];
  if (file.includes(vba)) return [is.macro];
  // An encrypted file cannot be inspected.
  if (file.includes(encrypted)) return [is.docx, is.xlsx, is.pptx];
  const named = streams.find(([name]) => file.includes(name));
  return named ? [named[1]] : nothingKnown;
}

/** The contents of a zip. Every read is limited, because the file may be malicious. */
interface ZipDirectory {
  /** In lower case, at most `mostEntries`. */
  readonly names: readonly string[];
  /** The first entry as text, if uncompressed and short, because OpenDocument and EPUB store their type there. */
  readonly mimetype: string;
  /** `[Content_Types].xml` in lower case; empty if missing or unusual. */
  readonly contentTypes: string;
}

const endBytes = 22;
const mostEntries = 20_000;
const mostContentTypes = 1_048_576;

/** Reads the central directory; `undefined` if malformed. */
function readZip(bytes: Uint8Array): ZipDirectory | undefined {
  const zip = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (zip.length < endBytes) return undefined;
  const end = zip.lastIndexOf('PK\x05\x06', zip.length - endBytes, 'latin1');
  // A comment of at most 64 KB may follow.
  if (end < 0 || zip.length - end > endBytes + 65_535) return undefined;
  const count = Math.min(zip.readUInt16LE(end + 10), mostEntries);
  const names: string[] = [];
  let contentTypes = '';
  for (let at = zip.readUInt32LE(end + 16), n = 0; n < count; n += 1) {
    if (at + 46 > end || zip.readUInt32LE(at) !== 0x02014b50) return undefined;
    const nameLength = zip.readUInt16LE(at + 28);
    const next = at + 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
    if (next > end) return undefined;
    const name = zip.toString('latin1', at + 46, at + 46 + nameLength).toLowerCase();
    names.push(name);
    if (name === '[content_types].xml') contentTypes = contentOf(zip, at).toLowerCase();
    at = next;
  }
  return { names, mimetype: mimetypeOf(zip), contentTypes };
}

/** `at`: the offset of the file's directory entry. */
function contentOf(zip: Buffer, at: number): string {
  const method = zip.readUInt16LE(at + 10);
  const length = zip.readUInt32LE(at + 20);
  const local = zip.readUInt32LE(at + 42);
  if (local + 30 > zip.length || zip.readUInt32LE(local) !== 0x04034b50) return '';
  const from = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  const stored = zip.subarray(from, from + length);
  if (method === 0) return stored.subarray(0, mostContentTypes).toString('latin1');
  try {
    return method === 8
      ? inflateRawSync(stored, { maxOutputLength: mostContentTypes }).toString('latin1')
      : '';
  } catch {
    return '';
  }
}

function mimetypeOf(zip: Buffer): string {
  if (zip.length < 30 || zip.readUInt16LE(8) !== 0 || zip.toString('latin1', 30, 38) !== 'mimetype')
    return '';
  const from = 30 + zip.readUInt16LE(26) + zip.readUInt16LE(28);
  return zip.toString('latin1', from, from + Math.min(zip.readUInt32LE(18), 100));
}
