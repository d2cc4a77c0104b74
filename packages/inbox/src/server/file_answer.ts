import type { LetterFile } from '../api.ts';
import type { Answer } from './answer.ts';
import type { StoredFile } from './documents.ts';

const images = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** How the page may show a file. Its bytes are looked at when it is sent. */
export const previewOf = (type: string): LetterFile['preview'] =>
  images.includes(type) ? 'image' : type === 'text/plain' ? 'text' : undefined;

/** A file of a visitor. Nothing in it runs or loads anything; all but safe images and plain text is saved. */
export function fileAnswer({ bytes, name, type }: StoredFile, isSaved: boolean): Answer {
  const shown = isSaved ? undefined : shownAs(type, bytes);
  return {
    status: 200,
    headers: {
      'content-type': shown ?? 'application/octet-stream',
      'content-disposition': disposition(shown ? 'inline' : 'attachment', name),
      'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'self'",
    },
    body: bytes,
  };
}

function shownAs(type: string, bytes: Uint8Array): string | undefined {
  if (type === 'text/plain') return 'text/plain; charset=utf-8';
  return images.includes(type) && imageType(bytes) === type ? type : undefined;
}

/** By the bytes that each kind begins with. */
function imageType(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 12)).toString('latin1');
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(start)) return 'image/gif';
  return start.startsWith('RIFF') && start.slice(8) === 'WEBP' ? 'image/webp' : undefined;
}

/** RFC 6266. Names hold any character; headers hold few. */
export function disposition(kind: 'inline' | 'attachment', name: string): string {
  const clean = name.slice(0, 200).replaceAll(/[\p{Surrogate}\0-\x1f\x7f-\x9f/\\]/gu, '_');
  const plain = clean.replaceAll(/[^\w .()+,-]/g, '_') || 'file';
  const encoded = encodeURIComponent(clean).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
