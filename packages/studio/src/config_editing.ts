import { isUtf8 } from 'node:buffer';
import { maxBodyBytes, type RelayRequest, type RelayResponse, type Result } from '@form-relay/relay/base';
import { answer, nothing } from './answers.ts';
import { editorState, type Outcome } from './editor_state.ts';
import { isOwnPage } from './guard.ts';
import type { LiveConfig } from './live_config.ts';

/** Where the page reads the config's text, and writes it. */
export const configPath = '/studio/config';

/** What the page's editor shows. */
export const showConfig = (config: LiveConfig, outcome: Outcome = {}): RelayResponse =>
  answer('application/json', JSON.stringify({ ...editorState(config), ...outcome }));

/** A draft, or the file itself: for the studio's own page alone. */
export async function editConfig(config: LiveConfig, request: RelayRequest): Promise<RelayResponse> {
  const { path, query, isTooLong, body = new Uint8Array() } = request;
  if (!isOwnPage(request)) return answer('text/plain', 'only the studio itself may do this', {}, 403);
  switch (path) {
    case `${configPath}/draft`:
      if (isTooLong || body.length > maxBodyBytes || !isUtf8(body)) return nothing(413);
      await config.draft(Buffer.from(body).toString('utf8'));
      return showConfig(config);
    case `${configPath}/revert`:
      return showConfig(config, outcomeOf(await config.revert()));
    case `${configPath}/save`: {
      const sure = query.split('&');
      const saved = await config.save({
        overtaken: sure.includes('anyway'),
        broken: sure.includes('broken'),
      });
      return showConfig(config, outcomeOf(saved));
    }
    default:
      return nothing(404);
  }
}

const outcomeOf = (written: Result<string, string>): Outcome =>
  written.ok ? { isBroken: written.value === 'broken' } : { trouble: written.error };
