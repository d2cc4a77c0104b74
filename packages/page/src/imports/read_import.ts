/** Reads the forms in a page, an export, or a config of webform-relay. Detects the kind of file from its content. */

import { err, ok, type Result } from '@form-relay/base/result';
import { check } from '@form-relay/config/parse';
import type { Form } from '@form-relay/core/form';
import { bundledRegistry, ownServices } from '@form-relay/runtimes/inspect';
import type { Diagnostic } from '@form-relay/schema/diagnostics';
import { isMap } from '@form-relay/schema/schema';
import { readDocument } from '@form-relay/yaml/document';
import { groupBy } from '../check/markup.ts';
import { quote, quoteAll } from '../check/page_form.ts';
import { configText, type Keys, note, type Remark, toDo } from '../moving_in/config_text.ts';
import { type MovedOutput, mail } from '../moving_in/outputs.ts';
import type { MovedForm } from '../moving_in/read_form.ts';
import { moveIn } from '../moving_in/read_form.ts';
import formspree from './formats/formspree.json' with { type: 'json' };
import submissions from './formats/formspree_submissions.json' with { type: 'json' };
import google from './formats/google_forms.json' with { type: 'json' };
import opnform from './formats/opnform.json' with { type: 'json' };
import typeform from './formats/typeform.json' with { type: 'json' };
import webformRelay from './formats/webform_relay.json' with { type: 'json' };
import { at, type Place, rootOf, unread, use } from './ledger.ts';
import { type Format, notConverted, readForm, said } from './read_format.ts';

const expected =
  'expected a page with a <form>, a webform.yaml of webform-relay, a form from the API of Typeform, Google Forms or OpnForm, or formspree.json or submissions from Formspree';

