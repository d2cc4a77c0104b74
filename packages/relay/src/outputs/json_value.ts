import type { UploadedFile } from '../base/files.ts';
import type { Job } from '../base/job.ts';
import { jsonNumber } from '../base/json_number.ts';
import { type Values, withoutEmpty } from '../base/values.ts';
import type { Field } from '../fields/field.ts';
import { visibleFields } from '../fields/visible_when.ts';

/** What JSON says of a file. `part`: the name under which a form with this field alone would send it. */
export type FileInJson = (file: UploadedFile, part: string) => object;

/** What there is to say of a file whose content goes elsewhere, or nowhere. */
export const aboutFile: FileInJson = ({ name, type, bytes }) => ({ name, type, size: bytes.length });

/** What was submitted, as JSON has it: numbers, flags and lists keep their type. */
export class JsonValues {
  readonly #values: Values;
  readonly #files: Job['files'];
  readonly #fileInJson: FileInJson;
  readonly #fields: ReadonlyMap<string, Field>;
  readonly #visible: ReadonlySet<Field>;

  constructor(fields: readonly Field[], { values, files }: Job, fileInJson = aboutFile) {
    this.#values = values;
    this.#files = files;
    this.#fileInJson = fileInJson;
    this.#fields = new Map(fields.map((field) => [field.name, field]));
    this.#visible = new Set(visibleFields(fields, values));
  }

  /**
   * A field's value; `undefined` where there is none. A box that was not ticked is `false`, unless the visitor never saw
   * it.
   */
  of(name: string): unknown {
    const field = this.#fields.get(name);
    const files = this.#files.get(name);
    if (files) return this.#filesOf(name, files, field?.takesSeveral ?? false);
    const filled = withoutEmpty(this.#values.get(name) ?? []);
    if (field?.inJson === 'flag') return this.#visible.has(field) ? filled.length > 0 : undefined;
    const [first] = filled;
    if (first === undefined) return undefined;
    const typed = field?.inJson === 'number' ? filled.map(numberOrText) : filled;
    return field?.takesSeveral || filled.length > 1 ? typed : typed[0];
  }

  #filesOf(name: string, files: readonly UploadedFile[], takesSeveral: boolean): unknown {
    if (!takesSeveral && files.length === 1) return files.map((file) => this.#fileInJson(file, name))[0];
    return files.map((file, index) => this.#fileInJson(file, `${name}[${index}]`));
  }
}

/** A number that JSON's readers would change, such as an id of 20 digits, stays text. */
const numberOrText = (text: string): number | string => jsonNumber(text) ?? text;
