/** Shown before an action on a sealed submission: which of its values leave the browser. */

export type SealedAction = 'again' | 'restore' | 'mark' | 'erase' | 'delete' | 'deliver';

const server = 'the server behind the inbox';

export const sentWords: Readonly<Record<SealedAction, string>> = {
  again: `This submission is sealed. Delivering it again sends all its values and files from this browser to ${server}, which gives them to the output you choose.`,
  restore: `This submission is sealed. Restoring it sends all its values and files from this browser to ${server}, which gives them to the outputs of its form.`,
  mark: `This submission is sealed. The mark and the id of the submission go to ${server}, and none of its values.`,
  erase: `Sealed submissions are searched in this browser. Erasing sends the address you entered, and which submissions to remove, to ${server}.`,
  delete: `This submission is sealed. Deleting it tells ${server} which one to remove, and none of its values.`,
  deliver:
    'This delivery is stored in the open until it succeeds. Delivering it now sends nothing from this browser.',
};
