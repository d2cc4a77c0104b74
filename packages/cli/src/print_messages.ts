import { didYouMean } from '@form-relay/relay/config';
import { loadTexts, parentAmong, type Text, writtenLanguages } from '@form-relay/relay/pages';
import { CommandFailed } from './command_failed.ts';

/** Prints every text of a language as a config may have it. */
export async function printMessages(language: string): Promise<void> {
  const tag = parentAmong(language, writtenLanguages);
  if (tag === undefined) {
    const near = didYouMean(language, writtenLanguages);
    throw new CommandFailed(
      `the relay does not speak "${language}"${near}; it speaks ${writtenLanguages.join(', ')}`,
    );
  }
  const texts: Readonly<Record<string, Text>> = await loadTexts(tag);
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
