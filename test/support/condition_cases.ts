/** Conditions, and the answers for which each holds: the relay, the script and htmx must agree. */

export type Answers = Readonly<Record<string, string | readonly string[]>>;

export const deciders = `
      - {name: kind, type: radios, options: [a, b, c]}
      - {name: tags, type: checkboxes, options: [red, green, blue]}
      - {name: age, type: number, step: 0.5}
      - {name: day, type: date}
      - {name: at, type: time}
      - {name: moment, type: datetime}
      - {name: word}
      - {name: lines, type: textarea}
      - {name: inner, visible_when: {field: kind, is_not: c}}`;

export const answers = {
  nothing: {},
  young: {
    kind: 'a',
    tags: ['red'],
    age: '9.0',
    day: '2027-03-30',
    at: '08:59',
    word: 'Hello world',
    inner: 'x',
  },
  exact: {
    kind: 'b',
    tags: ['red', 'blue'],
    age: '18',
    day: '2027-03-31',
    at: '09:00',
    moment: '2027-03-31T09:00',
    word: 'AB-12',
    lines: 'a\nb',
  },
  old: {
    kind: 'c',
    tags: ['green'],
    age: '100.5',
    day: '2027-04-01',
    at: '21:30',
    moment: '2027-04-01T00:00',
    word: 'ab-12 ',
    inner: 'hidden',
  },
} as const satisfies Readonly<Record<string, Answers>>;

type Name = keyof typeof answers;
const all: readonly Name[] = ['nothing', 'young', 'exact', 'old'];

/** A condition, and the answers for which it holds. */
export const cases: readonly (readonly [condition: string, holdsFor: readonly Name[]])[] = [
  ['{field: kind, is: a}', ['young']],
  ['{field: kind, is: [a, b]}', ['young', 'exact']],
  ['{field: kind, is_not: a}', ['nothing', 'exact', 'old']],
  ['{field: kind, filled: true}', ['young', 'exact', 'old']],
  ['{field: kind, filled: false}', ['nothing']],
  ['{field: kind, contains: A}', ['young']],
  ['{field: kind, matches: "[ab]"}', ['young', 'exact']],
  ['{field: tags, is: red}', ['young', 'exact']],
  ['{field: tags, is: [green, blue]}', ['exact', 'old']],
  ['{field: tags, is_not: red}', ['nothing', 'old']],
  ['{field: tags, contains: re}', ['young', 'exact', 'old']],
  ['{field: tags, contains: [lu, een]}', ['exact', 'old']],
  ['{field: age, at_least: 18}', ['exact', 'old']],
  ['{field: age, at_least: 9}', ['young', 'exact', 'old']],
  ['{field: age, at_most: 18}', ['young', 'exact']],
  ['{field: age, at_most: 8.5}', []],
  ['{field: age, at_least: 100.5}', ['old']],
  ['{field: age, is: "18"}', ['exact']],
  ['{field: age, is: [9, 100.50]}', ['young', 'old']],
  ['{field: age, is_not: 9}', ['nothing', 'exact', 'old']],
  ['{field: age, matches: "\\\\d+"}', ['young', 'exact']],
  ['{field: day, before: 2027-03-31}', ['young']],
  ['{field: day, after: 2027-03-31}', ['old']],
  ['{not: {field: day, before: 2027-03-31}}', ['nothing', 'exact', 'old']],
  ['{field: at, before: "09:00"}', ['young']],
  ['{field: at, after: "09:00"}', ['old']],
  ['{field: moment, before: "2027-03-31T09:01"}', ['exact']],
  ['{field: moment, after: "2027-03-31"}', ['old']],
  ['{field: moment, before: "2027-04-01"}', ['exact']],
  ['{field: word, contains: HELLO}', ['young']],
  ['{field: word, contains: [12, "wor"]}', ['young', 'exact', 'old']],
  ['{field: word, matches: "[A-Z]{2}-[0-9]+"}', ['exact']],
  ['{field: word, matches: ".*o.*"}', ['young']],
  ['{field: word, matches: "a|A.*"}', ['exact']],
  ['{field: word, at_least: 1}', []],
  ['{not: {field: word, matches: "[A-Z]{2}-[0-9]+"}}', ['nothing', 'young', 'old']],
  ['{field: lines, is: "a\\nb"}', ['exact']],
  ['{field: lines, contains: "a\\nb"}', ['exact']],
  // A test of a hidden field is never true.
  ['{field: inner, filled: true}', ['young']],
  ['{field: inner, filled: false}', ['nothing', 'exact']],
  ['{field: inner, is_not: x}', ['nothing', 'exact']],
  ['{not: {field: inner, is: x}}', ['nothing', 'exact']],
  ['{not: {not: {field: inner, filled: true}}}', ['young']],
  ['{any: [{field: inner, is: x}, {field: kind, is: c}]}', ['young', 'old']],
  ['{all: [{field: inner, filled: false}, {field: kind, is: b}]}', ['exact']],
  ['{all: [{field: kind, is: a}, {field: age, at_most: 9}]}', ['young']],
  ['{all: [{field: kind, is: a}, {field: age, at_least: 10}]}', []],
  ['{any: [{field: kind, is: a}, {field: age, at_least: 18}]}', ['young', 'exact', 'old']],
  ['{not: {any: [{field: kind, is: a}, {field: age, at_least: 18}]}}', ['nothing']],
  ['{not: {all: [{field: kind, is: a}, {field: age, at_least: 1}]}}', ['nothing', 'exact', 'old']],
  ['{all: [{field: kind, is_not: a}, {field: kind, is_not: b}]}', ['nothing', 'old']],
  ['{all: [{any: [{field: kind, is: a}, {field: kind, is: b}]}, {field: tags, is: blue}]}', ['exact']],
  [
    '{any: [{all: [{field: kind, is: c}, {not: {field: age, at_most: 100}}]}, {field: kind, filled: false}]}',
    ['nothing', 'old'],
  ],
  [
    '{all: [{any: [{not: {all: [{field: kind, is: a}, {field: word, filled: true}]}}]}]}',
    ['nothing', 'exact', 'old'],
  ],
  ['{any: [{field: kind, filled: true}, {field: kind, filled: false}]}', all],
];

/** A form with a field for each condition, `when0`, `when1`, …, and the fields that decide. */
export const conditionForm = (key: 'visible_when' | 'required_when', more = '') => `
  table:
    fields:${deciders}
${cases.map(([condition], index) => `      - {name: when${index}, ${key}: ${condition}${more}}`).join('\n')}
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
`;

/** The names of the fields whose conditions hold for these answers. */
export const holding = (name: string): readonly string[] =>
  cases.flatMap(([, holdsFor], index) => (holdsFor.includes(name as Name) ? `when${index}` : []));
