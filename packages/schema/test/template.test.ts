import { must } from '../../../test/support/must.ts';
import { didYouMean } from '../src/suggestion.ts';
import { functions } from '../src/template/names.ts';
import { parseTemplate, parseTemplates } from '../src/template/parse.ts';
import type { Template, TemplateContext } from '../src/template.ts';
import { scopeOf } from './scope.ts';

const environment: Readonly<Record<string, string>> = { TOKEN: 's3cret', BRACES: '{{ .form.id }}' };

const submission: TemplateContext = {
  fields: new Map([
    ['name', ['  Ada Lovelace ']],
    ['kind', ['tea', 'cake']],
    ['blank', ['']],
    ['spaces', [' \t ']],
    ['a-b', ['dashed']],
    ['ticked', ['', 'tea', '', 'cake']],
    ['größe', ['XL']],
    ['__proto__', ['plain']],
    ['evil', ['{{ env "TOKEN" }}']],
    ['lines', ['a\r\n```\r\r\n/close\n@all']],
    ['html', [`<b>"&'</b>`]],
  ]),
  formId: 'contact',
  submittedAt: '2025-01-02T03:04:05Z',
  page: {
    url: 'https://example.org/tea?utm_source=post&utm_source=mail',
    isOnOwnSite: true,
    title: 'Tea',
    query: new Map([['utm_source', ['post', 'mail']]]),
  },
  env: (name) => environment[name],
};

function template(source: string): Template {
  return must(parseTemplate(source));
}

/** Each line: the promise, the template, and what it renders to. */
const renders: readonly (readonly [string, string, string])[] = [
  // In addition to test/spec/templating.test.ts
  ['.labels.<name> without options is what was submitted', '{{ .labels.kind }}', 'tea, cake'],
  ['.page.title is the title of its page', '{{ .page.title }}', 'Tea'],
  ['.page.query.<name> is a value of its address', '{{ .page.query.utm_source }}', 'post,mail'],
  ['default keeps a value', '{{ default "none" .form.id }}', 'contact'],
  ['default keeps blanks', '[{{ default "none" .fields.spaces }}]', '[ \t ]'],
  ['default after trim catches blanks', '{{ default "none" (trim .fields.spaces) }}', 'none'],
  ['values of an absent field is an empty list', '[{{ join ";" (values "absent") }}]', '[]'],
  ['a list without join is joined with commas', '{{ values "kind" }}', 'tea,cake'],
  ['join takes a separator that was submitted', '{{ join .fields.blank (values "kind") }}', 'teacake'],

  // Markdown
  ['code indents each line', '{{ code .fields.lines }}', '\n\n    a\n    ```\n    \n    /close\n    @all\n'],
  ['code of an empty value is empty', '[{{ code .fields.blank }}{{ code .fields.absent }}]', '[]'],

  // Values that a template cannot see
  ['a path below a field renders empty', '[{{ .fields.name.first }}]', '[]'],
  ['an unknown path takes a default', '{{ default "x" .foo }}', 'x'],
  ['__proto__ is a field like any other', '{{ .fields.__proto__ }}', 'plain'],
  ['constructor is an absent field', '[{{ .fields.constructor }}]', '[]'],

  // Inserted text
  ['a template in the environment is not parsed', '{{ env "BRACES" }}', '{{ .form.id }}'],

  // Text around actions
  ['text without actions stays as it is', 'Hello, world', 'Hello, world'],
  ['empty text stays empty', '', ''],
  ['}} outside actions is text', 'a }} b {{ .form.id }} }}', 'a }} b contact }}'],
  ['single braces are text', '{a} { {{ .form.id }}}', '{a} { contact}'],
  ['text and actions alternate', '<{{ .form.id }}{{ "|" }}{{ .form.id }}>', '<contact|contact>'],
  ['an action can span lines', '{{\n\tdefault\r\n"x"\n.foo\n}}', 'x'],

  // Trim markers
  ['{{- eats the space before', 'a \t\r\n {{- .form.id }} b', 'acontact b'],
  ['-}} eats the space after', 'a {{ .form.id -}} \t\r\n b', 'a contactb'],
  ['both markers together', 'a {{- .form.id -}} b', 'acontactb'],
  ['markers allow more space inside', 'a {{-  \n .form.id \t -}} b', 'acontactb'],
  ['markers leave no-break spaces', 'a\u00a0{{- .form.id -}}\u00a0b', 'a\u00a0contact\u00a0b'],
  ['{{-3}} is minus three', 'a {{-3}}', 'a -3'],

  // Comments
  ['a comment renders nothing', 'a{{/* note */}}b', 'ab'],
  ['a comment can trim', 'a {{- /* note */ -}} b', 'ab'],
  ['a comment can hold braces and lines', 'a{{/* }} {{ "\n */}}b', 'ab'],

  // Literals
  ['a string renders as written', '{{ "a b" }}', 'a b'],
  ['a string can hold braces', '{{ "}}" }}{{ "{{" }}', '}}{{'],
  ['letters can be escaped', String.raw`{{ "\a\b\f\n\r\t\v\\\"" }}`, '\x07\b\f\n\r\t\v\\"'],
  ['an escaped byte-order mark is text', String.raw`{{ "\xef\xbb\xbfa" }}`, '\ufeffa'],
  ['characters can be escaped', String.raw`{{ "\x41\102\u00e9\U0001F600" }}`, 'ABé😀'],
  ['a raw string keeps backslashes and lines', '{{ `a\\n"\nb` }}', 'a\\n"\nb'],
  ['a raw string drops carriage returns', '{{ `a\r\nb` }}', 'a\nb'],
  ['numbers are text as written', '{{ 42 }} {{ -1.50 }} {{ +007 }}', '42 -1.50 +007'],
  ['true and false are text', '{{ true }} {{ default false .foo }}', 'true false'],

  // Pipes and parentheses
  ['a pipe passes the last value', '{{ .fields.absent | default "x" }}', 'x'],
  ['a pipe needs no space', '{{.fields.name|trim|upper}}', 'ADA LOVELACE'],
  ['a list can be piped', '{{ values "kind" | join " + " }}', 'tea + cake'],
  ['parentheses nest', '{{ default "x" ( trim (lower (upper .foo)) ) }}', 'x'],
  ['a pipeline can have 100 functions', `{{ " a"${' | trim'.repeat(100)} }}`, 'a'],
  ['a literal in parentheses is a literal', '{{ env ("TOKEN") }}', 's3cret'],

  // Field names
  ['a field name can have dashes inside', '{{ .fields.a-b }}', 'dashed'],
  ['a field name can have letters of any script', '{{ .fields.größe }}', 'XL'],
];

