import { confirmLink } from '@form-relay/relay/dry_run';
import type { Entry } from './inbox.ts';
import { ownerGot, visitorGot } from './owner_got.ts';
import { endingOf, storyView } from './story_view.ts';

/** Something that pages learn of at once. */
export interface StudioEvent {
  readonly type: 'hello' | 'story' | 'busy' | 'changed' | 'cleared';
  /** For `story`: its version, with which a page that lost its connection says what it has. */
  readonly id?: number;
  readonly data: unknown;
}

export const storyEvent = (entry: Entry): StudioEvent => {
  const { form, says, outputs, checks } = entry.story;
  const { word, tone } = endingOf(entry.story);
  return {
    type: 'story',
    id: entry.version,
    data: {
      html: String(storyView(entry)),
      says: `${form}: ${word}, ${says}`,
      word,
      tone,
      outcome: entry.story.outcome,
      got: ownerGot(entry.story),
      visitorGot: visitorGot(entry.story),
      doubt: checks.find(({ signals = [] }) => signals.length > 0)?.says,
      link: confirmLink(entry.story),
      isWaiting: outputs.some(({ kept }) => kept?.state === 'waiting'),
      isDue: outputs.some(({ kept }) => kept?.tries.length === 0 && kept.nextMs !== undefined),
    },
  };
};
