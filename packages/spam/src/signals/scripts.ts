/** In which writing a letter is, and what a language is written in. */

/** `fancy`: letters for mathematics and the like, which look like bold or framed ones. */
export type Script =
  | 'latin'
  | 'greek'
  | 'cyrillic'
  | 'hebrew'
  | 'arabic'
  | 'indic'
  | 'thai'
  | 'hangul'
  | 'kana'
  | 'han'
  | 'fancy';

/** First and last code point of blocks of letters, in order. What lies between is in no script that is told apart. */
const blocks: readonly (readonly [from: number, to: number, Script])[] = [
  [0xc0, 0x24f, 'latin'],
  [0x370, 0x3ff, 'greek'],
  [0x400, 0x52f, 'cyrillic'],
  [0x590, 0x5ff, 'hebrew'],
  [0x600, 0x77f, 'arabic'],
  [0x900, 0xdff, 'indic'],
  [0xe00, 0xe7f, 'thai'],
  [0x1100, 0x11ff, 'hangul'],
  [0x1e00, 0x1eff, 'latin'],
  [0x1f00, 0x1fff, 'greek'],
  [0x24b6, 0x24e9, 'fancy'],
  [0x3040, 0x30ff, 'kana'],
  [0x3130, 0x318f, 'hangul'],
  [0x3400, 0x9fff, 'han'],
  [0xac00, 0xd7af, 'hangul'],
  [0xf900, 0xfaff, 'han'],
  [0xfb50, 0xfdff, 'arabic'],
  [0xfe70, 0xfeff, 'arabic'],
  [0xff21, 0xff5a, 'latin'],
  [0x1_d400, 0x1_d7ff, 'fancy'],
  [0x1_f130, 0x1_f189, 'fancy'],
  [0x2_0000, 0x3_ffff, 'han'],
];

export function scriptOf(codePoint: number): Script | undefined {
  if (codePoint < 0xc0) {
    const lower = codePoint | 0x20;
    return lower >= 0x61 && lower <= 0x7a ? 'latin' : undefined;
  }
  return blocks.find(([from, to]) => codePoint >= from && codePoint <= to)?.[2];
}

/** By the code of ISO 15924 that Unicode gives a language's writing; those that are not here are written in Latin. */
const byCode: Readonly<Record<string, readonly Script[]>> = {
  Grek: ['greek'],
  Cyrl: ['cyrillic'],
  Hebr: ['hebrew'],
  Arab: ['arabic'],
  Deva: ['indic'],
  Beng: ['indic'],
  Taml: ['indic'],
  Thai: ['thai'],
  Kore: ['hangul', 'han'],
  Jpan: ['kana', 'han'],
  Hans: ['han'],
  Hant: ['han'],
};

const known = new Map<string, readonly Script[]>();

export function scriptsOfLanguage(tag: string): readonly Script[] {
  const before = known.get(tag);
  if (before) return before;
  const scripts = byCode[new Intl.Locale(tag).maximize().script ?? ''] ?? [];
  known.set(tag, scripts);
  return scripts;
}
