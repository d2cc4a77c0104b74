/** Webhooks with files: what is sent is made while it is sent, so that no file is held twice. */
import { createHash } from 'node:crypto';
import { sizeInWords, type UploadedFile } from '../files.ts';
import type { Streamed } from '../streamed.ts';
import type { HttpMessage } from '../transports/http/http_message.ts';
import { aboutFile, type FileInJson } from './json_value.ts';

type Content = Pick<HttpMessage, 'contentType' | 'body' | 'streamed'>;

/** Makes the JSON, as what `JSON.stringify` takes. */
type Render = (fileInJson: FileInJson) => unknown;

/** Stands in what becomes JSON, for the text that a file's bytes are there. */
class Base64 {
  readonly file: UploadedFile;

  constructor(file: UploadedFile) {
    this.file = file;
  }
}

/** One JSON text, which holds the files. */
export function asBase64(render: Render): Content {
  const tree = render((file, part) => ({ ...aboutFile(file, part), content: new Base64(file) }));
  const pieces = joined(piecesOf(tree));
  const lengthOf = (piece: Piece) =>
    typeof piece === 'string' ? Buffer.byteLength(piece) : base64Length(piece.file.bytes.length);
  const streamed: Streamed = {
    byteLength: pieces.reduce((sum, piece) => sum + lengthOf(piece), 0),
    *pieces() {
      for (const piece of pieces) {
        if (typeof piece === 'string') yield Buffer.from(piece);
        else yield* base64Of(piece.file.bytes);
      }
    },
  };
  const shown = pieces.map((piece) =>
    typeof piece === 'string' ? piece : insideJson(`(base64 of ${inWords(piece.file)})`),
  );
  return { contentType: 'application/json', body: shown.join(''), streamed };
}

/** The JSON in a part of its own, and each file that it names in another (RFC 7578). */
export function asParts(render: Render, id: string): Content {
  const files = new Map<string, UploadedFile>();
  const tree = render((file, wanted) => {
    let part = wanted;
    // A field may be called `photos[0]`, beside one called `photos`. What the JSON says twice is sent once.
    while (files.has(part) && files.get(part) !== file) part += '_';
    files.set(part, file);
    return { ...aboutFile(file, part), part };
  });
  // Nobody who writes a file can know the id, and so no file holds this.
  const boundary = `form-relay-${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
  // Without a media type: to many receivers, a part with one is a file.
  const json = `--${boundary}\r\n${disposition('payload')}\r\n\r\n${JSON.stringify(tree)}\r\n`;
  const parts = [...files].map(([part, file]) => {
    const head = `${disposition(part)}; filename="${quoted(file.name)}"\r\nContent-Type: ${file.type}`;
    return { head: `--${boundary}\r\n${head}\r\n\r\n`, file };
  });
  const end = `--${boundary}--\r\n`;
  const texts = [json, ...parts.map(({ head }) => `${head}\r\n`), end];
  const streamed: Streamed = {
    byteLength:
      texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) +
      parts.reduce((sum, { file }) => sum + file.bytes.length, 0),
    *pieces() {
      let before = json;
      for (const { head, file } of parts) {
        yield Buffer.from(before + head);
        yield* slices(file.bytes);
        before = '\r\n';
      }
      yield Buffer.from(before + end);
    },
  };
  const shown = parts.map(({ head, file }) => `${head}(the bytes of ${inWords(file)})\r\n`);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: json + shown.join('') + end,
    streamed,
  };
}

const disposition = (name: string) => `Content-Disposition: form-data; name="${quoted(name)}"`;

/** As browsers write names (HTML: multipart/form-data encoding algorithm). */
const quoted = (name: string) => name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

const inWords = ({ name, bytes }: UploadedFile) => `${name}, ${sizeInWords(bytes.length)}`;

const insideJson = (text: string) => JSON.stringify(text).slice(1, -1);

type Piece = string | Base64;

/** What `JSON.stringify` makes of it, cut where the content of a file is to stand. */
function* piecesOf(value: unknown): Generator<Piece> {
  if (value instanceof Base64) {
    yield '"';
    yield value;
    yield '"';
  } else if (Array.isArray(value)) {
    yield '[';
    for (const [index, item] of value.entries()) {
      if (index > 0) yield ',';
      yield* piecesOf(item);
    }
    yield ']';
  } else if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    yield '{';
    for (const [index, [key, item]] of entries.entries()) {
      yield `${index > 0 ? ',' : ''}${JSON.stringify(key)}:`;
      yield* piecesOf(item);
    }
    yield '}';
  } else {
    yield JSON.stringify(value);
  }
}

/** With each text that follows another in one. */
function joined(pieces: Iterable<Piece>): readonly Piece[] {
  const all: Piece[] = [];
  for (const piece of pieces) {
    const last = all.at(-1);
    if (typeof piece === 'string' && typeof last === 'string') all[all.length - 1] = last + piece;
    else all.push(piece);
  }
  return all;
}

const base64Length = (bytes: number) => Math.ceil(bytes / 3) * 4;

/** A multiple of three, so that no padding stands between two pieces. */
const base64StepBytes = 48 * 1_024;

function* base64Of(bytes: Uint8Array): Generator<Uint8Array> {
  for (const slice of slices(bytes, base64StepBytes)) yield Buffer.from(slice.toString('base64'), 'latin1');
}

function* slices(bytes: Uint8Array, stepBytes = 1_048_576): Generator<Buffer> {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let from = 0; from < all.length; from += stepBytes) yield all.subarray(from, from + stepBytes);
}
