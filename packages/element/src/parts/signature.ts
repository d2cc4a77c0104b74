/** `/api/v1/signature.js`: draws a signature beside the typed name (fields/signature.ts). */
import { make } from '../element/dom.ts';
import { eachField, makeButton } from './fields_of.ts';

const width = 600;
const height = 200;
/** All that is typed may have 64 KB, encoded. */
const mostCharacters = 20_000;

export function attach(form: HTMLFormElement, _?: HTMLFormElement, send = fetch): typeof fetch {
  eachField(form, '.field-signature', (field) => sign(form, field));
  return send;
}

function sign(form: HTMLFormElement, field: HTMLElement): void {
  const words = field.dataset as Record<'name' | 'draw' | 'clear' | 'drawn' | 'cleared', string>;
  const canvas = make('canvas', 'signature-pad');
  const pen = canvas.getContext('2d');
  const typed = field.querySelector('input');
  if (!pen || !typed) return;
  const hint = make('p', 'field-help', words.draw);
  const clear = makeButton(field, 'signature-clear');
  const status = make('p', 'signature-status');
  // A finger draws, and does not scroll.
  canvas.style.cssText = 'display:block;max-width:100%;touch-action:none';
  canvas.width = width;
  canvas.height = height;
  // Screen readers and keyboards sign with the name.
  canvas.setAttribute('aria-hidden', 'true');
  clear.textContent = words.clear;
  status.setAttribute('role', 'status');

  /** htmx may put it in anew. */
  const drawing = () => form.querySelector<HTMLInputElement>(`input[name="${CSS.escape(words.name)}"]`);
  const show = (isDrawn: boolean, says: string) => {
    clear.hidden = !isDrawn;
    status.textContent = says;
  };
  const wipe = () => {
    pen.fillStyle = '#fff';
    pen.fillRect(0, 0, width, height);
  };
  const keep = (value: string) => {
    const input = drawing();
    if (!input) return;
    input.value = value;
    input.dispatchEvent(new Event('change', { bubbles: true }));
  };
  const empty = (says = '') => {
    wipe();
    keep('');
    show(false, says);
  };

  pen.lineWidth = 3;
  pen.lineCap = 'round';
  pen.lineJoin = 'round';
  pen.strokeStyle = '#000';
  const placeOf = ({ clientX, clientY }: MouseEvent) => {
    const { left, top, width: shownWidth, height: shownHeight } = canvas.getBoundingClientRect();
    return [((clientX - left) * width) / shownWidth, ((clientY - top) * height) / shownHeight] as const;
  };
  canvas.addEventListener('pointerdown', (down) => {
    if (down.button !== 0 || !down.isPrimary || typed.matches(':disabled')) return;
    down.preventDefault();
    canvas.setPointerCapture(down.pointerId);
    let last = placeOf(down);
    const line = (to: readonly [number, number]) => {
      pen.beginPath();
      pen.moveTo(...last);
      pen.lineTo(...to);
      pen.stroke();
      last = to;
    };
    const drag = (move: PointerEvent) => {
      const all = move.getCoalescedEvents?.() ?? [];
      for (const one of all.length > 0 ? all : [move]) line(placeOf(one));
    };
    const end = () => {
      canvas.removeEventListener('pointermove', drag);
      canvas.removeEventListener('pointerup', end);
      canvas.removeEventListener('pointercancel', end);
      keep(imageOf(canvas));
      show(true, words.drawn);
    };
    // A tap is a dot.
    line(last);
    canvas.addEventListener('pointermove', drag);
    canvas.addEventListener('pointerup', end);
    canvas.addEventListener('pointercancel', end);
  });
  clear.addEventListener('click', () => {
    empty(words.cleared);
    typed.focus();
  });
  form.addEventListener('reset', () => empty());
  wipe();
  show(false, '');
  field.append(hint, canvas, clear, status);
  // Where no stylesheet draws a border, the pad would be white on white.
  if (getComputedStyle(canvas).borderTopWidth === '0px') canvas.style.border = '1px solid';
  void restore(drawing()?.value ?? '', pen).then((isDrawn) => isDrawn && show(true, words.drawn));
}

/** Smaller if it has too many strokes to be sent. */
function imageOf(canvas: HTMLCanvasElement): string {
  const image = canvas.toDataURL('image/png');
  if (image.length <= mostCharacters || canvas.width < 100) return image;
  const half = make('canvas', '');
  half.width = canvas.width / 2;
  half.height = canvas.height / 2;
  half.getContext('2d')?.drawImage(canvas, 0, 0, half.width, half.height);
  return imageOf(half);
}

/** A form that is shown again brings its drawing along. Its page may allow no images, but these are bytes. */
async function restore(image: string, pen: CanvasRenderingContext2D): Promise<boolean> {
  try {
    const [, encoded = ''] = image.split(';base64,');
    if (encoded === '') return false;
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    pen.drawImage(await createImageBitmap(new Blob([bytes], { type: 'image/png' })), 0, 0, width, height);
    return true;
  } catch {
    return false;
  }
}
