/** Where an error came from, without its message, which may hold what a visitor sent. */
export const stackOf = (error: unknown): readonly string[] =>
  error instanceof Error
    ? [error.name, ...(error.stack?.match(/^\s+at .*$/gm) ?? []).map((frame) => frame.trim())]
    : [];
