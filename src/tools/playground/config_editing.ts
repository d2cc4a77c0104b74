import { isUtf8 } from 'node:buffer';
import { maxBodyBytes, type RelayRequest, type RelayResponse } from '../../http.ts';
import { answer, nothing } from './answers.ts';
import { editorState } from './editor_state.ts';
import { isOwnPage } from './guard.ts';
import type { LiveConfig } from './live_config.ts';

/** Where the page reads the config's text, and writes it. */
export const configPath = '/playground/config';

/** What the page's editor shows. */
export const showConfig = (config: LiveConfig, trouble?: string): RelayResponse =>
  answer('application/json', JSON.stringify(editorState(config, trouble)));

/** A draft, or the file itself: for the playground's own page alone. */
export async function editConfig(config: LiveConfig, request: RelayRequest): Promise<RelayResponse> {
  const { path, query, isTooLong, body = new Uint8Array() } = request;
  if (!isOwnPage(request)) return answer('text/plain', 'only the playground itself may do this', {}, 403);
  switch (path) {
    case `${configPath}/draft`:
      if (isTooLong || body.length > maxBodyBytes || !isUtf8(body)) return nothing(413);
      await config.draft(Buffer.from(body).toString('utf8'));
      return showConfig(config);
    case `${configPath}/revert`:
      await config.revert();
      return showConfig(config);
    case `${configPath}/save`: {
      const saved = await config.save(query === 'anyway');
      return showConfig(config, saved.ok ? undefined : saved.error);
    }
    default:
      return nothing(404);
  }
}
