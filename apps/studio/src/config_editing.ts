import { isUtf8 } from 'node:buffer';
import { parseQuery } from '@form-relay/base/urlencoded';
import type { RelayRequest, RelayResponse, Result } from '@form-relay/core/index';
import { answer, nothing } from './answers.ts';
import { maxDraftBytes, tooLongToEdit } from './draft_size.ts';
import { isOwnPage } from './guard.ts';
import type { LiveConfig } from './live_config.ts';
import type { StudioState, Written } from './state.ts';

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
