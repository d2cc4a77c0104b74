export {
  canonicalTag,
  chooseLanguage,
  loadTexts,
  parentAmong,
  writtenLanguages,
} from '../src/messages/languages.ts';
export { en, say, type Text } from '../src/messages/message.ts';
export { slotElementId } from '../src/pages/element_ids.ts';
export { labelledError } from '../src/pages/error_words.ts';
export { formParts } from '../src/pages/form_parts.ts';
export { formLink, formScriptPath, formTag, scriptTag, styleLink } from '../src/pages/form_tag.ts';
export { renderForm } from '../src/pages/form_view.ts';
export { hashSource } from '../src/pages/page_view.ts';
export { type Printing, printedForm } from '../src/pages/printed_form.ts';
export { takesFiles } from '../src/pages/script_attributes.ts';
