/** Texts in the form's language, which the relay inserts into the script. */
declare const words: Readonly<Record<import('../../inline_scripts.ts').InsertedText, string>>;
