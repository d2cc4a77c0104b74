/** English texts for scripts that do not know the form's language yet. The build inserts them. */
declare const english: Readonly<Record<import('../../english.ts').EnglishText, string>>;
