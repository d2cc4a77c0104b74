export { owner } from '../person.ts';
export { createInbox } from './inbox.ts';
export type { Actions, InboxOptions, People } from './options.ts';
export { createInboxServer } from './server.ts';
export { sourcesOf } from './sources_of.ts';
