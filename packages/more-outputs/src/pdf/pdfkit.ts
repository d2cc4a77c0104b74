/** The libraries that write PDFs. The build bundles them into one shared file. */
/// <reference path="./libraries.d.ts" />
import bidiFactory from 'bidi-js';
import PDFDocument from 'pdfkit';

export default { PDFDocument, bidiFactory };