/** Each line: the promise, the template, a part of the message, and the source under the caret. */
const problems: readonly (readonly [string, string, string, string])[] = [
  // Braces
  ['an action must close', 'a {{ .form.id', '"{{" is never closed', '{{'],
  ['an action of several lines must close', '{{ .form.id\nBest regards', '"{{" is never closed', '{{'],
  ['a mistake on a later line', '{{ .form.id\n"hidden" }} {{ .form.id }}', 'only a function can', '"'],
  ['one brace does not close', '{{ .form.id }', 'expected a space, "|" or "}}"', '}'],
  ['an empty action is rejected', '{{ }}', 'missing value', '}'],
  ['a third brace is rejected', '{{{ .form.id }}}', 'write two braces', '{'],
  ['{{- needs a space', '{{-.form.id}}', '"{{-" needs a space after it', '{{-'],
  ['-}} needs a space', '{{.form.id-}}', '"-}}" needs a space before it', '-}}'],

  // Comments
  ['a comment must close', '{{/* a }}', 'comment is never closed', '/*'],
  ['a comment must touch its opening braces', '{{ /* a */}}', 'a comment must touch its braces', '/'],
  [
    'a comment must touch its closing braces',
    '{{/* a */ .form.id }}',
    'a comment must touch its braces',
    '/*',
  ],

  // Literals
  ['double quotes must close', '{{ "hidden }}', 'quote is never closed', '"'],
  ['double quotes stay on one line', '{{ "hidden\n" }}', 'cannot span lines', '"'],
  ['raw quotes must close', '{{ `hidden }}', 'quote is never closed', '`'],
  ['an unknown escape is rejected', '{{ "hidden\\q" }}', 'unknown escape; in double quotes', '\\'],
  ['an escaped surrogate is rejected', '{{ "\\ud800" }}', 'unknown escape; in double quotes', '\\'],
  ['an escape beyond Unicode is rejected', '{{ "\\U00110000" }}', 'unknown escape; in double quotes', '\\'],
  ['single quotes are rejected', "{{ env 'hidden' }}", 'straight double quotes', "'"],
  ['curly quotes are rejected', '{{ env “hidden” }}', 'straight double quotes', '“'],
  ['a word without quotes is not repeated', '{{ env hidden }}', 'text needs double quotes', 'hidden'],
  ['a number with letters is rejected', '{{ 0x1F }}', 'not a plain number', '0x1F'],

  // Space between values
  ['a string needs a space before it', '{{ trim"hidden" }}', 'expected a space', '"'],
  ['parentheses around values do not make a call', '{{ trim("hidden") }}', 'expected a space', '('],
  [
    'parentheses cannot follow a value directly',
    '{{ join .fields.a (values "b")(values "c") }}',
    'expected a space',
    '(',
  ],
  ['commas do not separate values', '{{ join ",", (values "a") }}', 'expected a space', ','],

  // Paths
  ['a bare dot is rejected', '{{ . }}', 'after ".", expected a name', '.'],
  ['a dot at the end of a path is rejected', '{{ .fields. }}', 'after ".", expected a name', '.fields.'],
  ['a name cannot start with a dash', '{{ .fields.-a }}', 'after ".", expected a name', '.fields.'],
  ['no other character can start a value', '{{ ! }}', 'unexpected character', '!'],

  // Pipes, parentheses
  ['a pipe needs a function after it', '{{.form.id|}}', 'a function must follow "|"', '}'],
  ['a pipe needs a value before it', '{{ | trim }}', 'missing value', '|'],
  ['two pipes are not an operator', '{{ .form.id || trim }}', 'write a default', '|'],
  ['the environment is not a path', '{{ process.env.TOKEN }}', '(did you mean env "TOKEN"?)', 'process'],
  ['a path cannot follow a pipe', '{{ "a" | .form.id }}', 'a function must follow "|"', '.'],
  ['parentheses must close', '{{ (trim .form.id }}', '"(" is never closed', '('],
  ['parentheses must open', '{{ trim .form.id ) }}', '")" has no "(" before it', ')'],
  ['empty parentheses are rejected', '{{ () }}', 'missing value', ')'],
  ['a path takes no values', '{{ .form.id "hidden" }}', 'only a function can have values', '"'],
  ['a call among values needs parentheses', '{{ trim lower .form.id }}', '(lower ...)', 'lower'],

  // Number and types of values
  ['trim takes one value', '{{ trim "a" "hidden" }}', 'trim takes 1 value, found 2', 'trim'],
  ['trim takes a value', '{{ trim }}', 'trim takes 1 value, found 0', 'trim'],
  ['default takes two values', '{{ default "hidden" }}', 'default takes 2 values, found 1', 'default'],
  ['trim takes text', '{{ trim (values "a") }}', 'trim needs text, found a list', '(values "a")'],
  ['default takes a literal', '{{ default .form.id "a" }}', 'default needs the first value in', '.form.id'],
  ['env takes a literal', '{{ env .fields.x }}', 'env needs a name in quotes, so', '.fields.x'],
  [
    'env takes no computed name',
    '{{ env (trim "hidden") }}',
    'env needs a name in quotes',
    '(trim "hidden")',
  ],
  ['values takes a literal', '{{ values .fields.x }}', 'values needs a field name in quotes', '.fields.x'],
  ['join takes a list', '{{ join "," .fields.x }}', 'join needs a list as its second value', '.fields.x'],

  // Features of Go that this language lacks
  ['variables are rejected', '{{ $x := .form.id }}', 'variables are not available', '$'],
  ['blocks of other languages are rejected', '{{^a}}', 'blocks are not available', '^'],
  ['functions match by case', '{{ Trim .form.id }}', 'unknown function "Trim" (did you mean trim?)', 'Trim'],
  ['a bare word gets a field as suggestion', '{{ name }}', '"name" (did you mean .fields.name?)', 'name'],
  ['so does a path without its dot', '{{fields.a-b}}', '"fields" (did you mean .fields.a-b?)', 'fields'],
  [
    'an alias of a path gets the path as suggestion',
    '{{ form_slug }}',
    '"form_slug" (did you mean .form.id?)',
    'form_slug',
  ],
  [
    'an unknown word with values is a function',
    '{{ capitalize .form.id }}',
    '"capitalize"; the',
    'capitalize',
  ],
  ['constructor is not a function', '{{ constructor }}', 'unknown function "constructor"', 'constructor'],
  ...'and or not eq ne lt le gt ge len index slice print printf println html js urlquery call'
    .split(' ')
    .map(
      (name) =>
        [`${name} is rejected`, `{{ ${name} .form.id }}`, `unknown function "${name}"`, name] as const,
    ),
  ...'if else range with define block template break continue end'
    .split(' ')
    .map((word) => [`${word} is rejected`, `{{ ${word} }}`, `\`${word}\` is not available`, word] as const),

  // Bounds
  ['parentheses nest only 100 deep', `{{ ${'('.repeat(1e5)}`, 'at most 100 functions and parentheses', '('],
  ['a pipeline cannot have 101 functions', `{{ "a"${' | trim'.repeat(101)} }}`, 'at most 100 functions', 't'],
  ['a very long pipeline is rejected', `{{ "a"${' | trim'.repeat(1e5)} }}`, 'at most 100 functions', 't'],
];

