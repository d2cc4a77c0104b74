export { sourcesOf } from '../entry_index.ts';
export { owner } from '../gate.ts';
export { createInbox, createInboxServer } from './inbox.ts';
export type { Actions, InboxOptions, People } from './options.ts';
