export { sourcesOf } from '../entry_index.ts';
export { owner } from '../gate.ts';
export { connectionLimits, createInbox, type Inbox } from './inbox.ts';
export type { Actions, InboxOptions, People } from './options.ts';
