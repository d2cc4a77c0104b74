import type { Effects } from '@form-relay/relay/base/effects';
import type { Claim, Kept, Listed } from '@form-relay/relay/base/kept';
import { nextTry } from '@form-relay/relay/keeping/schedule';

/** Ends a claim as if it had never been one, but for what is known of it by now. */
export async function putBack(
  claim: Claim & { readonly listed: Listed },
  { now, random }: Pick<Effects, 'now' | 'random'>,
  kept: Kept = claim.kept,
): Promise<void> {
  const { aside, dueAt } = claim.listed;
  if (aside !== undefined) await claim.setAside(aside, kept);
  else await claim.putOff(dueAt ?? nextTry(kept.keptAt, now(), random), kept);
}
