import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { sampleValues } from '@form-relay/dry-run/samples';
import { mailConfig } from '@form-relay/starters/mail_config';
import type { Recipe } from '@form-relay/starters/recipes';
import { mailAccounts } from '../../../../packages/clients/src/smtp/mail_services.ts';
import { must } from '../../../../test/support/must.ts';
import { exceptExamples, inspectInLanguages, parseConfig } from '../../../../test/support/parse_config.ts';
import { type Ground, guards, isOn, turnOff, turnOn } from '../../app/build/guards/cards.ts';
import { isFoundBy, outputsFor, recipeOf, variablesToSet } from '../../app/build/outputs/recipes.ts';
import { fieldOf } from '../../app/schema_nodes.ts';
import { applied, edit } from '../../edit/edit.ts';
import type { Action, Json, Path } from '../../edit/model.ts';
import { readConfig } from '../../edit/read.ts';
import { gallery } from '../../src/gallery.ts';
import { snippets } from '../../src/state_of.ts';
import { stage, stateAt } from './stage.ts';

/** A Wednesday. */
const now = Date.UTC(2026, 10, 25);

test.each([
  ['type: rating', [['f', '4']]],
  ['type: scale', [['f', '9']]],
  ['type: country', [['f', 'GB']]],
  ['type: country, countries: [DE, AT]', [['f', 'DE']]],
  [
    'type: address',
    [
      ['f.country', 'GB'],
      ['f.line1', "12 St James's Square"],
      ['f.line2', 'First floor'],
      ['f.city', 'London'],
      ['f.region', 'Greater London'],
      ['f.postal_code', 'W1S 4BE'],
    ],
  ],
])('a sample is what people would choose or type: {%s}', (keys, values) =>
  expect(samplesOf(keys)).toEqual(values),
);

test.each([
  ['type: date', '2026-12-02'],
  ['type: date, max: 2026-12-01', '2026-12-01'],
  ['type: time, min: 15:00, max: 15:30, step: 15m', '15:00'],
  ['type: datetime, step: 8h', '2026-12-02T00:00'],
  ['type: datetime, min: 2026-12-05 19:00, step: 1h', '2026-12-05T19:00'],
])('a sample is a value that the field accepts: {%s}', (keys, value) =>
  expect(samplesOf(keys)).toEqual([['f', value]]),
);

function samplesOf(keys: string) {
  const parsed = parseConfig(
    `forms: {f: {time_zone: UTC, fields: [{name: f, ${keys}}], outputs: [{type: http_post, url: "https://a.example/", mapping: "*"}]}}`,
    'webform.yaml',
  );
  if (!parsed.ok) throw new Error(parsed.error.map(({ message }) => message).join('\n'));
  const form = parsed.value.forms.get('f');
  return form && sampleValues(form, now);
}

/** Recipes and switches of the studio, each added to a contact form that must then load. */

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
])('a search for %s finds %s', (sought, name) =>
  expect(gallery.filter((recipe) => isFoundBy(recipe, sought)).map((one) => one.name)).toContain(name),
);

/** Field names as owners choose them, unlike those in the recipes. */
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
  return applied(text, done.changes);
}

/** The relay's errors, or else its warnings. */
async function problemsOf(text: string): Promise<readonly string[]> {
  const result = await inspectInLanguages(text, 'webform.yaml');
  const problems = result.ok ? exceptExamples(await result.value.warnings()) : result.error;
  return problems.map(({ message }) => message);
}

