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

const start = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const mostChunks = 1_000;

/** Bits per sample that each colour type allows (PNG, table 11.1). */
const depths: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

/**
 * The size of a PNG image in pixels; `undefined` if the bytes are something else, or more than the image. Reads its
 * chunks (PNG, 5.3) and inflates nothing.
 */
export function pngSize(bytes: Uint8Array): { readonly width: number; readonly height: number } | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!file.subarray(0, start.length).equals(start)) return undefined;
  const chunks: string[] = [];
  let at = start.length;
  while (at + 12 <= file.length && chunks.length < mostChunks) {
    const type = file.toString('latin1', at + 4, at + 8);
    if (!/^[A-Za-z]{4}$/.test(type)) return undefined;
    chunks.push(type);
    at += 12 + file.readUInt32BE(at);
    if (type === 'IEND') break;
  }
  const isWhole = at === file.length && chunks[0] === 'IHDR' && chunks.at(-1) === 'IEND';
  const isOnce = chunks.lastIndexOf('IHDR') === 0 && chunks.includes('IDAT') && !chunks.includes('acTL');
  if (!isWhole || !isOnce || file.readUInt32BE(8) !== 13) return undefined;
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
  const [depth = 0, colour = 0, compression, filter, interlace = 2] = file.subarray(24, 29);
  const isKnown = depths[colour]?.includes(depth) && compression === 0 && filter === 0 && interlace < 2;
  return isKnown && width > 0 && height > 0 ? { width, height } : undefined;
}
