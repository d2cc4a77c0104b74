export { confirmLink } from '../src/dry_run/confirm_link.ts';
export { createDryRun } from '../src/dry_run/dry_run.ts';
export { keepInWords, sentence } from '../src/dry_run/keep_words.ts';
export { notes } from '../src/dry_run/notes.ts';
export { humanToken } from '../src/dry_run/stand_in_captcha.ts';
export { standInsOf } from '../src/dry_run/stand_ins.ts';
