/**
 * Edits a config's text with the smallest changes that have the intended effect, and checks the result.
 *
 * Comments directly above a key or item with the same indentation belong to it, even at the start of a map or
 * list; so do a comment at its end, and more deeply indented comments below. All these move or disappear with
 * their item. The file's first comment, and comments separated by a blank line, stay. A map or list without
 * items stays as `{}` or `[]`.
 */
import { ChangeSet } from '@codemirror/state';
import {
  type Action,
  type Change,
  type Edited,
  isEqual,
  type Json,
  modelled,
  refused,
  stepsOf,
} from './model.ts';
import { read } from './read.ts';
import { splice, whyNot } from './splice.ts';

const tooRisky = refused('This change would affect other parts of the file: edit the text instead.');

/**
 * Applies several actions as one edit; each sees the result of the previous ones. The text uses only line
 * feeds, as in an editor.
 */
export function edit(text: string, actions: Action | readonly Action[]): Edited {
  let parsed = read(text);
  let all = ChangeSet.empty(text.length);
  for (const written of [actions].flat() as Action[]) {
    // Converts to plain JSON, which drops `undefined`.
    const action: Action = JSON.parse(JSON.stringify(written));
    if (parsed.why) return refused(parsed.why);
    const before: Json = parsed.value ?? null;
    const wanted = modelled(before, action);
    if (!wanted.ok) return wanted;
    for (const step of stepsOf(before, action)) {
      const why = whyNot(parsed, step);
      if (why) return refused(why);
      const changes = splice(parsed, step).map(({ from, to, insert }) => {
        const part = changeBetween(parsed.text.slice(from, to), insert);
        return { from: from + part.from, to: from + part.to, insert: part.insert };
      });
      all = all.compose(ChangeSet.of(changes, parsed.text.length));
      parsed = read(applied(parsed.text, changes));
      if (parsed.why) return tooRisky;
    }
    if (!isEqual(parsed.value, wanted.value)) return tooRisky;
  }
  const changes: Change[] = [];
  all.iterChanges((from, to, _from, _to, insert) => changes.push({ from, to, insert: insert.toString() }));
  return { ok: true, changes };
}

/** Applies changes, which are sorted and do not overlap. */
export const applied = (text: string, changes: readonly Change[]): string =>
  changes.reduceRight((all, { from, to, insert }) => all.slice(0, from) + insert + all.slice(to), text);

/** A single change from `before` to `after`, without their common start and end. */
export function changeBetween(before: string, after: string): Change {
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before[from] === after[from]) from += 1;
  let same = 0;
  while (same < shorter - from && before.at(-1 - same) === after.at(-1 - same)) same += 1;
  return { from, to: before.length - same, insert: after.slice(from, after.length - same) };
}
