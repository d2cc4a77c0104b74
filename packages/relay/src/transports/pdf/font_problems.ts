/** What is wrong with the fonts of a config: found when it loads, so that no PDF has blank boxes for letters of its form. */
import { cast, type FontProblem, facesOf, openFace } from './fonts.ts';

export interface FormText {
  /** All texts of a form's PDF that are no visitor's. */
  readonly text: string;
}

export interface FontProblems<F extends FormText> {
  /** By the place of the font. */
  readonly fonts: readonly { readonly index: number; readonly why: FontProblem }[];
  readonly forms: readonly { readonly form: F; readonly characters: readonly string[] }[];
}

/** So many characters are named of those that a font lacks. */
const mostNamed = 10;

export function fontProblems<F extends FormText>(
  named: readonly string[],
  forms: readonly F[],
): FontProblems<F> {
  const fonts = named.flatMap((one, index) => {
    const face = openFace(one);
    return 'problem' in face ? [{ index, why: face }] : [];
  });
  if (fonts.length > 0) return { fonts, forms: [] };
  const faces = facesOf(named);
  return {
    fonts,
    forms: forms.flatMap((form) => {
      const { missing } = cast(form.text.replaceAll(/\s/g, ' '), faces);
      const characters = [...new Set(missing)].slice(0, mostNamed);
      return characters.length > 0 ? [{ form, characters }] : [];
    }),
  };
}