test.each(renders)('%s', (_, source, expected) => expect(template(source).render(submission)).toBe(expected));

test('.labels.<name> has the labels of options, and other values as submitted', () => {
  const values = new Map([
    ['kind', ['tea', 'cake', 'beer']],
    ['undeclared', ['tea', 'cake']],
  ]);
  const options = [
    { value: 'tea', label: 'A cup of tea' },
    { value: 'cake', label: 'Cake' },
  ];
  const scope = scopeOf('contact', { values, receivedAt: 0 }, submission, [{ name: 'kind', options }]);
  expect(template('{{ .labels.kind }}; {{ .labels.undeclared }}').render(scope)).toBe(
    'A cup of tea, Cake, beer; tea, cake',
  );
});

test.each(problems)('%s', (_, source, message, marked) => {
  const found = parseTemplate(source);
  const [first] = found.ok ? [] : found.error;
  if (!first?.within) throw new Error(`${source} was accepted`);
  expect(first.message + didYouMean(first.suggestion)).toContain(message);
  const { of, offset, length } = first.within;
  expect(of).toBe(source);
  expect(source.slice(offset, offset + length)).toBe(marked);
  expect(first.message + didYouMean(first.suggestion)).not.toContain('hidden');
});

test.each([
  ['{{ now }} and {{ upercase .fields.a }}', ['now', 'upercase']],
  ['{{ env.A }}, {{ .fields.a }}, {{ "b" "c" }}', ['.', '"']],
  // The same mistake in several places.
  ['{{ if .fields.a }}b{{ else }}c{{ end }} {{ now }}', ['if', 'now']],
  ['{{#if a}}b{{/if}}', ['#']],
  // If a mistake leaves the end of its action open, the next ones may not be mistakes.
  ['{{ now {{ then }}', ['now']],
  ['Dear {{ now and then', ['now']],
])('%s: all mistakes at once', (source, expected) => {
  for (const parse of [parseTemplate, parseTemplates]) {
    const found = parse(source);
    const places = found.ok ? [] : found.error.map(({ within = { offset: 0, length: 0 } }) => within);
    expect(places.map(({ offset, length }) => source.slice(offset, offset + length))).toEqual(expected);
  }
});

