import type { SentFile, UploadedFile } from '../../base/files.ts';
import { err, ok, type Result } from '../../base/result.ts';
import type { MessageCode } from '../../messages/message.ts';
import { type Entry, takes } from './accept.ts';
import { cleanName, endingOf, withEnding } from './clean_name.ts';
import { type Kind, kindsCalled, kindsEnding } from './kinds.ts';
import { kindsOf } from './sniff.ts';

/** Why a file is not taken. */
type Refused = Extract<MessageCode, 'file_refused' | 'file_is_another' | 'file_not_accepted'>;

/**
 * Takes a file for what its first bytes say. Its name and its declared type have to agree with that, as far as they say
 * anything (D73). Without `accept`, everything is taken but what can do harm.
 */
export function takeFile(
  sent: SentFile,
  accept: readonly Entry[] | undefined,
): Result<UploadedFile, Refused> {
  const declared = sent.type.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const possible = kindsOf(sent.bytes);
  const name = cleanName(sent.name, possible[0]?.endings[0]);
  const ending = endingOf(name);
  const kind =
    possible.find(({ endings }) => endings.includes(ending)) ??
    possible.find(({ type }) => type === declared) ??
    possible[0];
  const refused = (code: Refused) => err(code);

  const byName = kindsEnding(ending);
  if (accept) {
    if (!takes(accept, kind, ending)) {
      const seems =
        accept.some((one) => one.ending === ending) || byName.some((one) => takes(accept, one, ending));
      return refused(seems ? 'file_is_another' : 'file_not_accepted');
    }
  } else if (kind?.canHarm || (byName.length > 0 && byName.every(({ canHarm }) => canHarm))) {
    return refused('file_refused');
  }
  const isNamed = accept?.some((one) => one.ending === ending) ?? false;
  const byType = kindsCalled(declared);
  if (!isNamed && !(agrees(kind, byName) && agrees(kind, byType))) return refused('file_is_another');

  const type = kind?.type ?? 'application/octet-stream';
  const bytes = sent.bytes;
  const isRightEnding =
    isNamed || kind === undefined || (byName.length === 0 && ending !== '') || kind.endings.includes(ending);
  return ok({ name: isRightEnding ? name : withEnding(name, kind.endings[0] ?? ''), type, bytes });
}

/** Whether what is said of a file may be so: it says nothing, or that it is of this kind, or of one like it. */
const agrees = (kind: Kind | undefined, said: readonly Kind[]) =>
  said.length === 0 ||
  said.some((one) => one === kind || (kind?.group !== undefined && one.group === kind.group));
