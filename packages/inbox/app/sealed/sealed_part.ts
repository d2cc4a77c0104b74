/** The code for sealed submissions, which loads when somebody opens the first one. */
export { findPerson } from './find_person.ts';
export { IdentityDialog } from './identity_dialog.tsx';
export { openWhole } from './open_whole.ts';
export { createSealed, type Sealed } from './sealed.ts';
