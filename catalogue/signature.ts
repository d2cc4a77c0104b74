/** A field type: a typed name as a signature, with a drawing next to it. */
import type { MakePlugin, SentFile } from 'form-relay/plugin';
import { isDrawing } from './signature_png.ts';
import { words } from './signature_words.ts';

const mostCharacters = 200;
/** Scripts draw about 10 KB. */
const mostBytes = 50 * 1_024;

const drawingOf = (name: string): string => `${name}.drawn`;

/** A drawing sent as text. Anything but a PNG image in Base64 becomes an empty file. */
function fileIn(text: string): SentFile {
  const [, encoded = ''] = /^data:image\/png;base64,([A-Za-z\d+/]+={0,2})$/.exec(text) ?? [];
  return { name: 'signature.png', type: 'image/png', bytes: Buffer.from(encoded, 'base64') };
}

const make: MakePlugin = (kit) => {
  /** Outputs treat it like any file. */
  const drawing = kit.field({
    type: 'drawing',
    summary: 'The drawing of a signature.',
    layout: 'bare',
    isReentered: true,
    keys: {},
    takeFiles: ({ name }, [file, ...others]) =>
      file && others.length === 0 && file.bytes.length <= mostBytes && isDrawing(file.bytes)
        ? { files: [{ name: `${name.replace(/\.drawn$/, '')}.png`, type: 'image/png', bytes: file.bytes }] }
        : { error: { code: 'signature_invalid' } },
    control: ({ name }, { id, values: [drawn = ''] }) =>
      kit.html
        .tag`<input type="hidden" id="${id}" name="${name}" value="${drawn.startsWith('data:') ? drawn : ''}">`,
  });

  return {
    name: 'signature',
    summary: 'A field that visitors sign with their typed name and a drawing.',
    messages: words,
    scripts: { signature: async () => (await import('./built/signature.ts')).default },
    fields: [
      kit.field({
        type: 'signature',
        summary: 'A typed name and, if scripts run, a drawing, sent as a PNG image.',
        card: {
          title: 'Signature',
          purpose: 'Choice',
          words: 'sign draw autograph contract name',
          sample: { label: 'Your signature' },
        },
        keys: {},
        problems: ({ value }, at) => {
          if (value !== undefined)
            at.in('value').error(
              'a field of type signature cannot have `value`, because only the visitor can sign; remove this key',
              { fix: 'remove' },
            );
        },
        samples: () => [['Ada Lovelace']],
        isReentered: true,
        missing: 'missing_signature',
        hint: () => ({ code: 'signature_hint' }),
        checkValue: (_, value) =>
          value.length > mostCharacters ? { code: 'too_long', params: { max: mostCharacters } } : undefined,
        check: (_, values) => (values.length > 1 ? { code: 'more_than_one_value' } : undefined),
        further: ({ name }) => [
          { name: drawingOf(name), type: drawing, label: { code: 'signature_drawing' } },
        ],
        part: 'signature',
        control: (field, state) => {
          const [draw, clear, drawn, cleared] = ['draw', 'clear', 'drawn', 'cleared'].map((one) =>
            state.locale.translate({ code: `signature_${one}` }),
          );
          const typed = { ...field, autocomplete: field.autocomplete ?? 'name', max_length: mostCharacters };
          return kit.html
            .tag`<div class="field-signature" data-name="${drawingOf(field.name)}" data-draw="${draw}" data-clear="${clear}" data-drawn="${drawn}" data-cleared="${cleared}" data-button-class="${state.classes.back ?? state.classes.button}">${kit.html.input('text', typed, state)}</div>`;
        },
      }),
    ],
    features: [
      kit.feature({
        name: 'signature',
        configure: ({ fields }) => {
          const names = fields.filter(({ type }) => type === 'signature').map(({ name }) => name);
          if (names.length === 0) return undefined;
          return {
            beforeValidation: kit.guard((submission) => {
              for (const name of names.map(drawingOf)) {
                const drawn = kit.values.all(submission.sent, name);
                if (drawn.length > 0)
                  submission.sentFiles = new Map([...submission.sentFiles, [name, drawn.map(fileIn)]]);
              }
              return undefined;
            }),
            // A drawing alone is useless to people who cannot see it.
            check: ({ name, type }, sent, _, { sentFiles }) =>
              type === 'signature' &&
              kit.values.first(sent, name) === '' &&
              (sentFiles.get(drawingOf(name)) ?? []).length > 0
                ? { code: 'missing_signature' }
                : undefined,
            // The form that is shown again contains the drawing, not the name of a file.
            view: (view) => {
              const drawn = names.map(drawingOf).map((name) => [name, view.sent?.get(name) ?? []] as const);
              return { ...view, values: new Map([...view.values, ...drawn]) };
            },
          };
        },
      }),
    ],
  };
};

export default make;
