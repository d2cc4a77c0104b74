/** Changes that servers and editors make to bodies, and how to undo them. */
export type BodyChange =
  | 'line_break_added'
  | 'line_break_lost'
  | 'line_breaks_made_crlf'
  | 'line_breaks_made_lf'
  | 'mark_added'
  | 'written_anew'
  | 'encoded_twice'
  | 'more_follows';

/** Bodies that this one may have been, each with what made this one of it. */
export function bodyChanges(
  body: Buffer,
  announcedBytes: number,
): readonly (readonly [BodyChange, original: Buffer])[] {
  const bytes = body.toString('latin1');
  const like = (change: BodyChange, original: string) => [change, Buffer.from(original, 'latin1')] as const;
  return [
    like('line_break_added', bytes.replace(/\r?\n$/, '')),
    like('line_break_lost', `${bytes}\n`),
    like('line_break_lost', `${bytes}\r\n`),
    like('line_breaks_made_crlf', bytes.replaceAll('\r\n', '\n')),
    like('line_breaks_made_lf', bytes.replaceAll(/\r?\n/g, '\r\n')),
    like('mark_added', bytes.replace(/^\xef\xbb\xbf/, '')),
    like('more_follows', bytes.slice(0, announcedBytes)),
    ...encodedTwice(body).map((original) => ['encoded_twice', original] as const),
    ...writtenAnew(body).map((original) => ['written_anew', Buffer.from(original)] as const),
  ];
}

/** UTF-8 that was read as Latin-1 and written as UTF-8 again. */
function encodedTwice(body: Buffer): readonly Buffer[] {
  const text = body.toString('utf8');
  return /[^\0-\xff]/.test(text) ? [] : [Buffer.from(text, 'latin1')];
}

/** JSON as most write it, without spaces, though it was parsed and written with some, or with other escapes. */
function writtenAnew(body: Buffer): readonly string[] {
  try {
    return [JSON.stringify(JSON.parse(body.toString('utf8')))];
  } catch {
    return [];
  }
}
