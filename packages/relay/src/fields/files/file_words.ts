import type { Say } from '../../messages/message.ts';

/** What outputs have for a file, such as `cv.pdf (1.2 MB)`, in a language. */
export function fileWords(stored: string, say: Say): string {
  const [, name, count, unit] = /^(.+) \(([\d.]+) (bytes?|KB|MB)\)$/s.exec(stored) ?? [];
  if (name === undefined) return stored;
  const bytes = Number(count) * (unit === 'MB' ? 1_024 * 1_024 : unit === 'KB' ? 1_024 : 1);
  return say({ code: 'mail_file', params: { name, size: { bytes } } });
}
