import { directionOf } from '../messages/languages.ts';
import { momentWords } from '../messages/moment_words.ts';
import { withoutControls } from '../outputs/filled_in.ts';
import { latePdf } from '../outputs/pdf_outputs.ts';
import { type Finding, finding } from '../schema/finding.ts';
import type { NamedFonts } from './fonts.ts';
import type { Languages } from './languages.ts';

/** Opens the fonts, and looks whether they have what the forms of PDFs say. */
export async function loadFonts(
  { files, forms }: NamedFonts,
  { textsIn }: Languages,
): Promise<readonly Finding[]> {
  const { fontProblems } = await latePdf.load();
  const said = forms.map((form) => {
    const texts = textsIn(form.language);
    const time = momentWords(0).spell([form.language]);
    const own = [texts.pdf_received, texts.mail_page, texts.mail_doubt, time];
    return { ...form, text: withoutControls([form.text, ...own].join(' ')) };
  });
  const problems = await fontProblems(files, said);
  return [
    ...problems.fonts.map(({ index, why }) => {
      const path = files[index] ?? '';
      const at = ['pdf', 'fonts', index];
      if (why.problem === 'unreadable') return finding('font_unreadable', at, { path, reason: why.reason });
      return finding(why.problem === 'collection' ? 'font_of_collection' : 'font_unusable', at, { path });
    }),
    ...problems.forms.map(({ form, characters }) =>
      finding('font_characters_missing', form.at, {
        language: form.language,
        characters: shown(characters, directionOf(form.language)),
        isStandard: files.length === 0,
      }),
    ),
  ];
}

/** Beside each other, letters from right to left would change places with what stands around them. */
const shown = (characters: readonly string[], direction: 'ltr' | 'rtl') =>
  direction === 'rtl'
    ? characters
        .map((one) => `U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`)
        .join(', ')
    : characters.join(' ');
