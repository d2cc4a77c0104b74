/** The longest text that the studio takes as a draft. To check one of 4 MB, with 2,000 forms, takes 400 MB of memory. */
export const maxDraftBytes = 4 * 1_048_576;

export const tooLongToEdit = 'the studio edits configs of up to 4 MB; use another editor for a longer one';
