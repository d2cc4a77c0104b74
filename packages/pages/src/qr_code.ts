/** QR codes of URLs, for printing. */
/// <reference path="./qrcode.d.ts" />

import { attributes, html } from '@form-relay/base/html';

export interface QrCode {
  /** Modules per row, including the quiet zone around the pattern. */
  readonly size: number;
  isDark(column: number, row: number): boolean;
  readonly svg: string;
}

/** The quiet zone around the pattern (ISO/IEC 18004). */
const margin = 4;

/** @param label The text for screen readers. Rejects more than 2,331 bytes. */
export async function qrCode(text: string, label: string): Promise<QrCode> {
  const { create } = await import('qrcode/lib/core/qrcode.js');
  const { size: inner, data } = create(text, { errorCorrectionLevel: 'M' }).modules;
  const size = inner + 2 * margin;
  const isDark = (column: number, row: number) => {
    const [x, y] = [column - margin, row - margin];
    return x >= 0 && y >= 0 && x < inner && y < inner && data[y * inner + x] === 1;
  };
  let path = '';
  for (let y = 0; y < size; y += 1)
    for (let x = 0; x < size; x += 1) {
      const start = x;
      while (isDark(x, y)) x += 1;
      if (x > start) path += `M${start} ${y}h${x - start}v1H${start}z`;
    }
  const about = {
    xmlns: 'http://www.w3.org/2000/svg',
    viewBox: `0 0 ${size} ${size}`,
    role: 'img',
    'aria-label': label,
    'shape-rendering': 'crispEdges',
  };
  const svg = html`<svg${attributes(about)}>
<rect${attributes({ width: size, height: size, fill: '#fff' })}/>
<path d="${path}"/>
</svg>
`;
  return { size, isDark, svg: svg.toString() };
}
