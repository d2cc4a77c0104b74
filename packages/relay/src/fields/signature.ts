import * as v from 'valibot';
import type { SentFile } from '../base/files.ts';
import { attributes, html } from '../base/html.ts';
import { err, ok } from '../base/result.ts';
import type { MessageCode } from '../messages/message.ts';
import { finding } from '../schema/finding.ts';
import { withDefault } from '../schema/keys.ts';
import { flag } from '../schema/kinds.ts';
import { backClass } from './classes.ts';
import { drawingOf, type Field, labelOf } from './field.ts';
import { fieldType } from './field_type.ts';
import { cleanName, distinctName } from './files/clean_name.ts';
import { fileWords } from './files/file_words.ts';
import { pngSize } from './files/png_size.ts';
import { input } from './text_like.ts';

const mostCharacters = 200;
/** Scripts draw about 10 KB. */
const mostBytes = 100 * 1_024;
const mostPixels = 2_000;

/** The words that its script shows, as attributes. */
const spoken = {
  'data-draw': 'signature_draw',
  'data-clear': 'signature_clear',
  'data-drawn': 'signature_drawn',
  'data-cleared': 'signature_cleared',
} as const satisfies Readonly<Record<string, MessageCode>>;

const keys = {
  from_query: withDefault('false', 'A link cannot sign.', flag()),
  remember: withDefault('false', 'A reload forgets the signature.', flag()),
};

/** A name, and a drawing beside it in a field of its own, which outputs treat as any file. */
export const signature = fieldType({
  type: 'signature',
  summary: 'A typed name that signs, with a drawing where a script runs. The drawing is a PNG image.',
  missing: { code: 'missing_signature' },
  hint: () => ({ code: 'signature_hint' }),
  keys,
  problems: ({ value, from_query, remember }) =>
    Object.entries({ value, from_query: from_query || undefined, remember: remember || undefined }).flatMap(
      ([key, given]) => (given === undefined ? [] : [finding('key_of_no_signature', [key], { key })]),
    ),
  inForm: (form, index, fields) => {
    const own = String(fields[index]?.name);
    const takesFiles = fields.findIndex(({ type }) => type === 'file' || type === 'signature');
    return [
      ...fields.flatMap(({ name }, at) =>
        name === drawingOf(own)
          ? [finding('field_named_as_drawing', ['fields', at, 'name'], { of: own })]
          : [],
      ),
      ...(form.double_opt_in !== undefined && takesFiles === index
        ? [{ ...finding('double_opt_in_of_files', ['double_opt_in']), aboutKey: true }]
        : []),
    ];
  },
  takesOne: () => true,
  checkValue: (_, value) =>
    value.length > mostCharacters ? { code: 'too_long', params: { max: mostCharacters } } : undefined,
  also: (field) => ({
    part: 'signature',
    drawing: (say) =>
      Object.assign(v.parse(drawing.schema, { name: drawingOf(field.name) }), {
        label: say({ code: 'signature_drawing', params: { field: labelOf(field) } }),
        visible_when: field.visible_when,
        drawingOf: field.name,
        inWords: (stored: string) => fileWords(stored, say),
      }),
  }),
  control: (field, state) => {
    const { say } = state;
    const words = Object.entries(spoken).map(([name, code]) => [name, say({ code })]);
    const about = attributes({
      ...Object.fromEntries(words),
      'data-name': drawingOf(field.name),
      'data-button-class': backClass(state.classes),
    });
    const typed = { ...field, autocomplete: field.autocomplete ?? 'name', max_length: mostCharacters };
    return html`<div class="field-signature"${about}>${input('text', typed, state)}</div>`;
  },
});

const drawing = fieldType({
  type: 'drawing',
  summary: 'The drawing of a signature.',
  layout: 'bare',
  keys,
  mostBytes: () => mostBytes,
  also: () => ({ fileIn }),
  takeFiles: (field: Pick<Field, 'name' | 'drawingOf'>, sent, names) => {
    const [file] = sent;
    const size = file && file.bytes.length <= mostBytes && sent.length === 1 && pngSize(file.bytes);
    if (!size || size.width > mostPixels || size.height > mostPixels)
      return err({ code: 'signature_invalid', ...(field.drawingOf && { field: field.drawingOf }) });
    const name = distinctName(cleanName(`${field.drawingOf ?? field.name}.png`, 'png'), names);
    return ok([{ name, type: 'image/png', bytes: file.bytes }]);
  },
  control: ({ name }, { id, values }) =>
    html`<input${attributes({ type: 'hidden', id, name, value: values[0] ?? '' })}>`,
});

/** What a text is that was sent in place of a file. Anything but a PNG image in Base64 has no bytes of one. */
function fileIn(text: string): SentFile {
  const [, encoded = ''] = /^data:image\/png;base64,([A-Za-z\d+/]+={0,2})$/.exec(text) ?? [];
  return { name: 'signature.png', type: 'image/png', bytes: Buffer.from(encoded, 'base64') };
}
