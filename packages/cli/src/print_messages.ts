import type { Text } from '@form-relay/core/messages/message';
import { parentAmong } from '@form-relay/languages/negotiate';
import { loadWords, writtenLanguages } from '@form-relay/languages/words';
import { bundledRegistry } from '@form-relay/runtimes/inspect';
import { didYouMean, nearest } from '@form-relay/schema/suggestion';
import { CommandFailed } from './command_failed.ts';

/** Prints every text of a language as a config may have it. */
export async function printMessages(language: string): Promise<void> {
  const tag = parentAmong(language, writtenLanguages);
  if (tag === undefined) {
    const near = didYouMean(nearest(language, writtenLanguages));
    throw new CommandFailed(
      `the relay does not speak "${language}"${near}; it speaks ${writtenLanguages.join(', ')}`,
    );
  }
  const { messagesIn } = await bundledRegistry();
  const texts = { ...messagesIn(tag), ...(await loadWords(tag)) };
  const lines = Object.entries(texts).map(([code, text]) => `${code}:${inYaml(text)}\n`);
  process.stdout.write(lines.join(''));
}

/** YAML reads JSON's quoted strings. */
const inYaml = (text: Text): string =>
  typeof text === 'string'
    ? ` ${JSON.stringify(text)}`
    : Object.entries(text)
        .map(([form, words]) => `\n  ${form}: ${JSON.stringify(words)}`)
        .join('');
