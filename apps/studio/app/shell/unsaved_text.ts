/** The text that is not in the file, kept in this browser until it is saved or discarded: it outlives the page and the studio. */

export interface UnsavedText {
  readonly text: string;
  /** With what is pending. */
  readonly built: string;
  /** The version of the file that it was made from. */
  readonly base: string;
  /** The version of the server's draft that it followed. */
  readonly over: string;
}

const keyOf = (file: string) => `form-relay-studio ${file}`;

/** @param unsaved `undefined`: forgets it. */
export function keepUnsaved(file: string, unsaved: UnsavedText | undefined): void {
  try {
    if (unsaved) localStorage.setItem(keyOf(file), JSON.stringify(unsaved));
    else localStorage.removeItem(keyOf(file));
  } catch {
    // A browser without room, or that keeps nothing: the studio has the draft.
  }
}

export function unsavedOf(file: string): UnsavedText | undefined {
  try {
    const kept = JSON.parse(localStorage.getItem(keyOf(file)) ?? 'null');
    return kept ?? undefined;
  } catch {
    return undefined;
  }
}
