/** Parts of the page that differ by place. *Try it* puts another module in the place of this one (try/bundle.ts). */

/** Beside an output. */
export { SavePdf as PlacePdf } from './arrived/pdf.tsx';
/** In the header. */
export const PlaceActions = () => null;
/** Below everything. */
export const PlaceNotes = () => null;
