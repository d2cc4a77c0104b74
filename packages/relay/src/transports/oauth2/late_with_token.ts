import type { Effects } from '../../base/effects.ts';
import type { WithToken } from './with_token.ts';

/** What asks for tokens and keeps them is read when the first message needs one. */
export function createLateWithToken(effects: Pick<Effects, 'http' | 'now'>): WithToken {
  let loading: Promise<WithToken> | undefined;
  const load = async () => (await import('./with_token.ts')).createWithToken(effects);
  return async (grant, timeoutMs, send) => {
    loading ??= load();
    return (await loading)(grant, timeoutMs, send);
  };
}
