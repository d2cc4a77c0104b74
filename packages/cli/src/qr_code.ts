import { attributes, type Html, html } from '@form-relay/core/html/html';
import { create } from 'qrcode/lib/core/qrcode.js';

/** The quiet zone around the pattern (ISO/IEC 18004). */
const margin = 4;

/** A QR code as SVG; a screen reader says the label. Fails for more than 2,331 bytes. */
export function qrCode(text: string, label: string): { readonly svg: Html; readonly size: number } {
  const { size, data } = create(text, { errorCorrectionLevel: 'M' }).modules;
  const isDark = (x: number, y: number) => data[y * size + x] === 1;
  let path = '';
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      const start = x;
      while (x < size && isDark(x, y)) x += 1;
      if (x > start) path += `M${start + margin} ${y + margin}h${x - start}v1H${start + margin}z`;
    }
  }
  const side = size + 2 * margin;
  const about = attributes({
    xmlns: 'http://www.w3.org/2000/svg',
    viewBox: `0 0 ${side} ${side}`,
    role: 'img',
    'aria-label': label,
    'shape-rendering': 'crispEdges',
  });
  const svg = html`<svg${about}>
<rect${attributes({ width: side, height: side, fill: '#fff' })}/>
<path${attributes({ d: path })}/>
</svg>
`;
  return { svg, size };
}
