/** Images and fonts of `look`: read along with the config, checked, and served at URLs whose content never changes. */

import { createHash } from 'node:crypto';
import { err, ok, type Result } from '@form-relay/base/result';
import { jsonAnswer } from '@form-relay/core/html/fragments';
import type { PublicRoute, TopContext } from '@form-relay/core/plugin';

export interface LookFile {
  /** Relative to the relay's URL, or a URL on another server. */
  readonly address: string;
  /** `undefined`: another server hosts the file. */
  readonly content: { readonly type: string; readonly body: string; readonly isBase64?: true } | undefined;
  /** Why a part of the file is ignored. */
  readonly remark?: string;
}

/** File types by their first bytes in base64, which tell the type whatever the file's name is. */
const kinds = [
  { start: /^iVBORw0KGgo/, type: 'image/png', ending: 'png' },
  { start: /^\/9j\//, type: 'image/jpeg', ending: 'jpg' },
  { start: /^R0lGOD/, type: 'image/gif', ending: 'gif' },
  { start: /^UklGR.{7}RUJQ/, type: 'image/webp', ending: 'webp' },
  { start: /^d09GM/, type: 'font/woff2', ending: 'woff2' },
] as const;

const mostBytes = 1_048_576;

/** @param isFont Otherwise, the file is an image. */
export async function readLookFile(
  path: string,
  isFont: boolean,
  read: TopContext['readSibling'],
): Promise<Result<LookFile, string>> {
  if (/^https:\/\//i.test(path)) return ok({ address: path, content: undefined });
  const sibling = await read(path);
  if (!sibling.ok) return err(`${path}: ${sibling.error}`);
  const { text } = sibling.value;
  const [, base64] = /^data:[\w/+.-]*;base64,(.*)$/s.exec(text) ?? [];
  const bytes = base64 === undefined ? Buffer.byteLength(text) : (base64.length * 3) / 4;
  if (bytes > mostBytes)
    return err(
      `${path} is ${(bytes / mostBytes).toFixed(1)} MB, which every visitor would load; the limit is 1 MB`,
    );
  if (base64 === undefined) return isFont ? err(notFont(path)) : svgOf(path, text);
  const kind = kinds.find(({ start }) => start.test(base64));
  if (!kind || isFont !== (kind.ending === 'woff2')) return err(isFont ? notFont(path) : notPicture(path));
  const content = { type: kind.type, body: base64, isBase64: true } as const;
  return ok({ address: addressOf(base64, kind.ending), content });
}

const notFont = (path: string) => `${path} is not a WOFF2 font`;
const notPicture = (path: string) => `${path} is not a picture; expected PNG, JPEG, WebP, GIF or SVG`;

function svgOf(path: string, text: string): Result<LookFile, string> {
  if (!/<svg[\s>]/i.test(text.slice(0, 10_000))) return err(notPicture(path));
  const isActive = /<script|<foreignObject|\son[a-z]+\s*=|javascript:|<!ENTITY/i.test(text);
  return ok({
    address: addressOf(text, 'svg'),
    content: { type: 'image/svg+xml; charset=utf-8', body: text },
    ...(isActive && { remark: `${path} contains a script, which browsers do not run here` }),
  });
}

const addressOf = (body: string, ending: string) =>
  `/api/v1/look/${createHash('sha256').update(body).digest('hex').slice(0, 24)}.${ending}`;

/** An SVG that is opened directly neither runs scripts nor loads anything. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

export const fileRoute: PublicRoute = {
  matches: (path) => /^\/api\/v1\/look\/[0-9a-f]{24}\.[a-z0-9]+$/.test(path),
  isFree: true,
  answer: async ({ path }, { config }) => {
    for (const { provided } of (await config.forms())?.values() ?? []) {
      const file = provided.get('look')?.files.find(({ address }) => address === path);
      if (!file?.content) continue;
      const { type, body, isBase64 } = file.content;
      const headers = {
        'content-type': type,
        'cache-control': 'public, max-age=31536000, immutable',
        'content-security-policy': policy,
        'x-content-type-options': 'nosniff',
      };
      return { status: 200, headers, body, isFixed: true, ...(isBase64 && { isBase64 }) };
    }
    return jsonAnswer(404, { error: 'the file does not exist' });
  },
};
