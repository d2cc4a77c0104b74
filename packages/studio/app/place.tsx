/** Parts of the page that differ by place. *Try it* puts another module in the place of this one (try/bundle.ts). */

/** Beside an output. */
export { SavePdf as PlacePdf } from './arrived/pdf.tsx';
/** In the header. */
export { SendTest as PlaceActions } from './send_test.tsx';
/** Below everything. */
export const PlaceNotes = () => null;
