/** What is wrong with the fonts of a config: found when it loads, so that no PDF has blank boxes for letters of its form. */
import type { Diagnostics } from '@form-relay/core/index';
import { momentWords, rightToLeft } from '@form-relay/core/kit';
import { withoutControls } from '../words.ts';
import { cast, type Face, type FontProblem, facesOf, noFont, openFace } from './fonts.ts';
import { writePdf } from './write_pdf.ts';

export interface Asking {
  readonly at: Diagnostics;
  /** BCP 47. */
  readonly language: string;
  /** All that its PDF says by itself. */
  readonly text: string;
}

/** So many characters are named of those that a font lacks. */
const mostNamed = 10;

export async function checkFonts(
  named: readonly string[],
  asking: readonly Asking[],
  at: Diagnostics,
): Promise<void> {
  const forms = asking.map(({ text, ...form }) => {
    // The names of some months alone have letters of their own, such as `września`.
    const times = Array.from({ length: 12 }, (_, month) =>
      momentWords(Date.UTC(2026, month, 1)).spell([form.language]),
    );
    return { ...form, text: withoutControls([text, ...times].join(' ')) };
  });
  const all = forms.map(({ text }) => text).join(' ');
  let isWrong = false;
  for (const [index, one] of named.entries()) {
    const face = openFace(one);
    const why = 'problem' in face ? face : await problemOnPaper(face, one, all);
    if (!why) continue;
    isWrong = true;
    at.in(index).error(why.problem, { mayPass: why.mayPass });
  }
  if (isWrong) return;
  const faces = facesOf(named);
  const lack =
    named.length === 0
      ? 'without fonts, a PDF can only show Western European letters'
      : 'none of the fonts has all letters';
  for (const form of forms) {
    const { missing } = cast(form.text.replaceAll(/\s/g, ' '), faces);
    const characters = [...new Set(missing)].slice(0, mostNamed);
    if (characters.length > 0)
      form.at.error(
        `${lack}; for ${form.language}, ${shownLetters(characters)} cannot be shown; name a font that has them under \`pdf: {fonts: […]}\` (docs/pdf.md)`,
      );
  }
}

/** Beside each other, letters from right to left would change places with what stands around them. */
const shownLetters = (characters: readonly string[]): string =>
  characters.some((one) => rightToLeft.test(one))
    ? characters
        .map((one) => `U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`)
        .join(', ')
    : characters.join(' ');

const tried = new WeakSet<Face>();
/** Enough to read the tables of a font that texts like these need. */
const mostTried = 300;

/** Writes a PDF that goes nowhere: a font may be damaged in tables that are read later, which takes up to 0.3 s. */
async function problemOnPaper(face: Face, named: string, text: string): Promise<FontProblem | undefined> {
  if (tried.has(face)) return undefined;
  const own = [...text].filter((one) => face.has(one.codePointAt(0) ?? 0)).slice(0, mostTried);
  const label = own.join('');
  const entries = [{ label, values: [label] }];
  const about = { language: 'en', direction: 'ltr', title: '', about: [], receivedAt: 0 } as const;
  try {
    await writePdf({ ...about, entries }, [named]);
    tried.add(face);
    return undefined;
  } catch {
    return noFont(named);
  }
}
