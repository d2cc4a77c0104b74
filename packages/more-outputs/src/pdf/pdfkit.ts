/** The libraries that write PDFs, which all builds share as one file. */
/// <reference path="./libraries.d.ts" />
import bidiFactory from 'bidi-js';
import PDFDocument from 'pdfkit';

export default { PDFDocument, bidiFactory };
