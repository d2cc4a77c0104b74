/** What the script says before it knows the form's language. The build puts the texts of packages/relay/src/messages/en.json in their places. */
declare const english: Readonly<Record<'not_sent' | 'not_sent_yet' | 'not_loaded' | 'open_form', string>>;
