/** What the relay says to visitors. `npm run generate` leaves a place in the script for each text that it names. */
declare const words: Readonly<Record<import('../../messages/message.ts').MessageCode, string>>;
