/** Turns each kind of sample in the manual into a whole config. */
import { load } from 'js-yaml';

const indent = (text: string, spaces: number) => text.replaceAll(/^(?=.)/gm, ' '.repeat(spaces));

/** Fields that a fragment without fields may refer to. */
const someFields =
  'fields: [{name: name}, {name: email, type: email}, {name: message}, {name: phone}, {name: topic}, {name: topics}, {name: first_name}, {name: last_name}, {name: company}]\n';
const someOutputs = 'outputs: [{type: http_post, url: "https://crm.example.com/", mapping: "*"}]\n';

/** Each kind of fence after `yaml`, and how its contents become a whole config. */
export const wholes: Readonly<Record<string, (text: string) => string>> = {
  /** A whole config. */
  '': (text) => text,
  /** Keys before `forms`. */
  top: (text) => `${text}forms:\n  contact:\n${indent(someFields + someOutputs, 4)}`,
  /** Keys of a form. */
  form: (text) => {
    const given = load(text) as object;
    const fields = 'fields' in given ? '' : someFields;
    const outputs = 'outputs' in given ? '' : someOutputs;
    return `forms:\n  example:\n${indent(text + fields + outputs, 4)}`;
  },
  /** A single field. */
  field: (text) => `forms:\n  example:\n    fields:\n      - ${indent(text, 8).trim()}\n    ${someOutputs}`,
};
