/** `/api/v1/signature.js`: draws a signature next to the typed name. */
import { addStyle, eachField, make, makeButton, makeStatus } from './page_tools.ts';

const width = 600;
const height = 200;
/** All typed text together may have 64 KB when encoded. */
const mostCharacters = 20_000;

const style = `
.signature-pad{display:block;max-inline-size:100%;margin-block:.5em;border:1px solid var(--_line,currentcolor);border-radius:.25em;background:#fff;cursor:crosshair;touch-action:none}
.signature-hint{margin-block:.75em 0}
.signature-status{margin:.25em 0 0}`;

export function attach(form: HTMLFormElement, _?: HTMLElement, send = fetch): typeof fetch {
  addStyle(form, style);
  eachField(form, '.field-signature', (field) => sign(form, field));
  return send;
}

type Words = Record<'name' | 'draw' | 'clear' | 'drawn' | 'cleared', string>;

function sign(form: HTMLFormElement, field: HTMLElement): void {
  const words = field.dataset as Words;
  const typed = field.querySelector('input');
  // Black ink on white, so that the image is readable anywhere.
  const canvas = make('canvas', 'signature-pad');
  const pen = canvas.getContext('2d');
  if (!pen || !typed) return;
  canvas.width = width;
  canvas.height = height;
  // Screen reader and keyboard users sign with the name.
  canvas.ariaHidden = 'true';
  const clear = makeButton(field, 'signature-clear');
  clear.textContent = words.clear;
  const status = makeStatus('signature-status');

  /** htmx may replace it. */
  const drawing = () => form.querySelector<HTMLInputElement>(`input[name="${CSS.escape(words.name)}"]`);
  const show = (isDrawn: boolean, says: string) => {
    clear.hidden = !isDrawn;
    status.textContent = says;
  };
  const keep = (value: string) => {
    const input = drawing();
    if (!input) return;
    input.value = value;
    input.dispatchEvent(new Event('change', { bubbles: true }));
  };
  const empty = (says: string) => {
    pen.fillStyle = '#fff';
    pen.fillRect(0, 0, width, height);
    show(false, says);
  };

  pen.lineWidth = 3;
  pen.lineCap = 'round';
  pen.lineJoin = 'round';
  const placeOf = ({ clientX, clientY }: MouseEvent) => {
    const { left, top, width: across, height: down } = canvas.getBoundingClientRect();
    return [((clientX - left) * width) / across, ((clientY - top) * height) / down] as const;
  };
  canvas.addEventListener('pointerdown', (down) => {
    if (down.button !== 0 || !down.isPrimary || typed.matches(':disabled')) return;
    down.preventDefault();
    let last = placeOf(down);
    const line = (to: readonly [number, number]) => {
      pen.beginPath();
      pen.moveTo(...last);
      pen.lineTo(...to);
      pen.stroke();
      last = to;
    };
    const draw = (move: PointerEvent) => {
      const all = move.getCoalescedEvents?.() ?? [];
      for (const one of all.length > 0 ? all : [move]) line(placeOf(one));
    };
    const end = () => {
      removeEventListener('pointermove', draw);
      for (const type of ['pointerup', 'pointercancel']) removeEventListener(type, end);
      keep(imageOf(canvas));
      show(true, words.drawn);
    };
    // A tap draws a dot.
    line(last);
    addEventListener('pointermove', draw);
    for (const type of ['pointerup', 'pointercancel']) addEventListener(type, end);
  });
  clear.addEventListener('click', () => {
    empty(words.cleared);
    keep('');
    typed.focus();
  });
  form.addEventListener('reset', () => {
    empty('');
    keep('');
  });
  empty('');
  field.append(make('p', 'signature-hint field-help', words.draw), canvas, clear, status);
  void restore(drawing()?.value ?? '', pen).then((isDrawn) => isDrawn && show(true, words.drawn));
}

/** Scaled down if it has too many strokes to send. */
function imageOf(canvas: HTMLCanvasElement): string {
  const image = canvas.toDataURL('image/png');
  if (image.length <= mostCharacters || canvas.width < 100) return image;
  const half = document.createElement('canvas');
  half.width = canvas.width / 2;
  half.height = canvas.height / 2;
  half.getContext('2d')?.drawImage(canvas, 0, 0, half.width, half.height);
  return imageOf(half);
}

/** Restores the drawing when a form is shown again. Decodes the bytes, because the page's policy may block image URLs. */
async function restore(image: string, pen: CanvasRenderingContext2D): Promise<boolean> {
  const [, encoded = ''] = image.split(';base64,');
  if (encoded === '') return false;
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    pen.drawImage(await createImageBitmap(new Blob([bytes], { type: 'image/png' })), 0, 0, width, height);
    return true;
  } catch {
    return false;
  }
}
