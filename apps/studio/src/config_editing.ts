import { isUtf8 } from 'node:buffer';
import { parseQuery } from '@form-relay/base/urlencoded';
import type { RelayRequest, RelayResponse, Result } from '@form-relay/core/index';
import { answer, nothing } from './answers.ts';
import type { LiveConfig } from './live_config.ts';
import type { ProblemState, StudioState, Written } from './state.ts';
import { maxDraftBytes, tooLongToEdit } from './state.ts';
import { problemState } from './state_of.ts';
import { isOwnPage } from './studio_server.ts';

/** Requests below this path change the config. */
export const configPath = '/studio/config/';

const takesText: readonly string[] = [`${configPath}draft`, `${configPath}check`];

/** The body limit in bytes: the studio's own page may send longer texts than other clients. */
export const bodyLimitOf = (head: Pick<RelayRequest, 'path' | 'headers'>): number | undefined =>
  takesText.includes(head.path) && isOwnPage(head) ? maxDraftBytes : undefined;

/** Changes a draft or the file; only for the studio's own page. `stateNow`: the state that the page shows. */
export async function editConfig(
  config: LiveConfig,
  request: RelayRequest,
  stateNow: () => StudioState,
): Promise<RelayResponse> {
  const { path, query, isTooLong, body = new Uint8Array() } = request;
  if (!isOwnPage(request)) return answer('text/plain', "only the studio's own page may do this", {}, 403);
  const given = parseQuery(query) ?? new Map<string, string[]>();
  const written = (outcome: Omit<Written, 'state'> = {}) =>
    answer('application/json', JSON.stringify({ state: stateNow(), ...outcome } satisfies Written));
  const isOutdated = config.isOutdated(given.get('over')?.[0]);
  if (takesText.includes(path)) {
    if (isTooLong || body.length > maxDraftBytes) return answer('text/plain', tooLongToEdit, {}, 413);
    if (!isUtf8(body)) return answer('text/plain', 'this is not text', {}, 400);
  }
  switch (path) {
    case `${configPath}check`:
      return answer('application/json', JSON.stringify(await errorsIn(config, body)));
    case `${configPath}draft`:
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

/** Why the relay would not load a text. Checking has no other effect. */
async function errorsIn(config: LiveConfig, body: Uint8Array): Promise<readonly ProblemState[]> {
  const parsed = await config.parse(Buffer.from(body).toString('utf8'));
  return parsed.ok
    ? []
    : parsed.error
        .filter(({ severity }) => severity === 'error')
        .map((problem) => problemState(problem, config));
}

const outcomeOf = (written: Result<'saved' | 'changed' | 'broken', string>): Omit<Written, 'state'> =>
  written.ok
    ? { isBroken: written.value === 'broken', isChanged: written.value === 'changed' }
    : { trouble: written.error };
