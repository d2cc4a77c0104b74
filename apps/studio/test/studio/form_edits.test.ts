/** A form builder's edits, in the form's text. */

import { applied, edit } from '../../edit/edit.ts';
import { removeField, renameField } from '../../edit/form_edits.ts';
import type { Action } from '../../edit/model.ts';
import { type ConfigText, readConfig } from '../../edit/read.ts';

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

/** Removed lines with a minus, added lines with a plus. */
function difference(actions: readonly Action[], of = text): readonly string[] {
  const edited = edit(of, actions);
  if (!edited.ok) return [edited.says];
  const [before, after] = [of.split('\n'), applied(of, edited.changes).split('\n')];
  const only = (all: readonly string[], other: readonly string[], sign: string) =>
    all.filter((line) => !other.includes(line)).map((line) => `${sign} ${line.trim()}`);
  return [...only(before, after, '-'), ...only(after, before, '+')];
}

const pathsLeft = ({ left }: ReturnType<typeof removeField>) => left.map((path) => path.slice(2).join('.'));

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
  expect(pathsLeft(renamed)).toEqual([]);
});

test('places and once follow a renamed field', () => {
  const counted = `forms:
  party:
    fields:
      - {name: workshop, type: radios, options: [a, b]}
      - {name: email, type: email, required: true}
    option_places: {workshop: {a: 12}} # chairs
    once: {by: email}
`;
  const rename = (index: number, name: string) =>
    difference(renameField(readConfig(counted), 'party', index, name).actions, counted);
  expect(rename(0, 'course')).toContain('+ option_places: {course: {a: 12}} # chairs');
  expect(rename(1, 'mail')).toContain('+ once: {by: mail}');
});

test('removing a field removes the entries that name it; places for the owner to check are reported', () => {
  const removed = removeField(config, 'job', 1);
  expect(difference(removed.actions)).toEqual([
    '- - {name: email, type: email}',
    '- fields: [kind, email]',
    '- - {title: One, fields: [kind, email]}',
    '- mail: email # theirs',
    '+ fields: [kind]',
    '+ - {title: One, fields: [kind]}',
  ]);
  expect(pathsLeft(removed)).toEqual([
    'outputs.2.body.who.$field',
    'double_opt_in.to',
    'outputs.0.subject',
    'outputs.0.text',
  ]);
});

test('conditions on a removed field are removed', () => {
  const removed = removeField(config, 'job', 0);
  expect(difference(removed.actions)).toContain('- visible_when: {field: kind, is: a} # only then');
  expect(difference(removed.actions)).toContain('- when: {field: kind, is: a} # some');
  expect(pathsLeft(removed)).toEqual(['double_opt_in.subject']);
});

test('fields in combined conditions, and fields used for comparison, are renamed and removed', () => {
  const nested = `forms:
  job:
    fields:
      - {name: kind}
      - {name: mail, type: email}
      - {name: again, same_as: mail, required_when: {not: {field: kind, is: a}}}
      - name: more
        visible_when:
          all:
            - {field: mail, filled: true}
            - any: [{field: kind, is: b}, {field: mail, contains: x}]
            - {field: kind, contains: y}
    thanks:
      - {when: {field: kind, is: a}, text: 'Hello {{ .fields.kind }}'}
    redirect_with: [kind]
    outputs: []
`;
  const read = readConfig(nested);
  expect(difference(renameField(read, 'job', 0, 'sort').actions, nested)).toEqual([
    '- - {name: kind}',
    '- - {name: again, same_as: mail, required_when: {not: {field: kind, is: a}}}',
    '- - any: [{field: kind, is: b}, {field: mail, contains: x}]',
    '- - {field: kind, contains: y}',
    "- - {when: {field: kind, is: a}, text: 'Hello {{ .fields.kind }}'}",
    '- redirect_with: [kind]',
    '+ - {name: sort}',
    '+ - {name: again, same_as: mail, required_when: {not: {field: sort, is: a}}}',
    '+ - any: [{field: sort, is: b}, {field: mail, contains: x}]',
    '+ - {field: sort, contains: y}',
    "+ - {when: {field: sort, is: a}, text: 'Hello {{ .fields.sort }}'}",
    '+ redirect_with: [sort]',
  ]);
  // A condition without some of its tests could show too much, or nothing.
  expect(
    difference(removeField(read, 'job', 0).actions, nested).filter((line) => line.startsWith('+')),
  ).toEqual(['+ - {name: again, same_as: mail}']);
});

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
    outputs:
      - {type: http_post, url: "https://a.example/", mapping: {n: who, text: message, city: home.city}, static: {s: '{{ .fields.who }} {{ join ", " (values "home.city") }}'}}
`;

test.each(['message', 'website', 'token'])(
  'with a name that is taken, changes like %s have no effect',
  (name) => expect(renameField(readConfig(taken), 'contact', 0, name).actions).toEqual([]),
);

test('references to a part of a field are renamed with it', () => {
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
