/** Numbers in words. */

const reasonWords: Readonly<Record<string, string>> = {
  honeypot: 'Honeypot',
  min_fill: 'Filled in too fast',
  captcha: 'Captcha',
  proof: 'Proof of work',
  doubt: 'Doubt',
};

export const inReason = (reason: string): string => reasonWords[reason] ?? reason;

export function inShare(part: number, whole: number): string {
  if (whole === 0) return '–';
  const share = (100 * part) / whole;
  return share > 0 && share < 1 ? 'under 1 %' : `${Math.round(share)} %`;
}

export function inTime(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Number((ms / 1000).toPrecision(2))} s`;
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`;
  return `${Number((ms / 3_600_000).toPrecision(2))} h`;
}

/** `2026-11-23 17:04`, in UTC as the days are. */
export const inMoment = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ');
