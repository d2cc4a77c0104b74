/** A report as a separate page for printing or sending, and as the content of a PDF. */

import { crc32, deflateSync } from 'node:zlib';
import { html } from '@form-relay/base/html';
import type { Tested } from '@form-relay/canary/proof';
import type { Filed } from '@form-relay/more-outputs/pdf/filed';
import type { Figures } from './figures.ts';

export interface Report {
  /** The title of a form, or the name of a client. */
  readonly title: string;
  /** `2026-10` */
  readonly month: string;
  readonly figures: Figures;
  /** Without a log, only archives and the store are known. */
  readonly hasLog: boolean;
  readonly hasStore: boolean;
  readonly tested: Tested | undefined;
  /** The reports of a client's forms. */
  readonly parts: readonly Report[];
  readonly look: {
    readonly accent: string | undefined;
    readonly name: string | undefined;
    readonly logo: Filed['logo'];
    readonly footer: string | undefined;
  };
  readonly madeAt: number;
}

const unknown = 'unknown';

const number = (count: number) => count.toLocaleString('en');
const monthWords = (month: string): string =>
  new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    Date.parse(`${month}-01`),
  );

function timeWords(ms: number | undefined): string {
  if (ms === undefined) return unknown;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 90_000) return `${(ms / 1_000).toFixed(1)} s`;
  return ms < 5_400_000 ? `${Math.round(ms / 60_000)} min` : `${(ms / 3_600_000).toFixed(1)} h`;
}

/** A sentence on the results of all submissions. */
export function verdictOf({ figures, hasLog }: Pick<Report, 'figures' | 'hasLog'>): string {
  const { received, onTime, late, waiting, lost, unknown: unclear } = figures;
  if (received === 0) return 'No submissions in this month.';
  const arrived = onTime + late;
  if (arrived === received)
    return received === 1 ? 'The one submission arrived.' : `All ${number(received)} submissions arrived.`;
  const rest = [
    waiting > 0 && `${number(waiting)} ${waiting === 1 ? 'waits' : 'wait'} to be delivered`,
    lost > 0 && `${number(lost)} ${lost === 1 ? 'was' : 'were'} not delivered everywhere`,
    unclear > 0 && `the outcome of ${number(unclear)} is unknown`,
  ].filter(Boolean);
  const first = hasLog
    ? `${number(arrived)} of ${number(received)} submissions arrived`
    : `${number(received)} submissions were received`;
  return `${first}; ${rest.join(', ')}.`;
}

type Row = readonly [label: string, value: string, says: string];

/** The figures in order, with explanations. */
function rowsOf({ figures, hasLog, hasStore, tested }: Report): readonly Row[] {
  const { received, onTime, late, waiting, lost, told, unknown: unclear, medianMs } = figures;
  const logged = (count: number) => (hasLog ? number(count) : unknown);
  const testedRow: readonly Row[] = tested
    ? [
        [
          'Tests passed',
          `${number(tested.passed)} of ${number(tested.passed + tested.failed)}`,
          'by the relay itself',
        ],
      ]
    : [];
  const unclearRow: readonly Row[] =
    unclear > 0 && hasLog ? [['Unclear', number(unclear), 'not in the log']] : [];
  return [
    ['Received', number(received), 'accepted from visitors'],
    ['Delivered immediately', logged(onTime), 'before the visitor saw the confirmation'],
    ['Delivered late', logged(late), 'queued while a server was down'],
    ['Waiting', hasLog || hasStore ? number(waiting) : unknown, 'queued, and retried'],
    ['Lost', logged(lost), toldOf(lost, told)],
    ...unclearRow,
    ['Median time', timeWords(medianMs), 'from sending to the last delivery'],
    ...testedRow,
  ];
}

function toldOf(lost: number, told: number): string {
  if (told === 0) return 'not delivered everywhere';
  return told === lost ? 'visitors saw an error' : `${number(told)} visitors saw an error`;
}

const dayTime = (at: number) => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

const failuresOf = ({ tested }: Report): readonly string[] =>
  (tested?.failures ?? []).map(
    ({ since, until }) => `${dayTime(since)} – ${until === undefined ? 'still' : dayTime(until)}`,
  );

