export type { CheckStory } from '../src/telling/check_story.ts';
export { openJournal } from '../src/telling/journal/open_journal.ts';
export type { OutputStory, Sent } from '../src/telling/output_story.ts';
export { keepStory, type MailStory, type Story } from '../src/telling/story.ts';
