/** Reads the forms of a page, of an export, or of a config of webform-relay: a file's content says what it is. */
import { err, type Result } from '@form-relay/base/result';
import { moveIn } from '@form-relay/page/moving_in/move_in';
import type { MovedForm } from '@form-relay/page/moving_in/read_form';
import { isMap } from '@form-relay/schema/schema';
import { readDocument } from '@form-relay/yaml/document';
import tables from './formats.json' with { type: 'json' };
import { leaveOutRefused } from './leave_out_refused.ts';
import { at } from './paths.ts';
import { type Format, readForm } from './read_format.ts';

const formats = Object.values(tables) as unknown as readonly Format[];

const expected =
  'expected a page with a <form>, a webform.yaml of webform-relay, a form as the API of Typeform or Google Forms has it, or formspree.json or submissions from Formspree';

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
  const file = read.value.value;
  const format = formats.find(({ has }) => has.some((all) => all.every((path) => at(file, path).length > 0)));
  if (!format) return err(expected);
  const forms = at(file, format.forms ?? '').map((form) =>
    readForm(isMap(form) ? { ...form, file } : form, format),
  );
  const chosen = forms.filter(({ id }) => wanted === undefined || id === wanted);
  if (chosen.length > 0) return leaveOutRefused(chosen);
  return err(`this has no form "${wanted}"; it has ${forms.map(({ id }) => id).join(', ')}`);
}