test('only the first 20 mistakes of a template are reported', () => {
  const found = parseTemplate('{{ now }}'.repeat(10_000));
  expect(found.ok ? [] : found.error).toHaveLength(20);
});

test('the functions are those of the specification, and code', () => {
  expect(functions.map(({ name }) => name)).toEqual(
    'trim lower upper default env values join code'.split(' '),
  );
});

/** Each line: the template, its fields, its variables, its unknown paths, and whether it is literal. */
const mentions: readonly (readonly [string, string[], string[], string[], boolean])[] = [
  ['plain', [], [], [], true],
  ['plain{{/* .fields.a */}}', [], [], [], true],
  ['{{ "constant" }}', [], [], [], false],
  ['{{ .form.id }} {{ .submitted_at }}', [], [], [], false],
  ['{{ .fields.a }} {{ .fields.a-b }} {{ "c" | values }}', ['a', 'a-b', 'c'], [], [], false],
  ['{{ env "A" }} {{ ("B") | env }}', [], ['A', 'B'], [], false],
  ['{{ .env }} {{ .env.A }} {{ .feild.a }}', [], [], ['.env', '.env.A', '.feild.a'], false],
  ['{{ .fields }} {{ .form }} {{ .fields.a.b }}', ['a.b'], [], ['.fields', '.form'], false],
];

