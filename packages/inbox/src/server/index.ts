export { owner } from '../person.ts';
export type { Actions } from './actions.ts';
export { createInbox } from './inbox.ts';
export type { InboxOptions } from './options.ts';
export type { People } from './people.ts';
export { createInboxServer } from './server.ts';
export { sourcesOf } from './sources_of.ts';
