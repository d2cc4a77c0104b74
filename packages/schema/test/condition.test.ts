import { answers, cases, conditionForm, holding } from '../../../test/support/condition_cases.ts';
import { contact } from '../../../test/support/index.ts';

const pairsOf = (name: string) =>
  Object.entries(answers[name as keyof typeof answers]).flatMap(([field, values]) =>
    // Browsers send each line break as CRLF.
    [values].flat().map((value): [string, string] => [field, value.replaceAll('\n', '\r\n')]),
  );
const fieldsOf = (key: 'visible_when' | 'required_when', more?: string) =>
  `[${conditionForm(key, more)
    .split('\n')
    .flatMap((line) => /^ {6}- (.*)$/.exec(line)?.[1] ?? [])
    .join(', ')}]`;

test.each(Object.keys(answers))('visible_when and required_when hold as the table says: %s', async (name) => {
  for (const fields of [fieldsOf('visible_when', ', required: true'), fieldsOf('required_when')]) {
    const form = await contact({ fields });
    expect((await form.send(...pairsOf(name))).text.match(/when\d+/g)).toEqual(holding(name));
  }
});

test('when of outputs holds like visible_when, except that hidden fields are empty', async () => {
  const outputs = cases.map(
    ([when], index) => `{type: http_post, url: $sink, static: {to: when${index}}, when: ${when}}`,
  );
  const form = await contact({ fields: fieldsOf('visible_when'), outputs: `[${outputs}]` });
  await form.send(...pairsOf('exact'));
  const reached = form.delivered.map((pairs) => new Map(pairs).get('to') ?? '');
  expect(reached.toSorted()).toEqual(holding('exact').toSorted());
});

test('a page without the script says when a field applies, and when it is required', async () => {
  const nested = '{any: [{field: age, at_least: 18}, {not: {field: kind, is: [a, b]}}]}';
  const form = await contact({
    fields: `[{name: kind}, {name: age, type: number}, {name: day, type: date}, {name: f, visible_when: {all: [{field: day, before: 2027-03-31}, ${nested}]}, required_when: {field: kind, contains: x}}, {note: Hello, visible_when: {field: kind, filled: true}}]`,
  });
  const page = (await form.get('/api/v1/form/contact?as=page')).text;
  const fragment = (await form.get('/api/v1/form/contact?day=2027-01-01&age=20')).text;
  expect(fragment).toContain('(required) only if “Kind” contains x');
  const said = /for="form-contact--f">(.*?)<\/label>/s.exec(page)?.[1]?.replaceAll(/<[^>]+>/g, '');
  expect(said).toBe(
    'F (only if “Day” is before 2027-03-31 and (only if “Age” is 18 or more or only if “Kind” is not a or b)) (required) only if “Kind” contains x',
  );
  expect(page).toMatch(
    /<p class="field-note">Hello<\/p>\s*<p class="field-note field-condition">\(only if “Kind” is filled in\)<\/p>/,
  );
});

test('a value typed in another notation counts by its meaning', async () => {
  const form = await contact({
    fields: `[{name: at, type: time}, {name: f, required: true, visible_when: {field: at, before: "10:00"}}]`,
  });
  for (const early of ['9:05', '9:05 am', '09:05']) expect((await form.send(['at', early])).status).toBe(422);
  expect((await form.send(['at', '10:00'])).status).toBe(200);
});

test('a pattern that takes too long makes nothing required', async () => {
  const form = await contact({
    fields: `[{name: s}, {name: f, required: true, visible_when: {field: s, matches: "(a|b)*a(a|b){150}c"}}]`,
  });
  const value = Array.from({ length: 2_000 }, (_, index) => 'ab'[((index * index) % 7) % 2]).join('');
  expect((await form.send(['s', value])).status).toBe(200);
});
