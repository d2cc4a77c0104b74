import { Icon } from '../icons.tsx';
import { ask } from '../relay.ts';
import { notice } from '../store.ts';

/** `id`: of the delivery. `pdf`: its name and size. */
interface PdfOf {
  readonly id: string;
  readonly pdf: string;
}

export const SavePdf = ({ id, pdf }: PdfOf) => (
  <p>
    <button type="button" class="tool" title={pdf} onClick={() => void save(id, pdf)}>
      <Icon name="down" /> Save the PDF
    </button>
  </p>
);

async function save(id: string, pdf: string): Promise<void> {
  const answer = await ask(`/studio/pdf/${id}`);
  if (!answer?.ok) {
    notice.value = 'The studio no longer has this PDF: send the form again.';
    return;
  }
  const bytes = Uint8Array.from(atob(answer.text), (one) => one.charCodeAt(0));
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([bytes], { type: 'application/pdf' }));
  link.download = pdf.replace(/ \(.*/, '');
  link.click();
  URL.revokeObjectURL(link.href);
}
