import { err, ok, type Result } from '@form-relay/base/result';
import { decodeSegment } from '@form-relay/base/url';
import type { Form } from '@form-relay/core/form';
import { canonicalTag, parentAmong } from '@form-relay/languages/negotiate';
import { writtenLanguages } from '@form-relay/languages/words';
import { spotFinder } from '@form-relay/yaml/problem';
import { honeypotFaults, scriptFilled } from '../check/captcha_widget.ts';
import { disagreements } from '../check/check_page.ts';
import { ancestry, groupBy, nearest, type Page, type PageElement, readPage } from '../check/markup.ts';
import { type Control, controlsOf, isSubmitButton, quote, quoteAll } from '../check/page_form.ts';
import {
  type Destination,
  destinationOf,
  linksOf,
  type MovedRedirect,
  redirectTo,
  relaysForm,
  siteOf,
} from './addresses.ts';
import { type Keys, note, type Remark, toDo, when } from './config_text.ts';
import { hints } from './drafts.ts';
import { fieldOf, groupsOf, type MovedField, type MovedGroup } from './fields.ts';
import { labelsOf } from './labels.ts';
import { type MovedOutput, outputOf } from './outputs.ts';
import { captchaOf, decoyFinder, type FoundCaptcha, type Verdict } from './protection.ts';
import { specialFields } from './special_fields.ts';

/** A form from a page or another product, in the terms of the config. */
export interface MovedForm {
  readonly id: string;
  readonly title: string | undefined;
  readonly language: ReturnType<typeof languageOf>;
  readonly submitLabel?: string | undefined;
  readonly redirect: MovedRedirect | undefined;
  /** Further keys of the form. */
  readonly keys?: Keys;
  /** An entry without a name is a note between fields. */
  readonly fields: readonly MovedField[];
  readonly groups: readonly MovedGroup[];
  readonly steps?: readonly { readonly title: string; readonly fields: readonly string[] }[];
  readonly honeypot?: string | undefined;
  readonly captcha?: FoundCaptcha | undefined;
  readonly outputs: readonly MovedOutput[];
  readonly destination?: Destination;
  /** Remarks about omissions that belong to no field. */
  readonly remarks: readonly Remark[];
  /** Compares the page with the finished config, as `relay check` does. */
  readonly compare?: (config: Form) => readonly Remark[];
}

