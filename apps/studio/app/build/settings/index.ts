/** Controls for settings: made from the schema (`Settings`), or one by one for panels of their own. */

export type { Field } from '../../fields_in.ts';
export { ConditionEditor } from './condition.tsx';
export { BooleanControl, type ControlProps, TextControl, TextInput } from './controls.tsx';
export { change, useDraft } from './draft.ts';
export { AsText, Frame, ProblemCount } from './frame.tsx';
export { emptiest, fieldsOf, held, inWords, pathText, problemsAt, problemsWithin } from './places.ts';
export { AddRow, KeyInput, RemoveButton } from './rows.tsx';
export { Settings } from './settings.tsx';
