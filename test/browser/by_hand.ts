/** Builds a config in the studio with clicks, choices and typing. Finds each key's control on the page. */
import type { Locator, Page } from 'playwright-core';

type Json = null | boolean | number | string | readonly Json[] | JsonMap;
interface JsonMap {
  readonly [key: string]: Json;
}

/** A config with one form. */
export interface Config extends JsonMap {
  readonly forms: { readonly [id: string]: JsonMap };
}

const isMap = (value: Json | undefined): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);
const listIn = (value: Json | undefined): readonly Json[] => (isList(value) ? value : []);

/** The control, or group of controls, for a path of the config, such as `forms.contact.title`. */
const at = (page: Page, path: string) => page.locator(`[data-path="${path}"]`).first();
const button = (within: Page | Locator, name: string) => within.getByRole('button', { name, exact: true });

/** Opens collapsed parts around a control. */
async function reveal(control: Locator): Promise<void> {
  const folded = control.locator('xpath=ancestor-or-self::details[not(@open)]');
  for (let count = await folded.count(); count > 0; count = await folded.count())
    await folded.first().locator('> summary').click();
}

const kinds = {
  condition: '.set-condition',
  boxes: '.set-boxes',
  options: '.b-option',
  mapping: 'select[aria-label="Fields to send"]',
  rows: '.set-add',
  box: 'input[type=checkbox]',
  choice: 'select',
  text: 'input, textarea',
} as const;
type Kind = 'map' | keyof typeof kinds;

interface Seen {
  readonly kind: Kind;
  /** Whether the map, or anything around it, is collapsed. */
  readonly isFolded: boolean;
  /** The control's current value. */
  readonly value: string;
}

/** Waits until the control appears. */
const look = (control: Locator): Promise<Seen> =>
  control.evaluate((element, all): Seen => {
    const isFolded = element.closest('details:not([open])') !== null;
    if (element.matches('details')) return { kind: 'map', isFolded, value: '' };
    const found = Object.entries(all).find(([, selector]) => element.querySelector(selector));
    if (!found) throw new Error(`No control is in ${element.outerHTML.slice(0, 200)}`);
    const input = element.querySelector<HTMLInputElement>('input, textarea, select');
    return { kind: found[0] as Kind, isFolded, value: input?.value ?? '' };
  }, kinds);

/** Sets a key's value, whatever its control is. */
async function put(page: Page, path: string, value: Json): Promise<void> {
  const control = at(page, path);
  const { kind, isFolded, value: before } = await look(control);
  if (kind === 'map') return putMap(page, path, value as JsonMap);
  if (isFolded) await reveal(control);
  if (kind === 'condition') return putCondition(control, value as JsonMap);
  if (kind === 'boxes') return tick(control, listIn(value).map(String));
  if (kind === 'options') return putOptions(control, listIn(value));
  if (kind === 'mapping') return putMapping(control, value);
  if (kind === 'rows')
    return isMap(value) ? putPairs(control, value) : putList(control, [value].flat() as Json[]);
  if (kind === 'box') return control.locator(kinds.box).setChecked(value === true);
  if (kind === 'choice' && isMap(value)) {
    const { type: server, ...keys } = value;
    await choose(control.locator('select'), server ?? '');
    return putMap(page, path, keys);
  }
  if (kind === 'choice') return choose(control.locator('select'), value);
  if (before !== String(value)) await control.locator(kinds.text).first().fill(String(value));
}

async function type(input: Locator, words: string): Promise<void> {
  if ((await input.inputValue()) !== words) await input.fill(words);
}

async function choose(select: Locator, value: Json): Promise<void> {
  const now = await select.inputValue();
  if (now === value || now === JSON.stringify(value)) return;
  await select.selectOption([JSON.stringify(value), String(value)].map((one) => ({ value: one })));
}

/** Sets all keys of a map, and removes those that were there before. */
async function putMap(page: Page, path: string, map: JsonMap): Promise<void> {
  const folded = page.locator(`details[data-path="${path}"]`);
  if ((await folded.count()) > 0) await reveal(folded);
  for (const [key, value] of Object.entries(map)) await put(page, `${path}.${key}`, value);
  await clear(page, path, Object.keys(map));
}

