/**
 * Types for the part of `qrcode` that makes the pattern. The rest of the package draws images and reads
 * options.
 */
declare module 'qrcode/lib/core/qrcode.js' {
  export function create(
    text: string,
    options: { readonly errorCorrectionLevel: 'L' | 'M' | 'Q' | 'H' },
  ): { readonly modules: { readonly size: number; readonly data: ArrayLike<number> } };
}
