import type { Plugin, SentFile } from '@form-relay/core/index';
import {
  attributes,
  boolean,
  cleanName,
  distinctName,
  feature,
  fieldType,
  firstValue,
  guard,
  html,
  input,
  labelParam,
  makeField,
  withDefault,
} from '@form-relay/core/kit';
import { pngSize } from './png.ts';

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
} as const;

const drawingOf = (name: string): string => `${name}.drawn`;

/** A name, and a drawing beside it in a field of its own, which outputs treat as any file. */
const signature = fieldType({
  type: 'signature',
  samples: () => [['Ada Lovelace']],
  isEnteredAnew: true,
  summary: 'A typed name that signs, with a drawing where a script runs. The drawing is a PNG image.',
  card: {
    title: 'Signature',
    purpose: 'Choice',
    words: 'sign draw autograph contract name',
    sample: { label: 'Your signature' },
    idleKeys: ['value', 'placeholder', 'autocomplete', 'from_query', 'remember'],
  },
  missing: 'missing_signature',
  hint: () => ({ code: 'signature_hint' }),
  keys: {
    from_query: withDefault('false', 'A link cannot sign.', boolean()),
    remember: withDefault('false', 'A reload forgets the signature.', boolean()),
  },
  problems: ({ value, from_query, remember }, at) => {
    for (const [key, isGiven] of Object.entries({ value: value !== undefined, from_query, remember }))
      if (isGiven)
        at.in(key).error(
          `a field of type signature has no \`${key}\`: nobody but the visitor signs; leave it out`,
          { fix: 'remove' },
        );
  },
  takesOne: () => true,
  checkValue: (_, value) =>
    value.length > mostCharacters ? { code: 'too_long', params: { max: mostCharacters } } : undefined,
  part: 'signature',
  further: ({ name, label, required, visible_when }) => [
    makeField(drawing, {
      name: drawingOf(name),
      // Such as "Signature (drawing)".
      label: { code: 'signature_drawing', params: { field: labelParam({ name, label }) } },
      visible_when,
      isClosedToLinks: true,
      signature: { name, required },
    }),
  ],
  control: (field, state) => {
    const { locale, classes } = state;
    const words = Object.entries(spoken).map(([name, code]) => [name, locale.translate({ code })]);
    const about = attributes({
      ...Object.fromEntries(words),
      'data-name': drawingOf(field.name),
      'data-button-class': classes.back ?? classes.button,
    });
    const typed = { ...field, autocomplete: field.autocomplete ?? 'name', max_length: mostCharacters };
    return html`<div class="field-signature"${about}>${input('text', typed, state)}</div>`;
  },
});

interface Drawing {
  readonly name: string;
  readonly signature?: { readonly name: string; readonly required: boolean };
}

const drawing = fieldType({
  type: 'drawing',
  isEnteredAnew: true,
  summary: 'The drawing of a signature.',
  layout: 'bare',
  keys: {},
  takeFiles: ({ name, signature }: Drawing, [file, ...others], names, { sent }) => {
    const field = signature?.name ?? name;
    // It says nothing to those who cannot see it. A required name is missed anyway.
    if (firstValue(sent, field) === '' && !signature?.required)
      return { error: { code: 'missing_signature' }, field };
    const isSmall = file && file.bytes.length <= mostBytes && others.length === 0;
    const size = isSmall ? pngSize(file.bytes) : undefined;
    if (!file || !size || size.width > mostPixels || size.height > mostPixels)
      return { error: { code: 'signature_invalid' }, field };
    const safe = distinctName(cleanName(`${field}.png`, 'png'), names);
    return { files: [{ name: safe, type: 'image/png', bytes: file.bytes }] };
  },
  control: ({ name }, { id, values }) =>
    html`<input${attributes({ type: 'hidden', id, name, value: values[0] ?? '' })}>`,
});

/** What a text is that was sent in place of a file. Anything but a PNG image in Base64 has no bytes of one. */
function fileIn(text: string): SentFile {
  const [, encoded = ''] = /^data:image\/png;base64,([A-Za-z\d+/]+={0,2})$/.exec(text) ?? [];
  return { name: 'signature.png', type: 'image/png', bytes: Buffer.from(encoded, 'base64') };
}

/** Drawings come as text: they become files before anything looks at them. */
const drawings = feature({
  name: 'signature',
  configure: ({ fields }) => {
    const names = fields.filter(({ type }) => type === 'drawing').map(({ name }) => name);
    if (names.length === 0) return undefined;
    return {
      // The form that comes back has the drawing itself, not its name.
      prepareView: (view) => {
        const drawn = names.flatMap((name) => {
          const sent = view.sent?.get(name);
          return sent ? [[name, sent] as const] : [];
        });
        return drawn.length > 0 ? { ...view, values: new Map([...view.values, ...drawn]) } : view;
      },
      beforeValidation: guard((submission) => {
        for (const name of names) {
          const drawn = (submission.sent.get(name) ?? []).filter((text) => text !== '');
          if (drawn.length === 0) continue;
          submission.sentFiles = new Map([...submission.sentFiles, [name, drawn.map(fileIn)]]);
        }
        return undefined;
      }),
    };
  },
});

export const plugin: Plugin = {
  name: 'signature',
  fields: [signature],
  features: [drawings],
  messages: {
    en: {
      missing_signature: 'Type your full name to sign.',
      signature_hint: 'Type your full name to sign.',
      signature_draw: 'You can also draw your signature here. Your typed name is still needed.',
      signature_clear: 'Clear the drawing',
      signature_drawn: 'The drawing will be sent with your name.',
      signature_cleared: 'The drawing has been cleared.',
      signature_invalid: 'The drawing cannot be read. Clear it and draw it again, or send your name alone.',
      signature_drawing: '{field} (drawing)',
    },
  },
};
