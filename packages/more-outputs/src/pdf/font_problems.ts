/** What is wrong with the fonts of a config: found when it loads, so that no PDF has blank boxes for letters of its form. */
import { cast, type Face, type FontProblem, facesOf, openFace } from './fonts.ts';
import { writePdf } from './write_pdf.ts';

export interface FormText {
  /** All texts of a form's PDF that are no visitor's. */
  readonly text: string;
}

interface FontProblems<F extends FormText> {
  /** By the place of the font. */
  readonly fonts: readonly { readonly index: number; readonly why: FontProblem }[];
  readonly forms: readonly { readonly form: F; readonly characters: readonly string[] }[];
}

/** So many characters are named of those that a font lacks. */
const mostNamed = 10;

export async function fontProblems<F extends FormText>(
  named: readonly string[],
  forms: readonly F[],
): Promise<FontProblems<F>> {
  const text = forms.map((form) => form.text).join(' ');
  const fonts: { index: number; why: FontProblem }[] = [];
  for (const [index, one] of named.entries()) {
    const face = openFace(one);
    const why = 'problem' in face ? face : await problemOnPaper(face, text);
    if (why) fonts.push({ index, why });
  }
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

/** Fonts with which a PDF was written. */
const tried = new WeakSet<Face>();
/** Enough to read the tables of a font that texts like these need. */
const mostTried = 300;

/**
 * Writes a PDF that goes nowhere. A font that opens may be damaged in tables that are read later, and reading them takes 0.1 to 0.3 s,
 * which the first visitor would otherwise wait for.
 */
async function problemOnPaper(face: Face, text: string): Promise<FontProblem | undefined> {
  if (tried.has(face) || face.family === undefined) return undefined;
  try {
    const own = [...text].filter((one) => face.has(one.codePointAt(0) ?? 0)).slice(0, mostTried);
    const label = own.join('');
    const entry = { label, isList: false, values: [label], files: [] };
    const filed = {
      language: 'en',
      direction: 'ltr',
      title: '',
      about: [],
      entries: [entry],
      receivedAt: 0,
    } as const;
    await writePdf(filed, [face.family]);
    tried.add(face);
    return undefined;
  } catch {
    return { problem: 'no_font' };
  }
}