const bare = contact
  .replace(/ {6}- \{name: (first|sur|mail|quest).*\n/g, '')
  .replace('fields:', 'fields: [{name: colour}]');

test.each(gallery)(
  'a recipe of the gallery, added to a contact form: $name loads, with and without matching fields',
  async (recipe) => {
    for (const form of [contact, bare]) {
      const made = outputsFor(recipe, fieldsIn(form));
      const text = edited(
        form,
        made.map((value, index) => ({ do: 'insert', path: outputs, index: 1 + index, value })),
      );
      expect(made.length).toBeGreaterThan(0);
      expect(at(read(text), ...outputs)).toHaveLength(1 + made.length);
      expect(await problemsOf(text)).toEqual([]);
    }
  },
);

const ours = fieldsIn(
  'forms: {contact: {fields: [{name: name}, {name: email, type: email}, {name: message}]}}',
);

test.each(Object.entries(mailAccounts))(
  'a mail provider of the gallery: %s adds what `relay init --mail` writes, and says what remains to be done',
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

describe('a switch', () => {
  const ground = (text: string): Ground => ({ id: 'contact', config: read(text), fields: fieldsIn(text) });
  const all = Object.values(guards).flat();

  test.each(all)('$title: loads when turned on; leaves nothing when turned off', async (guard) => {
    expect(isOn(guard, ground(contact))).toBe(false);
    const on = edited(contact, turnOn(guard, ground(contact)));
    expect(isOn(guard, ground(on))).toBe(true);
    const expected = /captcha or min_fill_seconds|min_fill_seconds|Privacy/i;
    expect((await problemsOf(on)).filter((one) => !expected.test(one))).toEqual([]);
    // `doubt` also serves other checks, and stays: it has its own switch.
    if (guard.title !== 'Minimum filling time')
      expect(read(edited(on, turnOff(guard, ground(on))))).toEqual(read(contact));
  });
});

const config =
  'forms: {contact: {title: Write to us, spam: {honeypot: website}, fields: [{name: a}], outputs: [{type: http_post, url: "https://example.com"}]}}';
const form = must(parseConfig(config, 'webform.yaml')).forms.get('contact');
if (!form) throw new Error('no form');
const all = snippets(form, form.locale(undefined), 'https://forms.example.com');

test('every part offered for a site is in a site on which npm run sites submits forms', () => {
  const sites = fileURLToPath(new URL('../../../../lab/site-generators', import.meta.url));
  const used = new Set<string>();
  for (const folder of readdirSync(sites, { withFileTypes: true })) {
    if (!folder.isDirectory() || /^\.|node_modules/.test(folder.name)) continue;
    for (const file of readdirSync(join(sites, folder.name), { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue;
      const text = readFileSync(join(file.parentPath, file.name), 'utf8');
      for (const [, name, part = '1'] of text.matchAll(/ studio: ([\w ]+?)(?:, part (\d))?\s*[*\n-]/g))
        used.add(`${name} ${part}`);
    }
  }
  // The tests cannot build WordPress, every tag contains the link, and sites print their forms with a command.
  const elsewhere = ['WordPress', 'A link', 'A printed form'];
  const shown = all.filter(({ name }) => !elsewhere.includes(name));
  expect([...used].sort()).toEqual(
    shown.flatMap(({ name, parts }) => parts.map((_, index) => `${name} ${index + 1}`)).sort(),
  );
});

test('WordPress reduces the tag to a link for authors who may not add scripts', () => {
  const code = all.find(({ name }) => name === 'WordPress')?.parts[0]?.code ?? '';
  // Like wp_kses_post(): removes unknown tags, and keeps their content.
  const left = code.replaceAll(/<\/?(?!a[ >]|\/a>)[\w-]+[^>]*>/g, '').replaceAll(/<\/(?!a>)[\w-]+>/g, '');
  expect(left.trim()).toBe('<a href="https://forms.example.com/f/contact">Write to us</a>');
});

/** The studio offers everything that the config's plug-ins add. */

test('the palette and the schema contain field types of plug-ins', async () => {
  const config =
    'forms: {paint: {fields: [{name: wall, type: color}], outputs: [{type: http_post, url: "https://crm.firm.de/", mapping: "*"}]}}';
  const at = await stage({ config, env: { RELAY_PLUGINS: './examples/plugins' } });
  expect((await stateAt(at)).problems).toEqual([]);
  const { parts } = JSON.parse((await at.request('/studio/palette.json')).text);
  expect(parts).toContainEqual(
    expect.objectContaining({
      type: 'color',
      title: 'Colour',
      value: { name: 'color', type: 'color', label: 'Colour' },
    }),
  );
  const schema = (await at.request('/studio/schema.json')).text;
  for (const word of ['"color"', '"home_assistant"', '"blocked_domains"']) expect(schema).toContain(word);
});

/** The studio's page must load quickly on a slow connection: compressed size of its scripts and styles. */

const folder = 'apps/studio/built/app';

test('the page is smaller than 250 KB, and loads the QR code only with its dialog', () => {
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(['qr_code.js', 'studio.css', 'studio.js']));
  expect(readFileSync(`${folder}/studio.js`, 'utf8')).toMatch(/import\(`\.\/qr_code\.js`\)/);
  const sizes = ['studio.css', 'studio.js'].map(
    (name) => gzipSync(readFileSync(`${folder}/${name}`), { level: 9 }).length,
  );
  expect(sizes.reduce((sum, one) => sum + one)).toBeLessThan(250_000);
});
