/** The name of the PDF among the fields of a submission. No field of a visitor's has it. */
export const pdfName = '_pdf';
