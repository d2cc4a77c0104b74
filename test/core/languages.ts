/** The words of packages/languages in the place of those of packages/relay, for tests of both. */
import type { Messages } from '../../packages/core/src/messages/message.ts';
import { loadWords } from '../../packages/languages/src/words.ts';
import en from '../../packages/relay/src/messages/en.json' with { type: 'json' };

export * from '../../packages/languages/src/negotiate.ts';
export { writtenLanguages } from '../../packages/languages/src/words.ts';

export const loadTexts = async (tag: string): Promise<Messages> => (tag === 'en' ? en : loadWords(tag));
