const codes = ['not_sent', 'not_sent_yet', 'not_loaded', 'open_form'] as const;
export type EnglishText = (typeof codes)[number];

/** For a bundler: `english.not_sent` in a script becomes the text, which is a string, under that code. */
export const english = (texts: Readonly<Record<EnglishText, unknown>>) =>
  Object.fromEntries(codes.map((code) => [`english.${code}`, JSON.stringify(texts[code])]));
