/** The studio's editor completes and explains texts that need not be YAML yet. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { functions } from '../../packages/relay/src/schema/template/functions.ts';
import { references } from '../../packages/relay/src/schema/template/scope.ts';
import { completionsAt } from '../../packages/studio/app/code/completions.ts';
import { docsAt } from '../../packages/studio/app/code/docs.ts';
import { readConfig } from '../../packages/studio/edit/index.ts';

const schema = JSON.parse(readFileSync('docs/webform.schema.json', 'utf8'));
const language = { schema, words: { functions, references } };

const config = `forms:
  contact:
    fields:
      - {name: email, type: email, required: true, label: Your address}
      - {name: kind, type: select, options: [business, {value: private, label: At home}]}
      - {name: plan, type: file}
    outputs:
      - type: http_post
        url: https://hooks.acme.dev
        mapping: {to: email}
`;

/** A bar stands for the caret; the config is as it was before the word at it. */
function at(marked: string) {
  const offset = marked.lastIndexOf('|');
  const text = marked.slice(0, offset) + marked.slice(offset + 1);
  const value = readConfig(text).value ?? readConfig(config).value;
  const completed = completionsAt(text, offset, language, value);
  const labels = completed?.options.map(({ label }) => label) ?? [];
  const choose = (label: string) => {
    const chosen = completed?.options.find((one) => one.label === label);
    if (!completed || !chosen) return undefined;
    return text.slice(0, completed.from) + chosen.insert + text.slice(completed.to);
  };
  return { completed, labels, choose, docs: docsAt(text, offset, language, value) };
}

const inForm = (lines: string) => config + lines;
const inOutput = (lines: string) => config + lines.replaceAll(/^/gm, '        ');

describe('completes', () => {
  test.each([
    ['keys of a form', inForm('    ti|'), 'title', 'fields'],
    ['keys of the file', `la|\n${config}`, 'languages', 'forms'],
    ['keys of a field of its type', config.replace('options: [', 'mul|, options: ['), 'multiple', 'name'],
    ['keys of an output of its type', inOutput('he|'), 'headers', 'subject'],
    ['keys of the next item', config.replace('    outputs', '      |\n    outputs'), 'name', 'options'],
    [
      'keys of an item behind its dash',
      config.replace('    outputs', '      - |\n    outputs'),
      'note',
      'options',
    ],
    ['types of fields', config.replace('type: select', 'type: |'), 'textarea', 'http_post'],
    ['types of outputs', config.replace('http_post', 'sl|'), 'slack', 'textarea'],
    ['choices', inOutput('on_error: |'), 'continue', 'true'],
    ['flags', config.replace('required: true', 'required: |'), 'false', 'auto'],
    ['defaults', inOutput('timeout: |'), '10s', 'true'],
    ['items of a list', inForm('    bodies: [|]'), 'multipart', 'true'],
    ['fields in a mapping', config.replace('to: email', 'to: |'), 'kind', 'to'],
    ['keys of a mapping', config.replace('to: email', 'to: email, |'), 'kind', 'to'],
    ['fields in a condition', inOutput('when: {field: |}'), 'kind', 'is'],
    ['options in a condition', inOutput('when: {field: kind, is: |}'), 'private', 'email'],
    [
      'other fields in a field’s condition',
      config.replace('file}', 'file, visible_when: {field: |}}'),
      'kind',
      'plan',
    ],
    ['addresses in double opt-in', inForm('    double_opt_in:\n      to: |'), 'email', 'kind'],
    ['fields of a group', inForm('    groups:\n      - fields: [email, |]'), 'kind', 'email'],
    ['paths of templates', inOutput('static: {x: "{{ .|"}'), '.fields.email', 'trim'],
    ['functions of templates', inOutput('static: {x: "{{ .fields.email | u|"}'), 'upper', '.fields.email'],
    ['names in templates', inOutput(`static: {x: '{{ join "," (values "|`), 'kind', 'trim'],
    ['templates in a block of text', inOutput('static:\n  x: |\n    Hello {{ |'), '.labels.kind', 'email'],
  ])('%s', (_, marked, there, missing) => {
    const { labels } = at(marked);
    expect(labels).toContain(there);
    expect(labels).not.toContain(missing);
  });

  test.each([
    ['a comment', inForm('    title: x # ti|')],
    ['text of its own', inForm('    title: ti|')],
    ['another text in quotes in a template', inOutput(`static: {x: '{{ default "|`)],
  ])('nothing in %s', (_, marked) => expect(at(marked).labels).toEqual([]));
});

describe('explains', () => {
  test.each([
    [
      'a key',
      config.replace('required', 'req|uired'),
      'required',
      'true or false, default false',
      /non-empty/,
    ],
    ['a type', config.replace('type: select', 'type: sel|ect'), 'select', 'type', /One choice/],
    ['a field', config.replace('to: email', 'to: em|ail'), 'email', 'field, email', /Your address/],
    [
      'a function',
      inOutput('static: {x: "{{ upp|er .fields.email }}"}'),
      'upper text',
      'function',
      /Uppercase/,
    ],
    ['a path', inOutput('static: {x: "{{ upper .fields.em|ail }}"}'), '.fields.email', '', /submitted/],
  ])('%s', (_, marked, title, detail, text) => {
    const { docs } = at(marked);
    expect(docs).toMatchObject({ title, detail });
    expect(docs?.text).toMatch(text);
  });
});
