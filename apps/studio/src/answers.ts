import { html } from '@form-relay/base/html';
import { reservedHostIn } from '@form-relay/base/url';
import type { Html, RelayResponse } from '@form-relay/core/index';
import type { OutputReport, SubmissionReport } from '@form-relay/dry-run/report';
import type { Framed } from './framed_page.ts';
import type { EndingState } from './state.ts';

export const answer = (
  type: string,
  body: Html | string,
  headers: Readonly<Record<string, string>> = {},
  status = 200,
): RelayResponse => ({
  status,
  headers: {
    'content-type': `${type}; charset=utf-8`,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    ...headers,
  },
  body: String(body),
});

export const json = (value: unknown) => answer('application/json', JSON.stringify(value));

export const framed = ({ markup, policy }: Framed) =>
  answer('text/html', markup, { 'content-security-policy': policy });

const says = { 404: 'page not found', 405: 'use GET or POST' } as const;
export const nothing = (status: keyof typeof says) => answer('text/plain', says[status], {}, status);

/** Allows only the studio's own scripts, styles, pictures and fonts, and forbids framing. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "frame-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const icon = html`<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%231d4ed8'/%3E%3Cpath d='M3.5 8l9-4-2.6 8.6-2.3-3z' fill='%23fff'/%3E%3C/svg%3E">`;

/** The page is empty; its script renders it (app/main.tsx). */
export const page = html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Form Relay studio</title>
${icon}
<link rel="stylesheet" href="/studio/app/studio.css">
<script type="module" src="/studio/app/studio.js"></script>
</head>
<body><div id="studio"></div><noscript>The studio needs JavaScript.</noscript></body>
</html>
`;

const delivered: EndingState = { word: 'Delivered', tone: 'ok', icon: 'check' };

/** Features add outcomes of their own: an unknown one is shown by name. */
const endings: Readonly<Record<string, EndingState>> = {
  held: { word: 'On hold', tone: 'quiet', icon: 'clock' },
  dropped: { word: 'Dropped', tone: 'quiet', icon: 'slash' },
  replayed: { word: 'Answered again', tone: 'quiet', icon: 'check' },
  invalid: { word: 'Not valid', tone: 'warn', icon: 'alert' },
  undelivered: { word: 'Failed', tone: 'bad', icon: 'cross' },
};
/** Outcomes that the owner must act on. */
const bad = /^(bad_request|busy|uncounted|unknown_form|no_.*)$/;

const failed = { tone: 'bad', icon: 'cross' } as const;
const noticed = { tone: 'warn', icon: 'alert' } as const;

const partly: EndingState = { word: 'Delivered in part', tone: 'warn', icon: 'alert' };
const kept: EndingState = { word: 'Queued', tone: 'warn', icon: 'clock' };
const keptInPart: EndingState = { word: 'Queued in part', tone: 'warn', icon: 'clock' };
const deliveredNowhere: EndingState = { word: 'Not delivered', tone: 'warn', icon: 'alert' };

/** Why the pretended delivery reached nobody; `undefined` if it was real, or nothing was delivered. */
export function nowhere({ outcome, outputs }: SubmissionReport): string | undefined {
  const hosts = outputs
    .filter(({ result }) => result === 'delivered')
    .map(({ target }) => reservedHostIn(target));
  return outcome === 'delivered' &&
    hosts[0] !== undefined &&
    hosts.every((host) => host?.endsWith('.invalid'))
    ? `no server has the name ${hosts[0]}`
    : undefined;
}

/** `not_open` becomes "Not open". */
const titled = (kind: string) => kind.replaceAll('_', ' ').replace(/./, (first) => first.toUpperCase());

/** A report's outcome as a short label for its badge. */
export function endingOf(report: SubmissionReport): EndingState {
  const { outcome, outputs } = report;
  if (nowhere(report) !== undefined) return deliveredNowhere;
  if (outcome !== 'delivered')
    return endings[outcome] ?? { word: titled(outcome), ...(bad.test(outcome) ? failed : noticed) };
  const has = (wanted: OutputReport['result']) => outputs.some(({ result }) => result === wanted);
  if (has('kept')) return has('delivered') ? keptInPart : kept;
  return has('failed') ? partly : delivered;
}
