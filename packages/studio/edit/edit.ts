/** Makes the steps of actions in a text, and checks that it says what they say. */
import { type Action, type Change, type Edited, type Refused, refused } from './action.ts';
import { cleaned, isEqual, modelled, type Step, stepsOf } from './model.ts';
import { type Parsed, read } from './read.ts';
import { putBack, splice, takeOut, whyNot } from './splice.ts';

/**
 * Several actions are one edit; each finds what the ones before left. The text is as it stands in the file; if it comes
 * from an editor that counts a line break as one character, so do the offsets.
 */
export function edit(text: string, actions: Action | readonly Action[]): Edited {
  let edited = new Editing(text);
  for (const written of [actions].flat() as Action[]) {
    const action = withJson(written);
    if (!action) return refused('A number without a value cannot be written.');
    if (edited.parsed.why) return refused(edited.parsed.why);
    const before = edited.parsed.value ?? null;
    const wanted = modelled(before, action);
    if (!wanted.ok) return wanted;
    for (const step of stepsOf(before, action)) {
      const next = edited.after(step);
      if (!(next instanceof Editing)) return next;
      edited = next;
    }
    if (!isEqual(edited.parsed.value, wanted.value)) return tooRisky;
  }
  return { ok: true, changes: edited.changes };
}

const tooRisky = refused('This change would touch more of the file than it should: make it in the text.');

function withJson(action: Action): Action | undefined {
  if (action.do !== 'set' && action.do !== 'insert') return action;
  const value = cleaned(action.value);
  return value === undefined ? undefined : { ...action, value };
}

/** A part of the text before, or what was written since. */
type Piece = { readonly from: number; readonly to: number } | { readonly written: string };

const lengthOf = (piece: Piece) => ('written' in piece ? piece.written.length : piece.to - piece.from);

const sliceOf = (piece: Piece, from: number, to: number): Piece =>
  'written' in piece
    ? { written: piece.written.slice(from, to) }
    : { from: piece.from + from, to: piece.from + to };

/** The text before and the changes so far. */
class Editing {
  readonly parsed: Parsed;
  readonly #before: string;
  readonly #pieces: readonly Piece[];

  constructor(before: string, pieces: readonly Piece[] = [{ from: 0, to: before.length }], text = before) {
    this.#before = before;
    this.#pieces = pieces;
    this.parsed = read(text);
  }

  after(step: Step): Editing | Refused {
    const { parsed } = this;
    const why = whyNot(parsed, step);
    if (why) return refused(why);
    if (step.do !== 'move') return this.#with(splice(parsed, step));
    const { changes, taken } = takeOut(parsed, [...step.path, step.from]);
    const without = this.#with(changes);
    if (!(without instanceof Editing)) return without;
    return without.#with(putBack(without.parsed, step.path, step.to, taken));
  }

  #with(changes: readonly Change[]): Editing | Refused {
    const { text } = this.parsed;
    const small = changes.map((change) => trimmed(text, change));
    const after = applied(text, small);
    const edited = new Editing(this.#before, this.#piecesAfter(small), after);
    return edited.parsed.why ? tooRisky : edited;
  }

  #piecesAfter(changes: readonly Change[]): readonly Piece[] {
    const made: Piece[] = [];
    let at = 0;
    let [piece, ...left] = this.#pieces;
    /** Takes pieces up to an offset, or drops them. */
    const upTo = (end: number, isKept: boolean) => {
      while (piece && at < end) {
        const length = lengthOf(piece);
        const part = Math.min(length, end - at);
        if (isKept) made.push(sliceOf(piece, 0, part));
        at += part;
        if (part < length) piece = sliceOf(piece, part, length);
        else [piece, ...left] = left;
      }
    };
    for (const { from, to, insert } of changes) {
      upTo(from, true);
      upTo(to, false);
      if (insert) made.push({ written: insert });
    }
    upTo(Number.POSITIVE_INFINITY, true);
    return made;
  }

  /** Offsets are those of the text before the edit. */
  get changes(): readonly Change[] {
    const changes: Change[] = [];
    let at = 0;
    let insert = '';
    const close = (from: number) => {
      if (from > at || insert) changes.push(trimmed(this.#before, { from: at, to: from, insert }));
      insert = '';
    };
    for (const piece of this.#pieces) {
      if ('written' in piece) insert += piece.written;
      else if (lengthOf(piece) > 0) {
        close(piece.from);
        at = piece.to;
      }
    }
    close(this.#before.length);
    return changes.filter(({ from, to, insert: written }) => from < to || written);
  }
}

/** Without what stays the same at both ends. Never cuts a surrogate pair or a CRLF apart. */
function trimmed(text: string, { from, to, insert }: Change): Change {
  const old = text.slice(from, to);
  const most = Math.min(old.length, insert.length);
  let head = 0;
  while (head < most && old[head] === insert[head]) head += 1;
  if (head > 0 && isPairAt(text, from + head)) head -= 1;
  let tail = 0;
  while (tail < most - head && old.at(-1 - tail) === insert.at(-1 - tail)) tail += 1;
  if (tail > 0 && isPairAt(text, to - tail)) tail -= 1;
  return { from: from + head, to: to - tail, insert: insert.slice(head, insert.length - tail) };
}

const isPairAt = (text: string, offset: number) =>
  /^(?:[\ud800-\udbff][\udc00-\udfff]|\r\n)$/.test(text.slice(offset - 1, offset + 1));

/** The text after changes, which are sorted and do not overlap. */
export function applied(text: string, changes: readonly Change[]): string {
  let made = '';
  let at = 0;
  for (const { from, to, insert } of changes) {
    made += text.slice(at, from) + insert;
    at = to;
  }
  return made + text.slice(at);
}
