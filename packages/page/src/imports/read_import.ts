/** Reads the forms of a page, of an export, or of a config of webform-relay: a file's content says what it is. */

import { err, type Result } from '@form-relay/base/result';
import { readDocument } from '@form-relay/yaml/document';
import { groupBy } from '../check/markup.ts';
import { quote, quoteAll } from '../check/page_finding.ts';
import { moveIn } from '../moving_in/move_in.ts';
import type { MovedForm } from '../moving_in/read_form.ts';
import { note, type Remark } from '../moving_in/remark.ts';
import formspree from './formats/formspree.json' with { type: 'json' };
import submissions from './formats/formspree_submissions.json' with { type: 'json' };
import google from './formats/google_forms.json' with { type: 'json' };
import opnform from './formats/opnform.json' with { type: 'json' };
import typeform from './formats/typeform.json' with { type: 'json' };
import webformRelay from './formats/webform_relay.json' with { type: 'json' };
import { leaveOutRefused } from './leave_out_refused.ts';
import { at, type Place, rootOf, unread, use } from './ledger.ts';
import { type Format, readForm, said } from './read_format.ts';

const expected =
  'expected a page with a <form>, a webform.yaml of webform-relay, a form as the API of Typeform, Google Forms or OpnForm has it, or formspree.json or submissions from Formspree';

/** `wanted` names a form where there are several. */
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
  // Remarks about the file around several forms go to the first form.
  const around = format.forms ? [...said(format.file ?? [], file), ...leftOut(file, ignored, new Map())] : [];
  return leaveOutRefused(
    forms.map((form, at) => (at === 0 ? { ...form, remarks: [...form.remarks, ...around] } : form)),
  );
}

/** A remark for each key that nothing took, with the questions that have it. */
function leftOut(from: Place, ignored: RegExp, items: ReadonlyMap<unknown, string>): readonly Remark[] {
  const found = unread(from, (value) => items.has(value), ignored);
  return [...groupBy(found, ({ path, item }) => `${items.has(item) ? 'of' : ''} ${path}`)].map(
    ([key, all]) => {
      const called = [...new Set(all.flatMap(({ item }) => items.get(item) ?? []))];
      const whose = called.length > 0 ? ` of ${quoteAll(called)}` : '';
      return note(
        `${quote(key.replace(/^(of)? /, ''))}${whose} is left out: the relay has no key for it, or has it already`,
      );
    },
  );
}

/** The tables of formats/. The first that fits a file is its format. */

export const formats = [
  webformRelay,
  google,
  typeform,
  opnform,
  formspree,
  submissions,
] as unknown as readonly Format[];
