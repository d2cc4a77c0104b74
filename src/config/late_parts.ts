/** What a config can name that most do not, and what is read when one does. */
import { loadFieldTypes } from '../fields/index.ts';
import { loadOutputTypes } from '../outputs/index.ts';
import { loadVisitorMails } from '../visitor_mails/index.ts';
import { loadAlerts } from './alerts.ts';
import { loadDoubt } from './guard_keys.ts';
import { loadKeep } from './keep.ts';

/** Reads what a config's text may name. */
export async function loadNamedIn(text: string): Promise<void> {
  // An escape can spell a name in other letters, or on two lines.
  const isEscaped = /\\[uUx\r\n]/.test(text);
  await load((name) => isEscaped || text.includes(name));
}

/** Reads all of it, for those who tell about it. */
export const loadAllParts = (): Promise<void> => load(() => true);

async function load(mayName: (name: string) => boolean): Promise<void> {
  await loadFieldTypes(mayName);
  await loadOutputTypes(mayName);
  await loadVisitorMails(mayName);
  await loadKeep(mayName);
  await loadAlerts(mayName);
  await loadDoubt(mayName);
}
