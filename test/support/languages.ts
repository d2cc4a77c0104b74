/** All texts for visitors: those of packages/languages, of the catalogue's units, and the English ones of every plug-in. */
import type { Messages } from '../../packages/core/src/messages/message.ts';
import { loadWords } from '../../packages/languages/src/words.ts';
import { bundledRegistry } from '../../packages/runtimes/src/inspect.ts';

export * from '../../packages/languages/src/negotiate.ts';
export { writtenLanguages } from '../../packages/languages/src/words.ts';

const { messagesIn } = await bundledRegistry();
/** Without the code for checks that return a text. */
const { text_of_plugin: _, ...english } = messagesIn('en');
export const en: Messages = english;

export const loadTexts = async (tag: string): Promise<Messages> =>
  tag === 'en' ? en : { ...messagesIn(tag), ...(await loadWords(tag)) };
