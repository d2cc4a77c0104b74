/** English texts for the time before the script knows the form's language. The build inserts them from packages/relay/src/messages/en.json. */
declare const english: Readonly<Record<'not_sent' | 'not_sent_yet' | 'not_loaded' | 'open_form', string>>;