/** Clears texts and choices of other keys. */
async function clear(page: Page, path: string, kept: readonly string[]): Promise<void> {
  const filled = await page.locator(`[data-path^="${path}."]`).evaluateAll(
    (all, { path, kept }) =>
      all.flatMap((one) => {
        const key = (one as HTMLElement).dataset.path?.slice(path.length + 1) ?? '';
        const input = one.querySelector<HTMLInputElement>('input[type=text], textarea, select');
        const isOwn =
          !/[.[]/.test(key) && input?.closest('[data-path]') === one && !one.querySelector('.set-add');
        // A field always has a type.
        return isOwn && input.value !== '' && key !== 'type' && !kept.includes(key) ? [key] : [];
      }),
    { path, kept },
  );
  for (const key of filled) {
    const input = at(page, `${path}.${key}`).locator('input[type=text], textarea, select').first();
    if (await input.evaluate((one) => one instanceof HTMLSelectElement)) await input.selectOption('');
    else await input.fill('');
  }
}

async function putCondition(control: Locator, { field, ...test }: JsonMap): Promise<void> {
  await choose(control.locator('select').first(), field ?? '');
  const [name = '', value = ''] = Object.entries(test)[0] ?? [];
  await choose(control.locator('select').nth(1), value === false ? 'empty' : name);
  if (name === 'filled') return;
  const wanted = [value].flat().map(String);
  if ((await control.locator('.set-boxes').count()) === 0)
    return type(control.locator('input'), wanted.join(', '));
  await tick(control, wanted);
}

/** Ticks wanted boxes first, because at least one must stay ticked. */
async function tick(control: Locator, wanted: readonly string[]): Promise<void> {
  for (const isOn of [true, false])
    for (const box of await control.locator('.set-boxes label').all()) {
      const sends = (await box.getAttribute('data-value')) ?? '';
      if (wanted.includes(sends) === isOn) await box.locator('input').setChecked(isOn);
    }
}

async function putOptions(control: Locator, options: readonly Json[]): Promise<void> {
  const rows = control.locator('li.b-option');
  for (let count = await rows.count(); count < options.length; count++)
    await button(control, 'Add an option').click();
  for (let count = await rows.count(); count > options.length; count--)
    await rows
      .last()
      .getByRole('button', { name: /^Remove option/ })
      .click();
  const isApart = options.some((one) => isMap(one));
  await control.getByLabel('Send a value that differs from the label').setChecked(isApart);
  for (const [index, option] of options.entries()) {
    const { value, label } = isMap(option) ? option : { value: option, label: option };
    await type(rows.nth(index).locator('input').first(), String(label));
    if (isApart) await type(rows.nth(index).locator('input').nth(1), String(value));
  }
}

async function putMapping(control: Locator, mapping: Json): Promise<void> {
  const what = control.getByLabel('Fields to send', { exact: true }).locator('visible=true');
  if (!isMap(mapping)) return choose(what, mapping);
  await choose(what, 'rows');
  for (const [key, field] of Object.entries(mapping)) {
    const select = control.getByLabel(`Field for ${key}`, { exact: true });
    if ((await select.count()) === 0) {
      await control.getByLabel('Add a name at the receiver').fill(key);
      await button(control, 'Add').click();
    }
    await choose(select, field);
  }
  const keys = await control
    .locator('.set-keyinput')
    .evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value));
  for (const key of keys) if (!(key in mapping)) await button(control, `Remove ${key}`).click();
}

async function putPairs(control: Locator, pairs: JsonMap): Promise<void> {
  const keys = () =>
    control.locator('.set-keyinput').evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value));
  for (const key of await keys()) if (!(key in pairs)) await button(control, `Remove ${key}`).click();
  for (const [key, value] of Object.entries(pairs)) {
    if (!(await keys()).includes(key)) {
      await control.locator('.set-add input').fill(key);
      await button(control.locator('.set-add'), 'Add').click();
    }
    await type(control.locator('.set-value').getByLabel(key, { exact: true }), String(value));
  }
}

async function putList(control: Locator, items: readonly Json[]): Promise<void> {
  const rows = control.locator('.set-row');
  while ((await rows.count()) > 0) await rows.last().locator('.set-icon').click();
  const choices = control.locator('.set-add select');
  for (const item of items) {
    if ((await choices.count()) > 0) {
      await choose(choices, item);
      continue;
    }
    await control.locator('.set-add input').fill(String(item));
    await button(control.locator('.set-add'), 'Add').click();
  }
}

interface Run {
  readonly title: string;
  readonly names: readonly string[];
}

const runsIn = (form: JsonMap, key: 'groups' | 'steps'): readonly Run[] =>
  listIn(form[key]).map((run) => {
    const { legend, title, fields } = run as JsonMap;
    return { title: String(legend ?? title), names: listIn(fields).map(String) };
  });

const starts = (runs: readonly Run[], name: string) => runs.findIndex(({ names }) => names[0] === name);

/** Chooses a part from the palette. */
const take = (page: Page, type: string) => page.locator(`#part-${type}`).click();

/** Adds a field or note with a button, and sets its settings. */
async function addItem(page: Page, path: string, item: JsonMap, add: Locator): Promise<void> {
  await add.click();
  await take(page, item.name === undefined ? 'note' : String(item.type ?? 'text'));
  await page.locator('.b-open').waitFor();
  const { type: _, options, ...keys } = item;
  if (keys.label !== undefined) {
    await put(page, `${path}.label`, keys.label);
    // The name is updated when the label loses focus.
    await page.keyboard.press('Tab');
  }
  // The initial value must be one of the options.
  await putMap(page, path, { ...(options && { options }), ...keys });
}

