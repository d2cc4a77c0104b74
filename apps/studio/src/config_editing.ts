import { isUtf8 } from 'node:buffer';
import { maxConfigBytes } from '@form-relay/base/owners_text';
import type { RelayRequest, RelayResponse, Result } from '@form-relay/core/index';
import { parseQuery } from '@form-relay/core/kit';
import { answer, nothing } from './answers.ts';
import { isOwnPage } from './guard.ts';
import type { LiveConfig } from './live_config.ts';
import type { StudioState, Written } from './state.ts';

/** Below it, the page changes the config. */
export const configPath = '/studio/config/';

/** How long the body of a request may be, in bytes: a draft as long as a file, from the studio's own page alone. */
export const bodyLimitOf = (head: Pick<RelayRequest, 'path' | 'headers'>): number | undefined =>
  head.path === `${configPath}draft` && isOwnPage(head) ? maxConfigBytes : undefined;

/** A draft, or the file itself: for the studio's own page alone. `stateNow`: as the page shows it. */
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
  switch (path) {
    case `${configPath}draft`:
      if (isTooLong || body.length > maxConfigBytes)
        return answer('text/plain', 'a config has 16 MB at most', {}, 413);
      if (!isUtf8(body)) return answer('text/plain', 'this is no text', {}, 400);
      await config.draft(Buffer.from(body).toString('utf8'), given.get('on')?.[0]);
      return written();
    case `${configPath}discard`:
      await config.discard();
      return written();
    case `${configPath}save`:
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
