import { isUtf8 } from 'node:buffer';
import { parseQuery } from '@form-relay/base/urlencoded';
import type { RelayRequest, RelayResponse, Result } from '@form-relay/core/index';
import type { Problem } from '@form-relay/yaml/problem';
import type { Json, Path } from '../edit/model.ts';
import { answer, nothing } from './answers.ts';
import type { LiveConfig } from './live_config.ts';
import type { Fix, StudioState, Written } from './state.ts';
import { maxDraftBytes, tooLongToEdit } from './state.ts';
import { isOwnPage } from './studio_server.ts';

/** Below it, the page changes the config. */
export const configPath = '/studio/config/';

/** How long the body of a request may be, in bytes: a draft from the studio's own page may be longer than other bodies. */
export const bodyLimitOf = (head: Pick<RelayRequest, 'path' | 'headers'>): number | undefined =>
  head.path === `${configPath}draft` && isOwnPage(head) ? maxDraftBytes : undefined;

/** Changes a draft, or the file itself: only for the studio's own page. `stateNow`: as the page shows it. */
export async function editConfig(
  config: LiveConfig,
  request: RelayRequest,
  stateNow: () => StudioState,
): Promise<RelayResponse> {
  const { path, query, isTooLong, body = new Uint8Array() } = request;
  if (!isOwnPage(request)) return answer('text/plain', 'only the studio itself may do this', {}, 403);
  const given = parseQuery(query) ?? new Map<string, string[]>();
  const written = (outcome: Omit<Written, 'state'> = {}) =>
    answer('application/json', JSON.stringify({ state: stateNow(), ...outcome } satisfies Written));
  const isOutdated = config.isOutdated(given.get('over')?.[0]);
  switch (path) {
    case `${configPath}draft`:
      if (isTooLong || body.length > maxDraftBytes) return answer('text/plain', tooLongToEdit, {}, 413);
      if (!isUtf8(body)) return answer('text/plain', 'this is no text', {}, 400);
      if (isOutdated) return written({ isOutdated });
      await config.draft(Buffer.from(body).toString('utf8'), given.get('on')?.[0]);
      return written();
    case `${configPath}discard`:
      if (isOutdated) return written({ isOutdated });
      await config.discard();
      return written();
    case `${configPath}save`:
      if (isOutdated) return written({ isOutdated });
      return written(
        outcomeOf(await config.save({ overtaken: given.has('anyway'), broken: given.has('broken') })),
      );
    default:
      return nothing(404);
  }
}

const outcomeOf = (written: Result<'saved' | 'changed' | 'broken', string>): Omit<Written, 'state'> =>
  written.ok
    ? { isBroken: written.value === 'broken', isChanged: written.value === 'changed' }
    : { trouble: written.error };

/** The fixes that a click applies: a problem's advice, where that leaves nothing to choose. */

export function fixOf({ code, path: written, meant, fix }: Problem): Fix | undefined {
  if (meant) return { name: `Change to ${meant.text}`, text: meant.text };
  const path = pathIn(written);
  if (code === 'output_address_reserved') return { name: 'Choose where it goes', outputsOf: String(path[1]) };
  if (!fix) return undefined;
  if (fix === 'remove') return { name: `Remove ${path.at(-1)}`, actions: [{ do: 'remove', path }] };
  const [first] = fix;
  return (
    first && {
      name: `Set ${first[0].at(-1)} to ${shown(first[1])}`,
      actions: fix.map(([at, value]) => ({ do: 'set', path: at, value: value as Json })),
    }
  );
}

/** A block is named by its first value. */
const shown = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? Object.values(value)[0] : value;

/** As `formatPath` of packages/yaml/src/problem.ts writes it. */
const pathIn = (text: string): Path =>
  [...text.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g)].map(([, index, quoted, name = '']) =>
    index !== undefined ? Number(index) : quoted !== undefined ? JSON.parse(quoted) : name,
  );