/** `text` is the text of the page, from which remarks quote line numbers. */
export function readForm(form: PageElement, page: Page, text: string): Result<MovedForm, string> {
  const own = page.forms.get(form) ?? [];
  const controls = controlsOf(own);
  const site = siteOf(page);
  const links = linksOf(page, site);
  const labels = labelsOf(page, form, controls, links.addressOf);
  const destination = destinationOf(form, own);
  const special = specialFields(controls, destination, site);
  const captcha = captchaOf(own, page, form);
  const isAnswer = ({ name }: Control) => name === captcha?.keys.field;
  const verdictOf = decoyFinder(form, labels.about);
  const verdicts = new Map(controls.map((control) => [control, verdictOf(control)]));
  const decoys = decoysOf(
    controls.filter((control) => isNameable(control) && !isAnswer(control)),
    verdicts,
    scriptFilled(page),
  );
  const { honeypot } = decoys;
  const isDecoyName = ({ name }: Control) => decoys.names.has(name);
  const questions = controls.filter(
    (control) =>
      control.kind !== 'submit' &&
      isNameable(control) &&
      !special.leftOut.has(control) &&
      !isAnswer(control) &&
      !isDecoyName(control),
  );
  if (questions.length === 0) {
    const areNameless = controls.some(({ kind, name }) => kind !== 'submit' && name === '');
    return err(areNameless ? nameless : fieldless);
  }
  const fields = [...groupBy(questions, ({ name }) => name)].map(([name, group]) => {
    const field = fieldOf(name, group, labels);
    const isUnseen = group.every((control) => /perhaps|hidden/.test(verdicts.get(control) ?? ''));
    if (!isUnseen) return field;
    const [{ element }] = group as [Control];
    const value = element.tag === 'input' ? element.attributes.get('value') : undefined;
    // People send the value unchanged.
    if (value && group.length === 1 && verdicts.get(group[0] as Control) === 'hidden')
      return { name, keys: { name, type: 'hidden', value }, remarks: [note(filledUnseen(name))] };
    return { ...field, remarks: [...field.remarks, toDo(unseen(name, honeypot))] };
  });
  const { groups, remarks: ungrouped } = groupsOf(own, questions, fields, links.addressOf);
  const netlifys =
    destination.service === 'Netlify Forms' ? form.attributes.get('action')?.trim() : undefined;
  const remarks = [
    ...[...special.leftOut].filter(([control]) => !isDecoyName(control)).map(([, remark]) => remark),
    ...special.remarks,
    ...decoys.remarks,
    ...leftOut(controls, text),
    ...attributesLost(form, questions),
    ...ungrouped,
    ...[...links.lost].map((href) => note(`the link to ${quote(href)} is left out`)),
  ];
  return ok({
    id: idOf(form),
    title: titleOf(own),
    language: languageOf(langOf(form)),
    submitLabel: submitLabelOf(own),
    redirect: special.redirect ?? redirectTo(netlifys || undefined, site),
    fields,
    groups,
    honeypot,
    captcha,
    outputs: [outputOf(destination, fields, special)],
    destination,
    remarks,
    compare: (config) => {
      const said = new Set(remarks.flatMap(({ text }) => text.match(/"[^"]*"/g) ?? []));
      const spotOf = spotFinder(text);
      return disagreements(form, { config, page })
        .filter(({ name }) => name === undefined || !said.has(quote(name)))
        .map(({ place, message }) => {
          return toDo(`relay check, on line ${spotOf(place.offset).lineNumber} of the page: ${message}`);
        });
    },
  });
}

const nameless =
  'no field of this form has a name, and browsers send only named fields: add names to the page, such as name="email"';
const fieldless =
  'this form has no fields that are sent; if a script creates them, save the page from the browser';

const isNameable = ({ name }: Control) => name !== '' && !/[\0-\x1f\x7f-\x9f]/.test(name);

const unseen = (name: string, honeypot: string | undefined) => {
  const instead = honeypot === undefined ? ` and write spam: {honeypot: ${name}}` : '';
  return `visitors do not see ${quote(name)} on the page: if it is a honeypot, remove it here${instead}; if a script shows it, use visible_when`;
};

const filledUnseen = (name: string) =>
  `visitors do not see ${quote(name)} on the page, where it has a value: here it is a hidden field, not a honeypot`;

/** The names that are meant for bots, and the one that becomes the honeypot, which people must send empty. */
function decoysOf(
  controls: readonly Control[],
  verdicts: ReadonlyMap<Control, Verdict>,
  filled: ReadonlySet<string>,
) {
  const names = new Set<string>();
  const remarks: Remark[] = [];
  const sound: Control[] = [];
  for (const [name, group] of groupBy(controls, ({ name }) => name)) {
    const [first, ...others] = group.filter(({ kind }) => kind !== 'submit');
    const judged = new Set([first, ...others].map((control) => control && verdicts.get(control)));
    const isNamed = judged.has('named');
    if (!first || judged.has('perhaps') || judged.has('no')) continue;
    const [fault] = group.flatMap((control) => honeypotFaults(control, filled));
    if (fault && !isNamed) continue;
    names.add(name);
    if (!fault) sound.push(first);
    else remarks.push(note(`${quote(name)} is left out, and is not a honeypot here: ${fault.message}`));
  }
  const honeypot = (sound.find(({ kind }) => kind !== 'hidden') ?? sound[0])?.name;
  const others = sound.filter(({ name }) => name !== honeypot);
  return {
    honeypot,
    names,
    remarks: [
      ...remarks,
      ...others.map(({ name }) => note(`${quote(name)} is left out: a form can have only one honeypot`)),
    ],
  };
}

function leftOut(controls: readonly Control[], text: string): readonly Remark[] {
  const spotOf = spotFinder(text);
  const buttons = controls.filter(({ kind, name }) => kind === 'submit' && name !== '');
  return [
    ...controls.flatMap((control) => {
      const { kind, name, element } = control;
      if (kind === 'submit' || kind === 'hidden') return [];
      const line = spotOf(element.place.offset).lineNumber;
      if (name === '')
        return [
          note(`the ${kind} on line ${line} is left out: without a name, browsers do not send its value`),
        ];
      return isNameable(control)
        ? []
        : [note(`the ${kind} on line ${line} is left out: its name has control characters`)];
    }),
    ...[...groupBy(buttons, ({ name }) => name)].flatMap(([name, { length }]) => {
      const several = `${length} buttons send ${quote(name)}, but a form of the relay has only one button: use radios instead`;
      return when(length > 1, toDo(several));
    }),
  ];
}

const headings = /^h[1-6]$/;

/** A heading in the form. A heading above the form stays on the page. */
function titleOf(own: readonly PageElement[]): string | undefined {
  return own.find(({ tag }) => headings.test(tag))?.words() || undefined;
}

function submitLabelOf(own: readonly PageElement[]): string | undefined {
  const isImage = ({ attributes }: PageElement) => attributes.get('type')?.toLowerCase() === 'image';
  const button = own.find((one) => isSubmitButton(one) && !isImage(one));
  const words = button?.tag === 'input' ? button.attributes.get('value')?.trim() : button?.words();
  return words && words !== 'Send' ? words : undefined;
}

/** The form's name in the config, and so in the relay's URLs. */
function idOf({ attributes }: PageElement): string {
  const known = decodeSegment(relaysForm(attributes.get('action') ?? '') ?? '');
  if (known && /^[\w-]+$/.test(known)) return known;
  const written = [attributes.get('name'), attributes.get('id')].map((text) => slug(text ?? ''));
  return written.find((text) => text !== '' && !/^(my-?)?form-?\d*$/.test(text)) ?? 'contact';
}

export const slug = (text: string) =>
  text
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1-$2')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}_]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60);

const langOf = (form: PageElement) =>
  [...ancestry(form)].map(({ attributes }) => attributes.get('lang')?.trim()).find(Boolean);

/** The language that a page or export declares; `undefined` for English, and for languages that the relay does not support. */
export function languageOf(written: string | undefined) {
  const tag = canonicalTag(written ?? 'en');
  if (tag === undefined || /^en(-|$)/.test(tag)) return { language: undefined, remarks: [] };
  if (parentAmong(tag, writtenLanguages) !== undefined) return { language: tag, remarks: [] };
  const unspoken = `the form is in ${quote(tag)}, a language without texts here: visitors see English until you translate the output of relay form messages, under messages`;
  return { language: undefined, remarks: [toDo(unspoken)] };
}

/** Attributes of controls and forms that an import reads, or that affect only how a page looks or is read aloud. */
const known = new Set(
  'accept accept-charset action aria-describedby aria-hidden aria-label aria-labelledby aria-required autocomplete checked class cols dir disabled enctype for form hidden id inert lang list max maxlength method min minlength multiple name netlify netlify-honeypot novalidate pattern placeholder rel required role rows selected size step style tabindex target title type value wrap accesskey autofocus'.split(
    ' ',
  ),
);
const meaningless = /^(aria-|data-|hx-|x-|v-|ng-|@|:|_|xmlns)/;

/** A remark for each attribute without an equivalent here, with the fields that have it. */
export function attributesLost(form: PageElement, questions: readonly Control[]): readonly Remark[] {
  const isLost = (name: string) => !known.has(name) && !hints.includes(name) && !meaningless.test(name);
  const found = questions.flatMap(({ name, element }) =>
    [...element.attributes.keys()].filter(isLost).map((attribute) => ({ attribute, name })),
  );
  const ofForm = [...form.attributes.keys()].filter(isLost);
  const formText = `the attributes ${quoteAll(ofForm)} of the form are left out: relay init does not convert them`;
  return [
    ...[...groupBy(found, ({ attribute }) => attribute)].map(([attribute, all]) => {
      const names = quoteAll([...new Set(all.map(({ name }) => name))]);
      return note(
        `the attribute ${quote(attribute)} of ${names} is left out: relay init does not convert it`,
      );
    }),
    ...when(ofForm.length > 0, note(formText)),
  ];
}

/** Reads a form of a page. If there are several, `wanted` names it. The error says why no form was read. */
export async function moveIn(text: string, wanted: string | undefined): Promise<Result<MovedForm, string>> {
  const page = await readPage(text);
  const chosen = chooseForm(page, text, wanted);
  return chosen.ok ? readForm(chosen.value, page, text) : chosen;
}

/** The form whose id, name or number is `wanted`, or else the only one that is not a search form. */
function chooseForm(page: Page, text: string, wanted: string | undefined): Result<PageElement, string> {
  const all = [...page.forms.keys()];
  if (all.length === 0)
    return err('this page has no <form>; if a script creates the form, save the page from the browser');
  if (wanted !== undefined) {
    const found =
      all.find(({ attributes }) => attributes.get('id') === wanted) ??
      all.find(({ attributes }) => attributes.get('name') === wanted) ??
      (/^[1-9]\d*$/.test(wanted) ? all[Number(wanted) - 1] : undefined);
    return found ? ok(found) : err(`this page has no form "${wanted}"; it has\n${listed(all, page, text)}`);
  }
  const searchAround = nearest(
    ({ tag, attributes }) => tag === 'search' || attributes.get('role') === 'search',
  );
  const likely = all.filter((form) => !searchAround(form) && !isSearch(form, page));
  const [only] = all.length === 1 ? all : likely;
  if (only && (all.length === 1 || likely.length === 1)) return ok(only);
  return err(`this page has ${all.length} forms; say which one you mean\n${listed(all, page, text)}`);
}

function isSearch(form: PageElement, page: Page): boolean {
  const controls = controlsOf(page.forms.get(form) ?? []).filter(
    ({ kind }) => kind !== 'submit' && kind !== 'hidden',
  );
  return (
    form.attributes.get('method')?.toLowerCase() !== 'post' &&
    controls.length === 1 &&
    controls.every(({ kind, name }) => kind === 'search' || /^(q|s|query|search|keywords?)$/i.test(name))
  );
}

function listed(forms: readonly PageElement[], page: Page, text: string): string {
  const spotOf = spotFinder(text);
  const rows = forms.map((form, at) => {
    const { attributes, place } = form;
    const id = attributes.get('id') || attributes.get('name');
    const option = `--form ${id && /^[\w.-]+$/.test(id) ? id : at + 1}`;
    const names = controlsOf(page.forms.get(form) ?? []).map(({ name }) => name);
    const fields = quoteAll([...new Set(names)].filter(Boolean));
    return { option, about: `line ${spotOf(place.offset).lineNumber}, with ${fields || 'no fields'}` };
  });
  const width = Math.max(...rows.map(({ option }) => option.length));
  return rows.map(({ option, about }) => `  ${option.padEnd(width)}    ${about}`).join('\n');
}
