import type { Bounces } from '../../base/bounces.ts';
import { ClientError } from '../../base/client_error.ts';
import type { World } from '../../form.ts';
import { BlockList, hashOf } from './block_list.ts';

/** A visitor may wait for the mail. */
const timeoutMs = 2_000;

/** Whether the address gets no mails. If the list cannot be read, it does: better one mail too many than a visitor without any. */
export async function isBlocked(
  address: string,
  { where }: Bounces,
  { settings, effects }: Pick<World, 'settings' | 'effects'>,
): Promise<boolean> {
  if (!where || settings.formTokenSecret === '') return false;
  try {
    const list = new BlockList(await effects.openTexts(where), effects.now);
    return (await list.find(hashOf(settings.formTokenSecret, address), timeoutMs)) !== undefined;
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    effects.log('error', 'bounces_unread', { in: where.name, reason: error.message });
    return false;
  }
}
