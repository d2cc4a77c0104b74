/** Controls for settings: made from the schema (`Settings`), or one by one for panels of their own. */
export { Check } from './boxes.tsx';
export { ConditionEditor } from './condition.tsx';
export {
  BooleanControl,
  ChoiceControl,
  TextInput,
} from './controls.tsx';
export { change, focusWithin, useDraft } from './draft.ts';
export { Entry } from './entry.tsx';
export { AsText, Frame, ProblemCount } from './frame.tsx';
export {
  emptiest,
  type Field,
  fieldsOf,
  held,
  inWords,
  pathText,
  problemsAt,
  problemsWithin,
} from './places.ts';
export { AddRow, KeyInput, MapControl, RemoveButton } from './rows.tsx';
export { Control, Settings } from './settings.tsx';
