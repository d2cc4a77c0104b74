/**
 * The frame with the live form. It is made once and never moved: a browser loads the page of a frame again when the frame
 * moves in the document.
 */
export const frame = document.createElement('iframe');
frame.id = 'frame';
frame.title = 'The form, live';