/** `wanted` names the form if there are several. */
export async function readImport(
  text: string,
  wanted: string | undefined,
): Promise<Result<readonly MovedForm[], string>> {
  const isData = /^\s*[[{]|^forms\s*:/m.test(text) && !/^\s*</.test(text);
  if (!isData) {
    const moved = text.includes('<') ? await moveIn(text, wanted) : err(expected);
    return moved.ok ? leaveOutRefused([moved.value]) : moved;
  }
  // JSON is YAML, too.
  const read = readDocument(text);
  if (!read.ok) return err(`this cannot be read as JSON or YAML; ${expected}`);
  const isOf = ({ has }: Format) =>
    has.some((all) => all.every((path) => at(rootOf(read.value.value), path).length > 0));
  const format = formats.find(isOf);
  if (!format) return err(expected);
  const file = rootOf(read.value.value);
  const all = at(file, format.forms ?? '').map((form) => ({ form, ...readForm(form, format) }));
  const chosen = all.filter(({ moved }) => wanted === undefined || moved.id === wanted);
  if (chosen.length === 0)
    return err(`this has no form "${wanted}"; it has ${all.map(({ moved }) => moved.id).join(', ')}`);
  const endings = format.ignored.map((ending) => (ending.includes('=') ? `${ending}$` : `${ending}=`));
  const ignored = new RegExp(`(^|[.\\]])(${endings.join('|') || '$.'})`);
  const forms = chosen.map(({ form, moved, items }) => {
    const lost = leftOut(form, ignored, items);
    if (form !== file) use(form);
    return { ...moved, remarks: [...moved.remarks, ...lost] };
  });
  for (const { form } of all) if (form !== file) use(form);
  // Remarks about the file are added to the first form.
  const around = format.forms ? [...said(format.file ?? [], file), ...leftOut(file, ignored, new Map())] : [];
  return leaveOutRefused(
    forms.map((form, at) => (at === 0 ? { ...form, remarks: [...form.remarks, ...around] } : form)),
  );
}

/** A remark for each key that no path has used, with the questions that have it. */
function leftOut(from: Place, ignored: RegExp, items: ReadonlyMap<unknown, string>): readonly Remark[] {
  const found = unread(from, (value) => items.has(value), ignored);
  return [...groupBy(found, ({ path, item }) => `${items.has(item) ? 'of' : ''} ${path}`)].map(
    ([key, all]) => {
      const called = [...new Set(all.flatMap(({ item }) => items.get(item) ?? []))];
      const whose = called.length > 0 ? ` of ${quoteAll(called)}` : '';
      return note(`${quote(key.replace(/^(of)? /, ''))}${whose} is left out: ${notConverted}`);
    },
  );
}

/** The tables of formats/. A file has the first format that fits. */

export const formats = [
  webformRelay,
  google,
  typeform,
  opnform,
  formspree,
  submissions,
] as unknown as readonly Format[];

// Leaves out what the config rejects, such as malformed patterns, which browsers ignore. Reports the reason in the config's words.

/** Each round removes one mistake per field. Some mistakes follow from others, such as conditions on a field that was left out. */
const mostRounds = 50;

type Forms = readonly MovedForm[];

/** The forms, each compared with its page, if it has one. */
async function leaveOutRefused(all: Forms): Promise<Result<Forms, string>> {
  const { plugins } = await bundledRegistry();
  const context = { services: ownServices({}), mailFromAddress: undefined };
  const siblings = { file: '', readText: async () => err('not supported here') };
  let forms = all;
  for (let round = 0; round < mostRounds; round += 1) {
    const empty = forms.filter((form) => form.keys?.accept_undeclared !== true && form.fields.every(isNote));
    const [first] = empty;
    if (first && empty.length === forms.length)
      return err(`the form ${quote(first.id)} has no fields that the relay supports`);
    if (first) forms = without(forms, empty);
    const read = readDocument(configText(forms, '', ''));
    if (!read.ok) return err('the resulting config cannot be read; it may be over 16 MB');
    const { report, value } = await check(read.value.value, plugins, context, siblings);
    if (report.errors.length === 0) return ok(forms.map((form) => compared(form, value?.forms.get(form.id))));
    const mistakes = groupBy(report.errors, ({ path }) => path[1]);
    forms = forms.map((form) => withoutMistakes(form, mistakes.get(form.id) ?? []));
  }
  return err('the resulting config does not load');
}

const isNote = ({ name }: MovedForm['fields'][number]) => name === '';

/** The remaining forms. The first has a remark on each form that is left out. */
function without(forms: Forms, empty: Forms): Forms {
  const lost = empty.map(({ id }) =>
    toDo(`the form ${quote(id)} is left out: it has no fields that the relay supports`),
  );
  return forms
    .filter((form) => !empty.includes(form))
    .map((form, at) => (at === 0 ? { ...form, remarks: [...form.remarks, ...lost] } : form));
}

const compared = (form: MovedForm, config: Form | undefined): MovedForm =>
  config ? { ...form, remarks: [...form.remarks, ...(form.compare?.(config) ?? [])] } : form;

function withoutMistakes(form: MovedForm, mistakes: readonly Diagnostic[]): MovedForm {
  const within = (part: string) => mistakes.filter(({ path }) => path[2] === part);
  const fields = prune(form.fields, within('fields'));
  const outputs = prune(form.outputs, within('outputs'));
  const others = mistakes.filter(({ path }) => path[2] !== 'fields' && path[2] !== 'outputs');
  const refused = new Set(others.map(({ path }) => String(path[2])));
  const lost = others.map(({ path, message }) =>
    note(`${quote(path.slice(2).join('.'))} of the form is left out: ${message}`),
  );
  return {
    ...form,
    keys: Object.fromEntries(Object.entries(form.keys ?? {}).filter(([key]) => !refused.has(key))),
    fields: fields.kept,
    outputs: outputs.kept.length > 0 ? outputs.kept : [mail([], fields.kept)],
    groups: refused.has('groups') ? [] : form.groups,
    steps: refused.has('steps') ? [] : (form.steps ?? []),
    remarks: [...form.remarks, ...fields.lost, ...outputs.lost, ...lost],
  };
}

/** Removes the invalid part of a key, or else the key, or the whole field or output if the key is required. */
function prune<E extends MovedOutput>(entries: readonly E[], mistakes: readonly Diagnostic[]) {
  const lost: Remark[] = [];
  const byEntry = groupBy(mistakes, ({ path }) => path[3]);
  const kept = entries.flatMap((entry, index): readonly E[] => {
    const own = byEntry.get(index) ?? [];
    const [mistake] = own;
    if (!mistake) return [entry];
    const key = String(mistake.path[4] ?? 'name');
    const called = quote(String(entry.keys.name ?? entry.keys.type ?? 'note'));
    const strays = own.filter(({ path }) => isStray(entry.keys, path.slice(4)));
    if (strays.length > 0) {
      const keys = structuredClone(entry.keys);
      for (const { path } of strays) removeAt(keys, path.slice(4));
      const named = strays.map(({ path, message }) =>
        note(`${quote(path.slice(4).join('.'))} of ${called} is left out: ${message}`),
      );
      return [{ ...entry, keys, remarks: [...entry.remarks, ...named] }];
    }
    if (key !== 'name' && key !== 'type' && entry.keys[key] !== undefined) {
      const why = `${quote(key)} of ${called} is left out: ${mistake.message}`;
      const remark = /^(visible_when|pattern)$/.test(key) ? toDo(why) : note(why);
      const others = entry.remarks.filter((one) => !one.key?.split('|').includes(key));
      return [{ ...entry, keys: { ...entry.keys, [key]: undefined }, remarks: [...others, remark] }];
    }
    lost.push(toDo(`${called} is left out: ${mistake.message}`));
    return [];
  });
  return { kept, lost };
}

/** Whether a path leads to a key in a map such as options or messages, where each key can be removed separately. */
function isStray(keys: Keys, path: readonly unknown[]): boolean {
  if (path.length < 2 || !/^(options|rows|messages|classes|attributes|mapping|static)$/.test(String(path[0])))
    return false;
  const holder = holderAt(keys, path);
  return isMap(holder) && holder[String(path.at(-1))] !== undefined && path.at(-1) !== 'value';
}

const holderAt = (keys: Keys, path: readonly unknown[]): unknown =>
  path.slice(0, -1).reduce((at, step) => (at as Keys | undefined)?.[String(step)], keys as unknown);

function removeAt(keys: Keys, path: readonly unknown[]): void {
  const holder = holderAt(keys, path) as Record<string, unknown>;
  delete holder[String(path.at(-1))];
}
