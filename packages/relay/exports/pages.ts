export {
  canonicalTag,
  chooseLanguage,
  loadTexts,
  parentAmong,
  writtenLanguages,
} from '../src/messages/languages.ts';
export { say, type Text } from '../src/messages/message.ts';
export { renderField } from '../src/pages/field_view.ts';
export { renderForm } from '../src/pages/form_view.ts';
export { slotElementId } from '../src/pages/fragments.ts';
export { hashSource } from '../src/pages/page_view.ts';
export {
  formLink,
  formScriptPath,
  formTag,
  type Printing,
  printedForm,
  scriptTag,
  styleLink,
} from '../src/pages/printed_form.ts';
export { takesFiles } from '../src/pages/script_attributes.ts';
