/** What a builder does to a form, in its text. */
import { describe, expect, test } from 'vitest';
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
  renameInEntries,
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
function difference(actions: readonly Action[], of = text): readonly string[] {
  const edited = edit(of, actions);
  if (!edited.ok) return [edited.says];
  const [before, after] = [of.split('\n'), applied(of, edited.changes).split('\n')];
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

describe('places, once and formulas', () => {
  const counted = `forms:
  party:
    fields:
      - {name: workshop, type: radios, options: [a, b]}
      - {name: email, type: email, required: true}
      - name: guests
        type: repeat
        fields: [{name: age, type: number}]
      - {name: member, type: checkbox}
      - name: total
        type: computed
        formula:
          - {when: {field: member, is: on}, value: count(guests) * 40 + "member" + members}
          - {value: 'max( guests.age) + round(guests) + 2*guests_2 + sum(guests.ages)'}
      - {name: count, type: number}
      - {name: twice, type: computed, formula: 2 * count + count(guests)}
    option_places: {workshop: {a: 12}} # chairs
    once: {by: email}
`;
  const lines = (actions: readonly Action[]) => difference(actions, counted);
  const rename = (index: number, name: string) =>
    lines(renameField(readConfig(counted), 'party', index, name).actions);

  test('follow a renamed field, by its whole name', () => {
    expect(rename(0, 'course')).toContain('+ option_places: {course: {a: 12}} # chairs');
    expect(rename(1, 'mail')).toContain('+ once: {by: mail}');
    expect(rename(2, 'people').slice(4)).toEqual([
      '+ - name: people',
      '+ - {when: {field: member, is: on}, value: count(people) * 40 + "member" + members}',
      "+ - {value: 'max( people.age) + round(people) + 2*guests_2 + sum(people.ages)'}",
      '+ - {name: twice, type: computed, formula: 2 * count + count(people)}',
    ]);
    expect(rename(3, 'mem')).toContain(
      '+ - {when: {field: mem, is: on}, value: count(guests) * 40 + mem + members}',
    );
    expect(rename(5, 'a number')).toContain(
      '+ - {name: twice, type: computed, formula: 2 * "a number" + count(guests)}',
    );
    const odd = renameField(readConfig(counted), 'party', 5, `"'`);
    expect(told(odd).left).toEqual(['fields.6.formula']);
  });

  test('follow a renamed field of entries', () => {
    expect(lines(renameInEntries(readConfig(counted), 'party', 2, 0, 'years')).slice(2)).toEqual([
      '+ fields: [{name: years, type: number}]',
      "+ - {value: 'max( guests.years) + round(guests) + 2*guests_2 + sum(guests.ages)'}",
    ]);
  });

  test('are left to the owner when their field goes, except its places', () => {
    const remove = (index: number) => removeField(readConfig(counted), 'party', index);
    expect(lines(remove(0).actions)).toContain('- option_places: {workshop: {a: 12}} # chairs');
    expect(told(remove(1)).left).toEqual(['once.by']);
    expect(told(remove(3)).left).toEqual(['fields.4.formula.0.when.field', 'fields.4.formula.0.value']);
  });
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

describe('a name that is taken', () => {
  const taken = `forms:
  contact:
    spam: {honeypot: website}
    captcha: {provider: turnstile, secret: s, token_field: token}
    fields:
      - {name: who}
      - {name: message}
      - {name: home, type: address}
      - name: guests
        type: repeat
        fields: [{name: age, type: number}, {name: diet}]
      - {name: total, type: computed, formula: sum(guests.age)}
    outputs:
      - {type: http_post, url: "https://a.example/", mapping: {n: who, text: message, city: home.city}, static: {s: '{{ .fields.who }} {{ join ", " (values "home.city") }}'}}
`;

  test.each(['message', 'website', 'token'])('such as %s changes nothing', (name) => {
    expect(renameField(readConfig(taken), 'contact', 0, name).actions).toEqual([]);
  });

  test('of a field in the same entry changes nothing', () => {
    expect(renameInEntries(readConfig(taken), 'contact', 3, 0, 'diet')).toEqual([]);
  });

  test('leaves the next name its references', () => {
    let text = taken;
    for (const name of ['message', 'message_2', 'customer']) {
      const edited = edit(text, renameField(readConfig(text), 'contact', 0, name).actions);
      if (edited.ok) text = applied(text, edited.changes);
    }
    expect(text).toBe(
      taken
        .replace('{name: who}', '{name: customer}')
        .replace('n: who', 'n: customer')
        .replace('.fields.who', '.fields.customer'),
    );
  });
});

test('what names a part of a field follows it', () => {
  const config = `forms:
  a:
    fields: [{name: home, type: address}, {name: home.old}]
    outputs:
      - {type: http_post, url: "https://a.example/", mapping: {city: home.city, old: home.old}, static: {s: '{{ join ", " (values "home.city") }}'}}
`;
  expect(difference(renameField(readConfig(config), 'a', 0, 'to').actions, config)).toEqual([
    '- fields: [{name: home, type: address}, {name: home.old}]',
    expect.stringContaining('- - {type'),
    '+ fields: [{name: to, type: address}, {name: home.old}]',
    `+ - {type: http_post, url: "https://a.example/", mapping: {city: to.city, old: home.old}, static: {s: '{{ join ", " (values "to.city") }}'}}`,
  ]);
});
