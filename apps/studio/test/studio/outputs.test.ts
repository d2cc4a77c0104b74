/** Recipes and switches of the studio, each added to a contact form that then has to load. */

import { mailConfig } from '@form-relay/starters/mail_config';
import type { Recipe } from '@form-relay/starters/recipes';
import { describe, expect, test } from 'vitest';
import { mailAccounts } from '../../../../packages/mail-dns/src/mail_services.ts';
import { exceptExamples, inspectInLanguages } from '../../../../test/support/parse_config.ts';
import { type Ground, guards, isOn, turnOff, turnOn } from '../../app/build/guards/cards.ts';
import { isFoundBy, outputsFor, recipeOf, variablesToSet } from '../../app/build/outputs/recipes.ts';
import { fieldOf } from '../../app/fields_in.ts';
import { type Action, edit, type Json, type Path, readConfig } from '../../edit/index.ts';
import { gallery } from '../../src/gallery.ts';

test.each([
  ['e-mail', 'smtp'],
  ['gmail', 'mail/gmail'],
  ['googlemail', 'mail/gmail'],
  ['Outlook', 'mail/microsoft365'],
  ['office 365', 'mail/microsoft365'],
  ['ymail', 'mail/yahoo'],
  ['aws mail', 'mail/ses'],
  ['mailgun', 'mail/mailgun'],
  ['mailgun', 'mailgun'],
  ['app password', 'mail/icloud'],
  ['excel', 'google_sheets'],
  ['Excel', 'folder'],
  ['file', 'folder'],
  ['file', 's3'],
  ['google sheet', 'apps_script'],
])('a search for %s finds %s', (sought, name) => {
  expect(gallery.filter((recipe) => isFoundBy(recipe, sought)).map((one) => one.name)).toContain(name);
});

/** As people name their fields: not as the recipes do. */
const contact = `# Our form.
forms:
  contact:
    fields:
      - {name: first_name, required: true, autocomplete: given-name, max_length: 60}
      - {name: surname, required: true, autocomplete: family-name, max_length: 60}
      - {name: mail, type: email, required: true} # where we answer
      - {name: question, type: textarea, max_length: 150}
    outputs:
      - {type: http_post, url: "https://crm.example.com/leads", mapping: "*"}
`;
const outputs: Path = ['forms', 'contact', 'outputs'];

const read = (text: string): Json => readConfig(text).value as Json;
const at = (value: Json, ...path: Path): Json =>
  path.reduce((one, key) => (one as Record<string | number, Json>)[key] as Json, value);
const fieldsIn = (text: string) => (at(read(text), 'forms', 'contact', 'fields') as Json[]).flatMap(fieldOf);

function edited(text: string, actions: readonly Action[]): string {
  const done = edit(text, actions);
  if (!done.ok) throw new Error(done.says);
  return done.changes.reduceRight(
    (left, { from, to, insert }) => left.slice(0, from) + insert + left.slice(to),
    text,
  );
}

/** The errors, or else the warnings, of the relay. */
async function problemsOf(text: string): Promise<readonly string[]> {
  const result = await inspectInLanguages(text, 'webform.yaml');
  const problems = result.ok ? exceptExamples(await result.value.warnings()) : result.error;
  return problems.map(({ message }) => message);
}

describe('a recipe of the gallery, added to a contact form,', () => {
  test.each(gallery.map((recipe) => [recipe.name, recipe] as const))('%s loads', async (_, recipe) => {
    const made = outputsFor(recipe, fieldsIn(contact));
    const text = edited(
      contact,
      made.map((value, index) => ({ do: 'insert', path: outputs, index: 1 + index, value })),
    );
    expect(made.length).toBeGreaterThan(0);
    expect(at(read(text), ...outputs)).toHaveLength(1 + made.length);
    const problems = await problemsOf(text);
    expect(problems).toEqual([]);
  });

  test.each(gallery.map((recipe) => [recipe.name, recipe] as const))(
    '%s loads without any field to match',
    async (_, recipe) => {
      const bare = contact
        .replace(/ {6}- \{name: (first|sur|mail|quest).*\n/g, '')
        .replace('fields:', 'fields: [{name: colour}]');
      const made = outputsFor(recipe, fieldsIn(bare));
      const text = edited(
        bare,
        made.map((value, index) => ({ do: 'insert', path: outputs, index: 1 + index, value })),
      );
      expect(await problemsOf(text)).toEqual([]);
    },
  );
});

describe('a mail provider of the gallery', () => {
  const ours = fieldsIn(
    'forms: {contact: {fields: [{name: name}, {name: email, type: email}, {name: message}]}}',
  );

  test.each(Object.entries(mailAccounts))(
    '%s adds what `relay init --mail` writes, and says what is left to do',
    (name, { host, otherHosts = [], wantsOAuth }) => {
      const provider = gallery.find((one) => one.name === `mail/${name}`) as Recipe;
      const { text, variables } = mailConfig(name);
      const [output, ...others] = outputsFor(provider, ours);
      expect([output, ...others]).toEqual(at(read(text), 'forms', 'contact', 'outputs'));
      expect(recipeOf(output as never, gallery)).toBe(provider);
      for (const other of [host.toUpperCase(), ...otherHosts.map(([, one]) => one)])
        expect(recipeOf({ ...output, host: other } as never, gallery)).toBe(provider);
      const needed = variablesToSet(output as never, provider);
      expect(needed).toEqual(expect.arrayContaining([...variables]));
      expect(needed.filter(({ is }) => is === undefined)).toEqual([]);
      expect(provider.needs.includes('no password')).toBe(wantsOAuth === true);
    },
  );
});

describe('a switch', () => {
  const ground = (text: string): Ground => ({ id: 'contact', config: read(text), fields: fieldsIn(text) });
  const all = Object.values(guards).flat();

  test.each(all.map((guard) => [guard.title, guard] as const))(
    '%s: turned on, it loads',
    async (_, guard) => {
      expect(isOn(guard, ground(contact))).toBe(false);
      const text = edited(contact, turnOn(guard, ground(contact)));
      expect(isOn(guard, ground(text))).toBe(true);
      const problems = await problemsOf(text);
      expect(
        problems.filter((one) => !/captcha or min_fill_seconds|min_fill_seconds|Privacy/i.test(one)),
      ).toEqual([]);
    },
  );

  // `doubt` marks for others, too, and stays: it has a switch of its own.
  const single = all.filter(({ title }) => title !== 'Minimal filling time');
  test.each(single.map((guard) => [guard.title, guard] as const))(
    '%s: turned off again, nothing is left',
    (_, guard) => {
      const on = edited(contact, turnOn(guard, ground(contact)));
      expect(read(edited(on, turnOff(guard, ground(on))))).toEqual(read(contact));
    },
  );
});
