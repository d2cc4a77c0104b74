/**
 * Edits of a config's text: the smallest that do what an action says. Checks that the text then says it.
 *
 * Comments directly above a key or item, indented like it, belong to it, the first one included; so do the one at its
 * end and those below that stand deeper. All these comments move or go with their item. The comment that begins the file,
 * and comments with a blank line between, stay. A map or list that lost its last item stays as `{}` or `[]`.
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

/** Several actions are one edit; each finds what the ones before left. The text only has line feeds, as in an editor. */
export function edit(text: string, actions: Action | readonly Action[]): Edited {
  let parsed = read(text);
  let all = ChangeSet.empty(text.length);
  for (const written of [actions].flat() as Action[]) {
    // Only JSON: drops `undefined`.
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

/** The text after changes, which are sorted and do not overlap. */
export const applied = (text: string, changes: readonly Change[]): string =>
  changes.reduceRight((all, { from, to, insert }) => all.slice(0, from) + insert + all.slice(to), text);

/** The one change that makes `after` of `before`: what is the same at both ends stays untouched. */
export function changeBetween(before: string, after: string): Change {
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before[from] === after[from]) from += 1;
  let same = 0;
  while (same < shorter - from && before.at(-1 - same) === after.at(-1 - same)) same += 1;
  return { from, to: before.length - same, insert: after.slice(from, after.length - same) };
}
