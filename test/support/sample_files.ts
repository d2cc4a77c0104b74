/** Small files of many kinds, each as its own program begins one. */
import { crc32, deflateRawSync } from 'node:zlib';

export const latin1 = (text: string): Buffer<ArrayBuffer> =>
  Buffer.from(text, 'latin1') as Buffer<ArrayBuffer>;

const u16 = (n: number) => {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(n);
  return bytes;
};
const u32 = (n: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(n);
  return bytes;
};

/** A zip of these entries, in this order; compressed but for `mimetype`. */
export function zipOf(entries: Readonly<Record<string, string>>): Buffer<ArrayBuffer> {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [name, text] of Object.entries(entries)) {
    const stored = name === 'mimetype';
    const plain = Buffer.from(text);
    const data = stored ? plain : deflateRawSync(plain);
    const about = [
      u16(20),
      u16(0),
      u16(stored ? 0 : 8),
      u32(0),
      u32(checksum(plain)),
      u32(data.length),
      u32(plain.length),
      u16(Buffer.byteLength(name)),
      u16(0),
    ];
    const local = Buffer.concat([latin1('PK\x03\x04'), ...about, Buffer.from(name), data]);
    directory.push(
      Buffer.concat([
        latin1('PK\x01\x02'),
        u16(20),
        ...about,
        u16(0),
        u16(0),
        u16(0),
        u32(0),
        u32(at),
        Buffer.from(name),
      ]),
    );
    parts.push(local);
    at += local.length;
  }
  const central = Buffer.concat(directory);
  const count = u16(directory.length);
  const end = [latin1('PK\x05\x06'), u16(0), u16(0), count, count, u32(central.length), u32(at), u16(0)];
  return Buffer.concat([...parts, central, ...end]) as Buffer<ArrayBuffer>;
}

/** Node 20.19 may have none of its own. */
const checksum = (bytes: Buffer) => (typeof crc32 === 'function' ? crc32(bytes) : 0);

const contentTypes = (main: string) => `<Types><Override PartName="/x" ContentType="${main}"/></Types>`;
const wordXml = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';

const utf16 = (text: string) => Buffer.from(text, 'utf16le');
const compound = (...streams: readonly string[]) =>
  Buffer.concat([latin1('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'), Buffer.alloc(504), ...streams.map(utf16)]);

/** By what they are. */
export const samples = {
  pdf: latin1('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n'),
  png: Buffer.concat([latin1('\x89PNG\r\n\x1a\n\0\0\0\rIHDR'), Buffer.alloc(20)]),
  jpeg: latin1('\xff\xd8\xff\xe0\0\x10JFIF\0\x01'),
  gif: latin1('GIF89a\x01\0\x01\0\0\0\0;'),
  webp: latin1('RIFF\x24\0\0\0WEBPVP8 '),
  heic: latin1('\0\0\0\x18ftypheic\0\0\0\0mif1heic'),
  avif: latin1('\0\0\0\x1cftypavif\0\0\0\0avifmif1'),
  mp4: latin1('\0\0\0\x18ftypisom\0\0\x02\0isommp41'),
  mov: latin1('\0\0\0\x14ftypqt  \0\0\0\0qt  '),
  webm: latin1('\x1a\x45\xdf\xa3\x01\0\0\0\0\0\0\x1fB\x86\x81\x01B\x82\x84webm'),
  mp3: latin1('ID3\x04\0\0\0\0\0#TSSE'),
  wav: latin1('RIFF\x24\0\0\0WAVEfmt '),
  ogg: latin1('OggS\0\x02\0\0\0\0OpusHead'),
  docx: zipOf({ '[Content_Types].xml': contentTypes(wordXml), 'word/document.xml': '<w/>' }),
  xlsx: zipOf({
    'xl/workbook.xml': '<w/>',
    '[Content_Types].xml': contentTypes(
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml',
    ),
  }),
  docm: zipOf({
    '[Content_Types].xml': contentTypes('application/vnd.ms-word.document.macroEnabled.main+xml'),
    'word/document.xml': '<w/>',
    'word/anything.bin': 'macros',
  }),
  odt: zipOf({ mimetype: 'application/vnd.oasis.opendocument.text', 'content.xml': '<o/>' }),
  odtWithMacros: zipOf({
    mimetype: 'application/vnd.oasis.opendocument.text',
    'content.xml': '<o/>',
    'Basic/Standard/Module1.xml': 'Sub',
  }),
  doc: compound('Root Entry', 'WordDocument'),
  docWithMacros: compound('Root Entry', 'WordDocument', '_VBA_PROJECT'),
  encryptedDocx: compound('Root Entry', 'EncryptedPackage'),
  rtf: latin1('{\\rtf1\\ansi Hello}'),
  zip: zipOf({ 'readme.txt': 'Hello' }),
  jar: zipOf({ 'META-INF/MANIFEST.MF': 'Manifest-Version: 1.0' }),
  gz: latin1('\x1f\x8b\x08\0\0\0\0\0'),
  txt: Buffer.from('Grüße aus Köln\r\n'),
  windowsTxt: latin1('Gr\xfc\xdfe aus K\xf6ln\r\n'),
  utf16Txt: Buffer.from('\ufeffGrüße aus Köln\r\n', 'utf16le'),
  csv: Buffer.from('a;b\r\n1;2\r\n'),
  html: latin1('<!DOCTYPE html><title>x</title><script>alert(1)</script>'),
  utf16Html: Buffer.from('\ufeff<html><script>alert(1)</script>', 'utf16le'),
  svg: latin1('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
  svgInXml: latin1(`<?xml version="1.0"?>${' '.repeat(5_000)}<svg xmlns="http://www.w3.org/2000/svg"/>`),
  xml: latin1('<?xml version="1.0"?><invoice/>'),
  script: latin1('#!/bin/sh\nrm -rf /\n'),
  exe: latin1('MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff\0\0'),
  elf: latin1('\x7fELF\x02\x01\x01\0'),
  lnk: latin1('L\0\0\0\x01\x14\x02\0\0\0\0\0'),
  url: latin1('[InternetShortcut]\r\nURL=https://evil.example/\r\n'),
  htmlWithPdf: latin1(`<html><script>alert(1)</script>${' '.repeat(450)}%PDF-1.4`),
  textWithPdf: latin1(`alert(1)//${'x'.repeat(490)}%PDF-1.4`),
  data: latin1('\x01\x02\x03\x04\x05\xfe\0\0'),
} as const;
