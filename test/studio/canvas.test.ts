/** Pictures for the builder: of each field of a form, and of all that can be added to one. */
import { expect, test } from 'vitest';
import { fieldTypeNames } from '../../packages/relay/src/fields/index.ts';
import type { Palette, StudioState } from '../../packages/studio/src/state.ts';
import { type Stage, stage } from './stage.ts';

const config = `languages: [en, ar]
forms:
  contact:
    title: {en: Write to us, ar: اكتب إلينا}
    submit_label: {en: Go, ar: إرسال}
    fields:
      - note: {en: "We *answer* <b>soon</b>.", ar: سنجيب.}
      - {name: email, type: email, required: true, label: {en: E-mail, ar: البريد}}
      - {name: kind, type: radios, options: [private, company], value: company}
      - {name: vat, visible_when: {field: kind, is: nobody_ticked}}
      - {name: campaign, type: hidden, value: spring}
    outputs:
      - {type: http_post, url: "https://hooks.acme.dev/", mapping: "*"}
`.replace('nobody_ticked', 'private');

const stateOf = async (at: Stage, query = ''): Promise<StudioState> =>
  JSON.parse((await at.request(`/studio/state${query}`)).text);

test('the canvas has each field as the relay renders it, by its name', async () => {
  const { form } = await stateOf(await stage({ config }));
  const { names, fields, notes, title, submit, direction } = form?.canvas ?? ({} as never);
  expect(names).toEqual(['email', 'kind', 'vat', 'campaign']);
  expect(direction).toBe('ltr');
  expect(title).toBe('<h2>Write to us</h2>');
  expect(submit).toBe('<button type="submit">Go</button>');
  expect(fields.email).toMatch(/<label [^>]*>E-mail <span class="field-required"[^>]*>\*<\/span><\/label>/);
  expect(fields.kind).toMatch(/value="company" checked/);
  // A condition hides it from visitors at first, not from whoever builds the form.
  expect(fields.vat).toContain('name="vat"');
  expect(fields.campaign).toBeUndefined();
  expect(Object.values(notes)).toEqual(['<p class="field-note">We *answer* &lt;b&gt;soon&lt;/b&gt;.</p>']);
});

test('the canvas speaks the language that is shown', async () => {
  const { form } = await stateOf(await stage({ config }), '?form=contact&lang=ar');
  expect(form?.language).toBe('ar');
  expect(form?.canvas.direction).toBe('rtl');
  expect(form?.canvas.fields.email).toContain('البريد');
});

test('a draft that does not load leaves the pictures of the last one that did', async () => {
  const at = await stage({ config });
  const before = await stateOf(at);
  await at.edit(config.replace('type: email', 'type: emial'));
  const after = await stateOf(at);
  expect(after.file.state).toBe('refresh_failed');
  expect(after.form?.canvas).toEqual(before.form?.canvas);
});

test('the palette has a picture, a sentence and a loadable value of every field type', async () => {
  const at = await stage({ config });
  const { parts, style }: Palette = JSON.parse((await at.request('/studio/palette.json')).text);
  expect(style).toContain('.form-relay');
  expect(new Set(parts.map(({ type }) => type))).toEqual(
    new Set([...fieldTypeNames, 'note', 'group', 'step']),
  );
  for (const part of parts) {
    expect(part.picture, part.type).toMatch(/^<(div|fieldset|p|section)/);
    expect(part.says, part.type).toMatch(/^[A-Z].*\.\)?$/);
  }
  const values = parts.flatMap(({ value }) => (value ? [value] : []));
  expect(values).toHaveLength(fieldTypeNames.length + 1);
  for (const value of values) {
    const outputs = [{ type: 'http_post', url: 'https://hooks.acme.dev/', mapping: '*' }];
    await at.edit(JSON.stringify({ forms: { one: { fields: [value], outputs } } }));
    const { problems } = await stateOf(at);
    expect(
      problems.filter(({ severity }) => severity === 'error'),
      JSON.stringify(value),
    ).toEqual([]);
  }
});