async function addFields(page: Page, path: string, form: JsonMap): Promise<void> {
  const [groups, steps] = [runsIn(form, 'groups'), runsIn(form, 'steps')];
  for (const [index, item] of listIn(form.fields).entries()) {
    const name = String((item as JsonMap).name ?? '');
    const group = groups.find(({ names }) => names.includes(name));
    const isFirst = starts(groups, name) >= 0;
    const add =
      group && !isFirst
        ? button(page, `Add a field to the group ${group.title}`)
        : button(page, 'Add a field');
    await addItem(page, `${path}.fields[${index}]`, item as JsonMap, add);
    if (group && isFirst) {
      await page.locator(`.b-gap:has(+ [data-name="${name}"]) button`).click();
      await take(page, 'group');
      await page.getByLabel('Name of the group').last().fill(group.title);
    }
    const step = starts(steps, name);
    if (step > 0) {
      await page.locator(`.b-gap:has(+ [data-name="${name}"]) button`).click();
      await take(page, 'step');
      for (const [run, { title }] of steps.slice(0, step + 1).entries())
        await type(page.getByLabel(`Name of step ${run + 1}`, { exact: true }), title);
    }
  }
}

const openTab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true }).click();

async function addOutputs(page: Page, path: string, outputs: readonly Json[]): Promise<void> {
  await openTab(page, 'Outputs');
  for (const [index, output] of outputs.entries()) {
    const { type, ...keys } = output as JsonMap;
    await button(page, 'Add an output').click();
    await page.locator(`[data-recipe="${type}"]`).click();
    await page.locator('.out-body').waitFor();
    await putMap(page, `${path}[${index}]`, keys);
  }
}

/** Turns on the switches for these keys, and sets their values. */
async function protect(page: Page, path: string, value: Json): Promise<void> {
  const own = page.locator(`[data-key="${path}"]`).getByRole('switch');
  const hasSwitch = (await own.count()) > 0;
  if (hasSwitch) await own.first().check();
  if ((await at(page, path).count()) > 0) return put(page, path, value);
  if (!isMap(value)) throw new Error(`Nothing on the page sets ${path}`);
  for (const [key, one] of Object.entries(value))
    await protect(page, path === '' ? key : `${path}.${key}`, one);
  if (hasSwitch) await clear(page, path, Object.keys(value));
}

/** Builds a config's form, and the keys around it, in a studio with an empty config. */
export async function buildByHand(page: Page, { forms, ...others }: Config): Promise<void> {
  const [[id, form]] = Object.entries(forms) as [[string, JsonMap]];
  const path = `forms.${id}`;
  const { title, fields, groups, steps, outputs, ...rest } = form;
  await button(page.locator('header'), 'New form').click();
  await page.getByRole('dialog').getByLabel('Title', { exact: true }).fill(String(title));
  await button(page, 'Make an empty form').click();
  await page.getByRole('button', { name: /^Form settings, title/ }).click();
  const settings = page.getByRole('group', { name: 'Settings of the form' });
  await settings.getByLabel('Name of the form').fill(id);
  await page.keyboard.press('Enter');
  await at(page, `${path}.title`).waitFor();
  const left: Record<string, Json> = {};
  for (const [key, value] of Object.entries(rest)) {
    if ((await at(page, `${path}.${key}`).count()) > 0) await put(page, `${path}.${key}`, value);
    else left[key] = value;
  }
  await addFields(page, path, form);
  await addOutputs(page, `${path}.outputs`, listIn(outputs));
  await openTab(page, 'Protection');
  for (const [key, value] of Object.entries(left)) await protect(page, `${path}.${key}`, value);
  for (const [key, value] of Object.entries(others)) await protect(page, key, value);
}

/** Fills in the live form, submits it through all steps, and opens the confirmation link in its mail. */
export async function sendByHand(page: Page): Promise<void> {
  await page.locator('label', { hasText: /^Try$/ }).first().click();
  const form = page.frameLocator('#frame').locator('form.form-relay');
  await form.waitFor();
  await button(page, 'Fill in').click();
  await page.waitForFunction(isFilledIn);
  const steps = form.locator('[data-step]');
  for (let step = 0; step < Math.max(1, await steps.count()); step++) {
    if ((await steps.count()) > 0) await steps.nth(step).waitFor();
    await form.locator('button[type=submit]').click();
  }
  const report = page.locator('.report').first();
  await report.waitFor();
  const link = report.getByRole('link', { name: 'Click the link, as the visitor does' });
  if ((await link.count()) === 0) return;
  const [opened] = await Promise.all([page.waitForEvent('popup'), link.click()]);
  // The newsletter template has `confirm: click`.
  await opened.locator('main form button').click();
  await opened.locator('.form-confirmation').waitFor();
}

/** Runs in the page. */
const isFilledIn = () => {
  const frame = document.querySelector<HTMLIFrameElement>('#frame')?.contentDocument;
  const isLoaded = frame?.querySelector('form.form-relay') != null && frame.readyState === 'complete';
  return isLoaded && new URLSearchParams(frame.location.search).size > 1;
};
