/** Text for people: it reads as it is, on lines that nobody can forge. */

const isHarmless = /^[ -~]*$/;

/** The same as `withoutControls`, with its tabs. */
export const readable = (text: string): string =>
  isHarmless.test(text)
    ? text
    : text
        .replaceAll(/\r\n?|[\v\f\x85\u2028\u2029]/g, '\n')
        .replaceAll(
          /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]/g,
          '',
        )
        .replaceAll(/[\ud800-\udfff]/gu, '\ufffd');

/** Without controls, and without what turns the direction of text: what is read is what is there. */
export const withoutControls = (text: string): string => readable(text).replaceAll('\t', '    ');

/** Without surrounding space and repeated empty lines. */
export const plain = (text: string): string =>
  isHarmless.test(text)
    ? text.trim()
    : withoutControls(text)
        .replaceAll(/\n\s*\n/g, '\n\n')
        .trim();

export const plainLine = (text: string): string => plain(text).replaceAll(/\n+/g, ' ');
