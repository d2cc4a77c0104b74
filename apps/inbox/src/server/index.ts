export { owner } from '../person.ts';
export { sourcesOf } from '../sources.ts';
export { createInbox, createInboxServer } from './inbox.ts';
export type { Actions, InboxOptions, People } from './options.ts';
