/** Reads new mails of a mailbox on this machine: an mbox file (RFC 4155), or a Maildir (https://cr.yp.to/proto/maildir.html). */
import { constants } from 'node:fs';
import { access, open, readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ClientError, failed } from '../../base/client_error.ts';
import type { MailboxReading, ReadMailbox, UnreadMail } from '../../base/effects.ts';
import { folderFailure } from '../folder/store_file.ts';
import { withoutWaiting } from '../text_file.ts';

/** How much is read at once. */
const mostBytes = 4_194_304;

/** The beginning of a mail says all that counts. */
const mostMailBytes = 262_144;
const mostMails = 200;

/** A mail that is still being written has no end yet. */
const restMs = 5_000;

export const readMailbox: ReadMailbox = async ({ path, after }) => {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return await readMaildir(path);
    if (found.isFile()) return await readMbox(path, after);
    throw failed('mailbox_malformed');
  } catch (error) {
    throw mailboxFailure(error, path);
  }
};

function mailboxFailure(error: unknown, path: string): unknown {
  const { code, path: at = path } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'ENOENT':
      return failed('mailbox_missing', { path: at });
    case 'EACCES':
    case 'EPERM':
      return failed('mailbox_denied', { path: at });
    case 'EROFS':
      return failed('mailbox_read_only', { path: at });
    default:
      return folderFailure(error, path);
  }
}

/** Mails in `new`, which then go to `cur` as seen, where they stay. */
async function readMaildir(path: string): Promise<MailboxReading> {
  for (const one of ['new', 'cur']) await access(join(path, one), constants.W_OK);
  const names = (await readdir(join(path, 'new'))).filter((name) => !name.startsWith('.')).sort();
  const mails: Buffer[] = [];
  const read: string[] = [];
  const unread: UnreadMail[] = [];
  for (const name of names) {
    if (read.length >= mostMails) break;
    const file = join(path, 'new', name);
    try {
      const mail = await readStart(file);
      read.push(name);
      if (mail) mails.push(mail);
    } catch (error) {
      const isLink = (error as NodeJS.ErrnoException).code === 'ENOENT';
      const failure = isLink ? failed('mail_link_broken') : mailboxFailure(error, file);
      if (!(failure instanceof ClientError)) throw failure;
      unread.push({ path: file, reason: failure.message });
    }
  }
  const finish = async () => {
    try {
      for (const name of read) await rename(join(path, 'new', name), join(path, 'cur', `${name}:2,S`));
    } catch (error) {
      throw mailboxFailure(error, path);
    }
  };
  return { mails, after: '', unread, finish };
}

/** `undefined` if it is no file. */
async function readStart(path: string): Promise<Buffer | undefined> {
  const file = await open(path, withoutWaiting);
  try {
    const found = await file.stat();
    if (!found.isFile()) return undefined;
    const length = Math.min(found.size, mostMailBytes);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/**
 * The mails added to the file since the last time. The file is only read, never locked or changed: programs append to it, and its owner
 * rotates it, after which it has another inode or is shorter.
 */
async function readMbox(path: string, after: string | undefined): Promise<MailboxReading> {
  const file = await open(path, withoutWaiting);
  try {
    const { ino, size, mtimeMs } = await file.stat();
    const [, inode, offset] = /^(\d+):(\d+)$/.exec(after ?? '') ?? [];
    const start = inode === String(ino) && Number(offset) <= size ? Number(offset) : 0;
    const length = Math.min(mostBytes, size - start);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, start);
    const isEnd = start + bytesRead >= size && Date.now() - mtimeMs >= restMs;
    const { mails, end } = mailsIn(buffer.subarray(0, bytesRead), isEnd, bytesRead === mostBytes);
    return { mails, after: `${ino}:${start + end}`, finish: async () => {} };
  } finally {
    await file.close();
  }
}

const separator = Buffer.from('\nFrom ');
const first = Buffer.from('From ');

/**
 * @param isEnd Whether the last mail is whole.
 * @param isFull Whether there is no room for more of it. If it is the only one, its beginning counts, and the rest is skipped.
 */
export function mailsIn(
  bytes: Buffer,
  isEnd: boolean,
  isFull = false,
): { readonly mails: readonly Buffer[]; readonly end: number } {
  const mails: Buffer[] = [];
  // The next separator may have begun.
  const cut = isEnd ? bytes.length : bytes.length - separator.length;
  const isAtMail = bytes.subarray(0, first.length).equals(first);
  // The rest of a mail whose beginning counted.
  let at = isAtMail ? 0 : bytes.indexOf(separator) + 1;
  if (at === 0 && !isAtMail) return { mails, end: isEnd || isFull ? cut : 0 };
  while (mails.length < mostMails) {
    const next = bytes.indexOf(separator, at);
    if (next < 0 && !isEnd && !(isFull && at === 0)) break;
    const end = next < 0 ? cut : next + 1;
    const line = bytes.indexOf('\n', at);
    if (line >= 0 && line < end)
      mails.push(bytes.subarray(line + 1, Math.min(end, line + 1 + mostMailBytes)));
    at = end;
    if (next < 0) break;
  }
  return { mails, end: at };
}
