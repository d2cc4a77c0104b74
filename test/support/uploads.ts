/** Bodies with files, as browsers send them. */

export const boundary = '----formrelay';

export const multipartType = `multipart/form-data; boundary=${boundary}`;

/** One file of so many bytes in the field `cv`, and a name. */
export function upload(bytes: number, name = 'Ann'): Buffer {
  return Buffer.concat([
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="name"\r\n\r\n${name}\r\n` +
        `--${boundary}\r\nContent-Disposition: form-data; name="cv"; filename="cv.txt"\r\nContent-Type: text/plain\r\n\r\n`,
    ),
    Buffer.alloc(bytes, 'x'),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
}

/** The head of a post with files to the form `contact`, with further header lines, up to the body. */
export const uploadHead = (...lines: readonly string[]) =>
  [
    'POST /api/v1/submit/contact HTTP/1.1',
    'Host: forms.test',
    `Content-Type: ${multipartType}`,
    ...lines,
    '',
    '',
  ].join('\r\n');
