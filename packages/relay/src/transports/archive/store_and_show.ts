/** What is loaded with the first entry. */
export { showEntry } from './show_entry.ts';
export { storeEntry } from './store_entry.ts';
