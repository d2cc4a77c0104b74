/**
 * Edits of a config's text: the smallest that do what an action says.
 *
 * Comments directly above a key or item, indented like it, belong to it, the first one included; so do the one at its
 * end and those below that stand deeper. All these comments move or go with their item. The comment that begins the file,
 * and comments with a blank line between, stay. A map or list that lost its last item stays as `{}` or `[]`.
 */

export { type ConfigText, readConfig } from './config_text.ts';
export { applied, edit } from './edit.ts';
export type { Action, Change, Edited, Json, Path } from './model.ts';
