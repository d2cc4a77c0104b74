/** English texts for the time before the script knows the form's language. The build inserts them. */
declare const english: Readonly<Record<import('../../english.ts').EnglishText, string>>;
