import { writeFileSync } from 'node:fs';

/** The results of a long run. */
export interface Report {
  readonly passed: boolean;
  /** Where it ran, if that matters for its figures. */
  readonly conditions?: string;
  /** Rows by title. */
  readonly tables: Readonly<Record<string, readonly Readonly<Record<string, string | number>>[]>>;
}

/** Hands a long run's figures to `npm run everything`, which names the file; run by itself, the run only prints them. */
export function report(found: Report): void {
  const file = process.env.REPORT_FILE;
  if (file) writeFileSync(file, JSON.stringify(found));
}
