/** What the relay says to visitors. `npm run generate` leaves a place in the script for each text that it names. */
declare const words: Readonly<Record<import('@form-relay/relay/messages/message').MessageCode, string>>;
