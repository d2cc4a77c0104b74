import { ageInWords } from '@form-relay/relay/base';
import { sentence, waitInWords } from '@form-relay/relay/dry_run';
import type { KeptStory } from '@form-relay/relay/telling';
import type { KeptState } from './state.ts';

/** A kept delivery so far, in words: each attempt, the next step, and whether the owner can take it now. */
export function keptInWords(story: KeptStory): KeptState {
  const { id, tries, state } = story;
  const canRetry = state === 'aside' || state === 'waiting';
  return {
    tries: tries.map(({ ageMs, reason = 'delivered', isUntried }) => ({
      when: ageMs < 1_000 ? 'At once' : `After ${ageInWords(ageMs)}`,
      says: isUntried ? `not tried: ${reason}` : reason,
    })),
    next: state === 'delivered' ? undefined : sentence(waitInWords(story)),
    retry: canRetry ? id : undefined,
  };
}
