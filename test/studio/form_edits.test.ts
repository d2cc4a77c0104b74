/** What a builder does to a form, in its text. */
import { expect, test } from 'vitest';
import {
  type Action,
  addField,
  addForm,
  addOutput,
  applied,
  type ConfigText,
  clearKey,
  duplicateField,
  edit,
  type FormEdit,
  freeName,
  moveField,
  namesOf,
  readConfig,
  removeField,
  renameField,
  renameForm,
  setKey,
} from '../../packages/studio/edit/index.ts';

const text = `forms:
  job:
    fields:
      - {name: kind, type: radios, options: [a, b]} # first
      - {name: email, type: email}
      - note: Something between
      - name: cv
        type: file
        visible_when: {field: kind, is: a} # only then
      - {name: token, type: hidden}
    groups:
      - title: You
        fields: [kind, email]
    steps:
      - {title: One, fields: [kind, email]}
      - {title: Two, fields: [cv]}
    double_opt_in:
      to: email
      subject: "Hello {{ .labels.kind }}"
      text: Go on
    outputs:
      - type: smtp
        when: {field: kind, is: a} # some
        to: office@example.com
        subject: '{{ default "see .fields.email" .fields.email }}'
        text: |
          {{ join ", " (values "email") }}
          {{/* .fields.email */}} .fields.email {{ .fields.email-2 }}
        attachments: [cv]
      - type: webhook
        url: https://example.com/hook
        mapping:
          mail: email # theirs
          email: cv
      - type: webhook
        url: https://example.com/hook
        body: {who: {$field: email}}
`;
const config: ConfigText = readConfig(text);

/** Lines that go with a minus, lines that come with a plus. */
function difference(actions: readonly Action[]): readonly string[] {
  const edited = edit(text, actions);
  if (!edited.ok) return [edited.says];
  const [before, after] = [text.split('\n'), applied(text, edited.changes).split('\n')];
  const only = (all: readonly string[], other: readonly string[], sign: string) =>
    all.filter((line) => !other.includes(line)).map((line) => `${sign} ${line.trim()}`);
  return [...only(before, after, '-'), ...only(after, before, '+')];
}

const told = ({ left, opened }: FormEdit) => ({
  left: left.map((path) => path.slice(2).join('.')),
  opened: opened.map((path) => path.slice(2).join('.')),
});

test('names are those of fields, in their order, without notes', () => {
  expect(namesOf(config, 'job')).toEqual(['kind', 'email', 'cv', 'token']);
  expect(namesOf(config, 'none')).toEqual([]);
  expect(freeName(['email', 'email_2'], 'email')).toBe('email_3');
  expect(freeName(['email', 'email_2'], 'email_2')).toBe('email_3');
  expect(freeName(['email'], 'tel')).toBe('tel');
});

test('a field is renamed wherever its form names it', () => {
  const renamed = renameField(config, 'job', 1, 'mail');
  expect(difference(renamed.actions)).toEqual([
    '- - {name: email, type: email}',
    '- fields: [kind, email]',
    '- - {title: One, fields: [kind, email]}',
    '- to: email',
    `- subject: '{{ default "see .fields.email" .fields.email }}'`,
    '- {{ join ", " (values "email") }}',
    '- mail: email # theirs',
    '- body: {who: {$field: email}}',
    '+ - {name: mail, type: email}',
    '+ fields: [kind, mail]',
    '+ - {title: One, fields: [kind, mail]}',
    '+ to: mail',
    `+ subject: '{{ default "see .fields.email" .fields.mail }}'`,
    '+ {{ join ", " (values "mail") }}',
    '+ mail: mail # theirs',
    '+ body: {who: {$field: mail}}',
  ]);
  expect(told(renamed)).toEqual({ left: [], opened: [] });
});

test('conditions follow a renamed field', () => {
  const renamed = renameField(config, 'job', 0, 'sort of');
  expect(difference(renamed.actions)).toContain('+ visible_when: {field: sort of, is: a} # only then');
  expect(difference(renamed.actions)).toContain('+ when: {field: sort of, is: a} # some');
  // No template can name it.
  expect(told(renamed).left).toEqual(['double_opt_in.subject']);
});

