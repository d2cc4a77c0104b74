/**
 * Browsers draw no element taller than some 16 to 33 million pixels, and a million rows need more. A tall list is scaled: its
 * first and last stretch scroll pixel by pixel, and the stretch between passes faster when it is dragged.
 */

export interface Scale {
  /** The element's own height. */
  readonly drawn: number;
  /** From the element's scroll position to that of the rows. */
  toRows(scrolled: number): number;
  toScrolled(rows: number): number;
}

const mostPixels = 10_000_000;
const exactPixels = 500_000;

/** @param height All rows. @param view What is in view of them. */
export function scaleOf(height: number, view: number): Scale {
  if (height <= mostPixels) return { drawn: height, toRows: (at) => at, toScrolled: (at) => at };
  const [most, mostRows] = [mostPixels - view, height - view];
  const ratio = (mostRows - 2 * exactPixels) / (most - 2 * exactPixels);
  return {
    drawn: mostPixels,
    toRows: (at) =>
      at <= exactPixels
        ? at
        : at >= most - exactPixels
          ? mostRows - (most - at)
          : exactPixels + (at - exactPixels) * ratio,
    toScrolled: (at) =>
      at <= exactPixels
        ? at
        : at >= mostRows - exactPixels
          ? most - (mostRows - at)
          : exactPixels + (at - exactPixels) / ratio,
  };
}
