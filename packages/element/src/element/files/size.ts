/** In steps of 1,024 and in the form's language, as the relay says it (packages/core/src/messages/message.ts). */
export function sizeIn(language: string, bytes: number): string {
  const [size, unit] =
    bytes < 1_024
      ? ([bytes, 'byte'] as const)
      : bytes < 1_024_000
        ? ([bytes / 1_024, 'kilobyte'] as const)
        : ([bytes / 1_048_576, 'megabyte'] as const);
  const rounded = Number(size.toFixed(size < 10 ? 1 : 0));
  if (/^en\b|^$/.test(language)) {
    const word = unit === 'byte' ? (bytes === 1 ? 'byte' : 'bytes') : unit === 'kilobyte' ? 'KB' : 'MB';
    return `${rounded} ${word}`;
  }
  return new Intl.NumberFormat([language, 'en'], { style: 'unit', unit }).format(rounded);
}
