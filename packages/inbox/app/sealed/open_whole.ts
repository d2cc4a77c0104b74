/** A sealed submission in the form that delivering again and restoring send: its document, with its files in base64. */
import type { Result } from '@form-relay/core/base/result';
import type { ArchiveDocument } from '@form-relay/more-outputs/archive_layout';
import type { Sealed } from './sealed.ts';

export async function openWhole(
  sealed: Pick<Sealed, 'open' | 'openFile'>,
  id: string,
): Promise<Result<ArchiveDocument & { readonly contents: readonly string[] }, string>> {
  const document = await sealed.open(id);
  if (!document.ok) return document;
  const contents: string[] = [];
  for (const index of document.value.files.keys()) {
    const file = await sealed.openFile(id, index + 1);
    if (!file.ok) return file;
    contents.push(await inBase64(file.value.bytes));
  }
  return { ok: true, value: { ...document.value, contents } };
}

const inBase64 = (bytes: Uint8Array<ArrayBuffer>): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(new Blob([bytes]));
  });
