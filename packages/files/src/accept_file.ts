import { cleanName, endingOf, withEnding } from '@form-relay/base/file_names';
import { err, ok } from '@form-relay/base/result';
import type { Result, SentFile, UploadedFile } from '@form-relay/core/index';
import { accepts, type Entry } from './accept.ts';
import { type Kind, kindsCalled, kindsEnding } from './file_kinds.ts';
import { kindsOf } from './sniff.ts';

type Rejection = 'file_refused' | 'file_is_another' | 'file_not_accepted';

/**
 * Accepts a file as the type that its first bytes indicate. The file's name and declared type must agree, if they mean
 * anything. Without `accept`, all types are accepted except harmful ones.
 */
export function takeFile(
  sent: SentFile,
  accept: readonly Entry[] | undefined,
): Result<UploadedFile, Rejection> {
  const declared = sent.type.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const possible = kindsOf(sent.bytes);
  const name = cleanName(sent.name, possible[0]?.endings[0]);
  const ending = endingOf(name);
  const kind =
    possible.find(({ endings }) => endings.includes(ending)) ??
    possible.find(({ type }) => type === declared) ??
    possible[0];

  const byName = kindsEnding(ending);
  if (accept) {
    if (!accepts(accept, kind, ending)) {
      const seems =
        accept.some((one) => one.ending === ending) || byName.some((one) => accepts(accept, one, ending));
      return err(seems ? 'file_is_another' : 'file_not_accepted');
    }
  } else if (kind?.canHarm || (byName.length > 0 && byName.every(({ canHarm }) => canHarm))) {
    return err('file_refused');
  }
  const isNamed = accept?.some((one) => one.ending === ending) ?? false;
  const byType = kindsCalled(declared);
  if (!isNamed && !(agrees(kind, byName) && agrees(kind, byType))) return err('file_is_another');

  const isRightEnding =
    isNamed || kind === undefined || (byName.length === 0 && ending !== '') || kind.endings.includes(ending);
  return ok({
    name: isRightEnding ? name : withEnding(name, kind.endings[0] ?? ''),
    type: kind?.type ?? 'application/octet-stream',
    bytes: sent.bytes,
  });
}

/** Whether a name or declared type allows this kind: it has no meaning, or includes the kind or a related one. */
const agrees = (kind: Kind | undefined, said: readonly Kind[]) =>
  said.length === 0 ||
  said.some((one) => one === kind || (kind?.group !== undefined && one.group === kind.group));
