/** The fonts for PDFs that a config names, and the texts that they must be able to show. */
import type { Field } from '../fields/field.ts';
import { labelOf } from '../fields/field.ts';
import type { Output } from '../outputs/output.ts';
import type { Path } from '../schema/finding.ts';

export interface NamedFonts {
  readonly files: readonly string[];
  readonly forms: readonly {
    /** The output that asks for a PDF. */
    readonly at: Path;
    readonly language: string;
    readonly text: string;
  }[];
}

interface Written {
  readonly title?: string | undefined;
  readonly fields: readonly (Field | { readonly note: string })[];
  readonly outputs: readonly Output[];
}

/** `undefined` if no output asks for a PDF, so that no font is read. */
export function fontsNamedIn(
  { pdf }: { readonly pdf?: { readonly fonts: readonly string[] } | undefined },
  forms: Iterable<
    readonly [id: string, form: { readonly languages: readonly string[]; readonly first: Written }]
  >,
): NamedFonts | undefined {
  const asking = [...forms].flatMap(([id, { languages, first }]) => {
    const output = first.outputs.findIndex(({ pdf }) => pdf);
    if (output < 0) return [];
    const [language = 'en'] = languages;
    return [{ at: ['forms', id, 'outputs', output, 'pdf'], language, text: textOf(id, first) }];
  });
  return asking.length === 0 ? undefined : { files: pdf?.fonts ?? [], forms: asking };
}

const textOf = (id: string, { title = id, fields }: Written): string =>
  [
    title,
    ...fields.flatMap((field) =>
      'name' in field ? [labelOf(field), ...(field.options ?? []).map(({ label }) => label)] : [],
    ),
  ].join(' ');
