/** Webhooks with files: what is sent is made while it is sent, so that no file is held twice. */
import { createHash } from 'node:crypto';
import { fileInWords, type UploadedFile } from '../base/files.ts';
import { base64Of, joined, jsonOf, sliced } from '../base/pieces.ts';
import type { HttpMessage } from '../transports/http/http_message.ts';
import { base64InWords } from '../transports/mail/shown_mail.ts';
import { aboutFile, type FileInJson } from './json_value.ts';

type Content = Pick<HttpMessage, 'contentType' | 'body' | 'streamed'>;

/** Makes the JSON, as what `JSON.stringify` takes. */
type Render = (fileInJson: FileInJson) => unknown;

/** One JSON text, which holds the files. */
export function asBase64(render: Render): Content {
  const tree = render((file, part) => ({
    ...aboutFile(file, part),
    // For people, `JSON.stringify` makes words of it.
    content: { ...base64Of(file.bytes), toJSON: () => base64InWords(file) },
  }));
  return { contentType: 'application/json', body: JSON.stringify(tree), streamed: jsonOf(tree) };
}

/** The JSON in a part of its own, and each file that it names in another (RFC 7578). */
export function asParts(render: Render, id: string): Content {
  const files = new Map<string, UploadedFile>();
  const tree = render((file, wanted) => {
    let part = wanted;
    // A field may be called `payload`, or `photos[0]` beside one called `photos`. What the JSON says twice is sent once.
    while (part === json || (files.has(part) && files.get(part) !== file)) part += '_';
    files.set(part, file);
    return { ...aboutFile(file, part), part };
  });
  // Nobody who writes a file can know the id, and so no file holds this.
  const boundary = `form-relay-${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
  const withFiles = <T>(contentOf: (file: UploadedFile) => T): readonly (string | T)[] => [
    // Without a media type: to many receivers, a part with one is a file.
    `--${boundary}\r\n${disposition(json)}\r\n\r\n${JSON.stringify(tree)}\r\n`,
    ...[...files].flatMap(([part, file]) => [
      `--${boundary}\r\n${disposition(part)}; filename="${quoted(file.name)}"\r\nContent-Type: ${file.type}\r\n\r\n`,
      contentOf(file),
      '\r\n',
    ]),
    `--${boundary}--\r\n`,
  ];
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: withFiles((file) => `(the bytes of ${fileInWords(file)})`).join(''),
    streamed: joined(withFiles(({ bytes }) => sliced(bytes))),
  };
}

/** The part that holds the JSON. */
const json = 'payload';

const disposition = (name: string) => `Content-Disposition: form-data; name="${quoted(name)}"`;

/** As browsers write names (HTML: multipart/form-data encoding algorithm). */
const quoted = (name: string) => name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
