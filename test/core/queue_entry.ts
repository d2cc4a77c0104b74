/** Entries and their contents, which are two modules of packages/queue. */
export * from '../../packages/queue/src/stores/content.ts';
export * from '../../packages/queue/src/stores/entry.ts';
