/** Shown before an action on a sealed submission: which of its values leave the browser. */

const server = 'the server behind the inbox';

export const sentWords: Readonly<Record<'again' | 'restore' | 'erase', string>> = {
  again: `This submission is sealed. Delivering it again sends all its values and files from this browser to ${server}, which gives them to the output you choose.`,
  restore: `This submission is sealed. Restoring it sends all its values and files from this browser to ${server}, which gives them to the outputs of its form.`,
  erase: `Sealed submissions are searched in this browser. Erasing sends the address you entered, and which submissions to remove, to ${server}.`,
};