test.each(mentions)(
  '%s reports the names that it mentions',
  (source, fields, variables, paths, isLiteral) => {
    const { fieldNames, envNames, unknownPaths, ...rest } = template(source);
    expect([...fieldNames]).toEqual(fields);
    expect([...envNames]).toEqual(variables);
    expect([...unknownPaths]).toEqual(paths);
    expect(typeof template(source).content === 'string').toBe(isLiteral);
    expect(rest.source).toBe(source);
  },
);

/** Each line: the template, and the variables without which it is incomplete. */
const neededVariables: readonly (readonly [string, string[]])[] = [
  ['{{ env "A" }} {{ ("B") | env | trim }}', ['A', 'B']],
  ['{{ env "A" | default "x" }}', []],
  ['{{ default "" (lower (env "A")) }}', []],
  ['{{ env "A" | trim | default "x" | upper }}', []],
  ['{{ default "x" .fields.a }} {{ env "A" }}', ['A']],
  ['{{ env "default" }}', ['default']],
  ['{{ join (env "A") (values "a") }}', ['A']],
  ['{{ env "A" | default "x" }} {{ env "A" }}', ['A']],
  ['{{ join (default "," (env "A")) (values "a") }}', []],
];

test.each(neededVariables)('%s reports the variables that it needs', (source, variables) =>
  expect([...template(source).neededEnvNames]).toEqual(variables),
);

/** Each line: the promise, the template, and the sources that it splits into. */
const splits: readonly (readonly [string, string, string[]])[] = [
  ['text splits at commas', 'a@x.org, b@x.org', ['a@x.org', 'b@x.org']],
  ['one part stays whole', ' {{ .fields.a }} ', ['{{ .fields.a }}']],
  ['blank parts are dropped', ', a@x.org,, \t,', ['a@x.org']],
  ['blank text has no parts', '', []],
  ['a part that is only a comment is dropped', 'a@x.org, {{/* b */}}', ['a@x.org']],
  ['a part that is only comments is dropped', 'a@x.org, {{/* b */}} {{/* c */}}', ['a@x.org']],
  ['commas in quotes do not split', '"Acme, Inc." <a@x.org>, b@x.org', ['"Acme, Inc." <a@x.org>', 'b@x.org']],
  [
    'an escaped quote does not end the text',
    String.raw`"The \", Inc." <a@x.org>, b@x.org`,
    [String.raw`"The \", Inc." <a@x.org>`, 'b@x.org'],
  ],
  ['commas in actions do not split', '{{ join "," (values "a") }}', ['{{ join "," (values "a") }}']],
  ['commas in comments do not split', 'a{{/* , */}}b', ['a{{/* , */}}b']],
  ['actions stay in their part', 'a,{{ env "TOKEN" }}x,b', ['a', '{{ env "TOKEN" }}x', 'b']],
  ['trim markers stay in their part', 'a , {{- "b" -}} , c', ['a', '{{- "b" -}}', 'c']],
];

test.each(splits)('%s', (_, source, expected) =>
  expect(must(parseTemplates(source)).map((part) => part.source)).toEqual(expected),
);

test('a part of a split list reports only its own names', () => {
  const parts = must(parseTemplates('{{ .fields.a }}, {{ env "B" }}'));
  expect(parts.map(({ fieldNames, envNames }) => [[...fieldNames], [...envNames]])).toEqual([
    [['a'], []],
    [[], ['B']],
  ]);
});
