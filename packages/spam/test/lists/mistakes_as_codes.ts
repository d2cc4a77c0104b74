/** `readList` with its mistakes as codes, for tests that name them. */
import { err } from '../../../base/src/result.ts';
import { type ListKind, readList as read } from '../../src/lists/read_list.ts';

const codes: readonly (readonly [words: RegExp, code: string])[] = [
  [/^the file is not UTF-8/, 'list_not_text'],
  [/^an entry can have at most/, 'list_entry_too_long'],
  [/^expected a word or a phrase/, 'list_entry_without_words'],
  [/a phrase can have at most/, 'list_phrase_too_long'],
  [/^expected a mail address/, 'list_entry_no_address'],
  [/^expected a domain/, 'list_entry_no_domain'],
  [/^this is a top-level domain/, 'list_domain_too_wide'],
  [/^this line is not valid in a model/, 'model_line_damaged'],
];

export async function readList<K extends ListKind>(kind: K, text: string) {
  const made = await read(kind, text);
  if (made.ok) return made;
  return err(
    made.error.map(({ message, offset, length }) => ({
      finding: { code: codes.find(([words]) => words.test(message))?.[1] ?? message },
      place: { offset, length },
    })),
  );
}
