/** All words for visitors: those of packages/languages, and the English ones of every plug-in. */
import type { Messages } from '../../packages/core/src/messages/message.ts';
import { loadWords } from '../../packages/languages/src/words.ts';
import { bundledRegistry } from '../../packages/runtimes/src/inspect.ts';

export * from '../../packages/languages/src/negotiate.ts';
export { writtenLanguages } from '../../packages/languages/src/words.ts';

export const en: Messages = (await bundledRegistry()).messagesIn('en');

export const loadTexts = async (tag: string): Promise<Messages> => (tag === 'en' ? en : loadWords(tag));
