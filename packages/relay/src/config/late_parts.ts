/** What a config can name that most do not, and what is read when one does. */

import { loadDoubt } from '../features/doubt/late_keys.ts';
import { loadVisitorMails } from '../features/visitor_mails/index.ts';
import { loadFieldTypes } from '../fields/index.ts';
import { loadOutputTypes } from '../outputs/index.ts';
import { loadAlerts } from './alerts.ts';
import { loadKeep } from './keep.ts';

/** Reads what a config's text may name. */
export const loadNamedIn = (text: string): Promise<void> => load(mayBeIn(text));

/** The same, and says the names that it found. */
export async function namedPartsIn(text: string): Promise<readonly string[]> {
  const names = new Set<string>();
  const mayName = mayBeIn(text);
  await load((name) => {
    const isNamed = mayName(name);
    if (isNamed) names.add(name);
    return isNamed;
  });
  return [...names];
}

/** Reads what has these names. */
export const loadNamed = (names: ReadonlySet<string>): Promise<void> => load((name) => names.has(name));

function mayBeIn(text: string): (name: string) => boolean {
  // An escape can spell a name in other letters, or on two lines.
  const isEscaped = /\\[uUx\r\n]/.test(text);
  return (name) => isEscaped || text.includes(name);
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
