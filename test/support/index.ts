/** All that most tests need: a relay, the servers that it delivers to, and ways to look at what they saw. */
export * from './gate.ts';
export * from './http_sink.ts';
export * from './listen.ts';
export * from './logged.ts';
export * from './mail.ts';
export * from './must.ts';
export * from './raw_server.ts';
export * from './relay.ts';
export * from './smtp_script.ts';
export * from './smtp_sink.ts';
export * from './stage.ts';
export * from './temp_folder.ts';