test('with a field go the entries that name it; what the owner has to decide is left', () => {
  const removed = removeField(config, 'job', 1);
  expect(difference(removed.actions)).toEqual([
    '- - {name: email, type: email}',
    '- fields: [kind, email]',
    '- - {title: One, fields: [kind, email]}',
    '- mail: email # theirs',
    '+ fields: [kind]',
    '+ - {title: One, fields: [kind]}',
  ]);
  expect(told(removed)).toEqual({
    left: ['outputs.2.body.who.$field', 'double_opt_in.to', 'outputs.0.subject', 'outputs.0.text'],
    opened: [],
  });
});

test('conditions on a field that goes are removed, and named', () => {
  const removed = removeField(config, 'job', 0);
  expect(difference(removed.actions)).toContain('- visible_when: {field: kind, is: a} # only then');
  expect(difference(removed.actions)).toContain('- when: {field: kind, is: a} # some');
  expect(told(removed)).toEqual({
    left: ['double_opt_in.subject'],
    opened: ['fields.3.visible_when', 'outputs.0.when'],
  });
});

test('a step without fields goes with its last', () => {
  expect(difference(removeField(config, 'job', 3).actions)).toEqual([
    '- - name: cv',
    '- type: file',
    '- visible_when: {field: kind, is: a} # only then',
    '- - {title: Two, fields: [cv]}',
    '- attachments: [cv]',
    '- email: cv',
    '+ attachments: []',
  ]);
});

test('of two fields with one name, the other keeps what names it', () => {
  const twice = readConfig(
    'forms:\n  a:\n    fields: [{name: x}, {name: x}]\n    outputs: [{mapping: {y: x}}]\n',
  );
  expect(removeField(twice, 'a', 1).actions).toEqual([{ do: 'remove', path: ['forms', 'a', 'fields', 1] }]);
});

test('a note goes alone', () => {
  expect(difference(removeField(config, 'job', 2).actions)).toEqual(['- - note: Something between']);
});

test('a new field stands in the step of the one above it', () => {
  expect(difference(addField(config, 'job', { name: 'tel', type: 'tel' }, 3))).toEqual([
    '- - {title: One, fields: [kind, email]}',
    '+ - {name: tel, type: tel}',
    '+ - {title: One, fields: [kind, email, tel]}',
  ]);
  expect(difference(addField(config, 'job', { name: 'id', type: 'hidden' }, 0))).toEqual([
    '+ - {name: id, type: hidden}',
  ]);
});

test('a copy has a free name, and stands in the same step and group', () => {
  expect(difference(duplicateField(config, 'job', 0))).toEqual([
    '- fields: [kind, email]',
    '- - {title: One, fields: [kind, email]}',
    '+ - {name: kind_2, type: radios, options: [a, b]}',
    '+ fields: [kind, kind_2, email]',
    '+ - {title: One, fields: [kind, kind_2, email]}',
  ]);
});

test('a field that moves changes its step and leaves its group', () => {
  expect(difference(moveField(config, 'job', 0, 3))).toEqual([
    '- fields: [kind, email]',
    '- - {title: One, fields: [kind, email]}',
    '- - {title: Two, fields: [cv]}',
    '+ fields: [email]',
    '+ - {title: One, fields: [email]}',
    '+ - {title: Two, fields: [cv, kind]}',
  ]);
  expect(difference(moveField(config, 'job', 0, 1))).toEqual([
    '- fields: [kind, email]',
    '- - {title: One, fields: [kind, email]}',
    '+ fields: [email, kind]',
    '+ - {title: One, fields: [email, kind]}',
  ]);
});

test('keys, outputs and forms come, go and are renamed', () => {
  const field = ['forms', 'job', 'fields', 1];
  expect(difference(setKey(field, 'required', true))).toEqual([
    '- - {name: email, type: email}',
    '+ - {name: email, type: email, required: true}',
  ]);
  expect(difference(clearKey(field, 'type'))).toEqual([
    '- - {name: email, type: email}',
    '+ - {name: email}',
  ]);
  expect(difference(addOutput(config, 'job', { type: 'slack', url_env: 'SLACK' }))).toEqual([
    '+ - type: slack',
    '+ url_env: SLACK',
  ]);
  expect(difference(renameForm('job', 'jobs'))).toEqual(['- job:', '+ jobs:']);
  expect(difference(addForm('next', { fields: [{ name: 'x' }] }))).toEqual(['+ next:', '+ - {name: x}']);
});