/** Explanations of why numbers are unknown. */
const notesOf = ({ hasLog, hasStore, tested, figures }: Report): readonly string[] => [
  ...(hasLog ? [] : ['Without the log, delivery times and losses are unknown.']),
  ...(hasStore ? [] : ['No store of queued deliveries was read.']),
  ...(tested ? [] : ['No tests are recorded.']),
  ...(hasLog && figures.unknown > 0
    ? ['Unclear: submissions that the log does not mention, or that the owner settled by hand.']
    : []),
  'Dropped and rejected submissions are not counted. Days are in UTC.',
];

/** How many submissions were received on each day of the month. */
function daysOf({ month, figures }: Report): readonly number[] {
  const last = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).getUTCDate();
  const dayOf = (index: number) => `${month}-${String(index + 1).padStart(2, '0')}`;
  return Array.from({ length: last }, (_, index) => figures.days.get(dayOf(index)) ?? 0);
}

export function pageOf(report: Report): string {
  const { title, month, figures, parts, look, madeAt } = report;
  const { onTime, late, waiting, lost, unknown: unclear, received } = figures;
  const logo =
    look.logo && `data:${look.logo.type};base64,${Buffer.from(look.logo.bytes).toString('base64')}`;
  const shares = [onTime, late, waiting, lost, unclear];
  const names = ['at once', 'late', 'waiting', 'lost', 'unclear'];
  const days = daysOf(report);
  const most = Math.max(1, ...days);
  const failures = failuresOf(report);
  const content = html`<header>
${logo ? html`<img src="${logo}" alt="${look.logo?.name ?? ''}">` : html`<p class="name">${look.name ?? ''}</p>`}
<p class="month">${monthWords(month)}</p>
</header>
<main>
<h1>${title}</h1>
<p class="verdict">${verdictOf(report)}</p>
<div class="shares" role="img" aria-label="${names.map((name, index) => `${name}: ${shares[index]}`).join(', ')}">${shares.map((count, index) => count > 0 && html`<i class="s${index}" style="flex:${count}"></i>`)}</div>
<dl class="figures">${rowsOf(report).map(([label, value, says]) => html`<div><dt>${label}</dt><dd${value === unknown && html` class="unknown"`}>${value}</dd><dd class="says">${says}</dd></div>`)}</dl>
<h2>By day</h2>
<div class="days" role="img" aria-label="Received by day: at most ${most}, ${received} together">${days.map((count, index) => html`<i style="height:${Math.round((count / most) * 100)}%" title="${index + 1}: ${count}"></i>`)}</div>
<p class="axis"><span>1</span><span>${Math.ceil(days.length / 2)}</span><span>${days.length}</span></p>
${
  parts.length > 0 &&
  html`<h2>Forms</h2>
<table><thead><tr><th scope="col">Form</th><th scope="col">Received</th><th scope="col">Arrived</th><th scope="col">Lost</th><th scope="col">Median time</th></tr></thead><tbody>${parts.map((part) => html`<tr><th scope="row">${part.title}</th><td>${number(part.figures.received)}</td><td>${part.hasLog ? number(part.figures.onTime + part.figures.late) : unknown}</td><td>${part.hasLog ? number(part.figures.lost) : unknown}</td><td>${timeWords(part.figures.medianMs)}</td></tr>`)}</tbody></table>`
}
${
  failures.length > 0 &&
  html`<h2>When tests failed</h2>
<ul>${failures.map((one) => html`<li>${one}</li>`)}</ul>`
}
<h2>What this report knows</h2>
<ul class="notes">${notesOf(report).map((one) => html`<li>${one}</li>`)}</ul>
</main>
<footer>${look.footer && html`<p>${look.footer}</p>`}<p>Made on ${dayTime(madeAt)}</p></footer>`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${html`${title}: ${monthWords(month)}`}</title>
<style>:root{--accent:${accentOf(report)}}${styles}</style></head><body>
${content}
</body></html>
`;
}

const accentOf = ({ look: { accent = '' } }: Report): string =>
  /^#[\da-f]{6}$/i.test(accent) ? accent : '#1d4ed8';

const styles = `*{box-sizing:border-box}body{margin:0 auto;max-width:52rem;padding:clamp(1.25rem,5vw,3.5rem);font:1rem/1.55 system-ui,sans-serif;color:#1b1b1f;background:#fff}
header{display:flex;justify-content:space-between;align-items:center;gap:1rem;padding-bottom:1.25rem;border-bottom:1px solid #e2e2e8}header img{max-height:3rem;max-width:14rem}p{margin:0}.name{font-weight:600}.month{color:#55555f}
h1{margin:2.25rem 0 .35rem;font-size:clamp(1.7rem,5vw,2.4rem);line-height:1.15;letter-spacing:-.02em;color:var(--accent)}h2{margin:2.5rem 0 .75rem;font-size:1.05rem}.verdict{font-size:1.2rem}
.shares{display:flex;gap:2px;height:.75rem;margin:1.5rem 0;border-radius:1rem;overflow:hidden;background:#eeeef2}.s0{background:var(--accent)}.s1{background:color-mix(in srgb,var(--accent) 55%,#fff)}.s2{background:#d99a1c}.s3{background:#c0262d}.s4{background:#b5b5bf}
.figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(11rem,44%),1fr));gap:1px;margin:0;border:1px solid #e2e2e8;border-radius:.75rem;overflow:hidden}.figures div{box-shadow:0 0 0 1px #e2e2e8;padding:1rem 1.1rem}dt{font-size:.85rem;color:#55555f}dd{margin:.1rem 0 0;font-size:1.7rem;font-weight:600;line-height:1.2;font-variant-numeric:tabular-nums}dd.unknown{font-size:1.1rem;font-weight:400;color:#55555f}dd.says{font-size:.8rem;font-weight:400;color:#55555f;line-height:1.4}
.days{display:flex;align-items:flex-end;gap:3px;height:7rem;border-bottom:1px solid #c9c9d2}.days i{flex:1;min-height:1px;background:var(--accent);border-radius:2px 2px 0 0}.axis{display:flex;justify-content:space-between;font-size:.8rem;color:#55555f}
table{width:100%;border-collapse:collapse;font-variant-numeric:tabular-nums}th,td{padding:.5rem .4rem;text-align:right;border-bottom:1px solid #e2e2e8}th:first-child{text-align:left}thead th{font-size:.85rem;color:#55555f;font-weight:400}tbody th{font-weight:600;overflow-wrap:anywhere}
ul{margin:0;padding-left:1.2rem}.notes,footer{font-size:.85rem;color:#55555f}footer{margin-top:3rem;padding-top:1rem;border-top:1px solid #e2e2e8}
@media print{body{padding:0}i,.figures,.figures div{print-color-adjust:exact;-webkit-print-color-adjust:exact}.figures div,tr{break-inside:avoid}}@page{margin:18mm}`;

export function filedOf(report: Report): Filed {
  const { title, month, look, madeAt, parts } = report;
  const entry = (label: string, ...values: readonly string[]) => ({ label, values, files: [] });
  const failures = failuresOf(report);
  const days = daysOf(report);
  const chart = { name: 'days.png', type: 'image/png', bytes: chartOf(days, accentOf(report)) };
  return {
    language: 'en',
    direction: 'ltr',
    title: `${title}: ${monthWords(month)}`,
    about: [{ label: 'Summary', values: [verdictOf(report)] }],
    entries: [
      ...rowsOf(report).map(([label, value, says]) => entry(`${label} (${says})`, value)),
      {
        label: 'By day',
        values: [`1 to ${days.length}: at most ${Math.max(...days)} on a day`],
        files: [chart],
      },
      ...parts.map((part) => entry(part.title, verdictOf(part))),
      ...(failures.length > 0 ? [entry('When tests failed', ...failures)] : []),
      entry('Scope of this report', ...notesOf(report)),
    ],
    receivedAt: madeAt,
    accent: accentOf(report),
    logo: look.logo,
    footer: look.footer,
  };
}

// The days of a month as an image for PDFs: a PNG with bars in two colours.

const [width, height, gap] = [1_240, 200, 8];

/** @param accent A colour, such as `#1d4ed8`. */
function chartOf(days: readonly number[], accent: string): Uint8Array {
  const most = Math.max(1, ...days);
  const step = width / days.length;
  const isBar = (x: number, y: number) => {
    const day = days[Math.floor(x / step)] ?? 0;
    return x % step < step - gap && height - 2 - y <= Math.max(0, (day / most) * (height - 2));
  };
  const rows = Array.from({ length: height }, (_, y) => [
    0,
    ...Array.from({ length: width }, (_, x) => Number(isBar(x, y) || y >= height - 2)),
  ]);
  const colours = Buffer.from(`ffffff${accent.slice(1)}`, 'hex');
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  // 8 bits per pixel, each an index into the palette.
  head.set([8, 3], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', head),
    chunk('PLTE', colours),
    chunk('IDAT', deflateSync(Buffer.from(rows.flat()))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}
