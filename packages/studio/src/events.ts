import { confirmLink } from '@form-relay/dry-run/dry_run';
import { endingOf, nowhere } from './ending.ts';
import type { Entry } from './inbox.ts';
import type { StoryState } from './state.ts';

/** Something that pages learn of at once. */
export interface StudioEvent {
  readonly type: 'hello' | 'story' | 'busy' | 'changed' | 'cleared';
  /** For `story`: its number, with which a page that lost its connection says what it has. */
  readonly id?: number;
  readonly data: unknown;
}

export const storyEvent = (entry: Entry): StudioEvent => ({
  type: 'story',
  id: entry.number,
  data: {
    number: entry.number,
    answeredAt: entry.answeredAt,
    story: { ...entry.story, says: nowhere(entry.story) ?? entry.story.says },
    ending: endingOf(entry.story),
    link: confirmLink(entry.story),
  } satisfies StoryState,
});
