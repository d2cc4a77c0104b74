import { inClear } from '../../transports/archive/entry.ts';
import type { Archive, Tell, Thing, Trouble } from './archive.ts';
import { daySpan, monthSpan, type Span, yearSpan } from './day.ts';

/** Which submissions are meant: all of what is left out. */
export interface Choice {
  /** The form's name. */
  readonly form?: string | undefined;
  /** Received at this moment or later; milliseconds since the epoch. */
  readonly since?: number | undefined;
  /** Received before this moment. */
  readonly until?: number | undefined;
}

/** A day of a form, as a folder of the archive. */
export interface Day extends Span {
  readonly form: string;
  readonly folder: string;
}

/** The days of an archive that something of the choice may stand in: form after form, day after day. */
export async function* days(archive: Archive, choice: Choice, tell: Tell): AsyncGenerator<Day> {
  for await (const { name: segment } of folders(archive, '', isFormSegment, tell)) {
    const form = inClear(segment);
    if (form === undefined || (choice.form !== undefined && form !== choice.form)) continue;
    for await (const { name: year } of folders(archive, segment, isYear, tell)) {
      if (isOutside(yearSpan(year), choice)) continue;
      for await (const { name: month } of folders(archive, `${segment}/${year}`, isMonth, tell)) {
        if (isOutside(monthSpan(year, month), choice)) continue;
        const folder = `${segment}/${year}/${month}`;
        const isDay = (name: string) => /^\d\d$/.test(name) && daySpan(year, month, name) !== undefined;
        for await (const { name: day } of folders(archive, folder, isDay, tell)) {
          const span = daySpan(year, month, day);
          if (span && !isOutside(span, choice)) yield { ...span, form, folder: `${folder}/${day}` };
        }
      }
    }
  }
}

const isOutside = ({ from, to }: Span, { since = -Infinity, until = Infinity }: Choice) =>
  to <= since || from >= until;

const isYear = (name: string) => /^[1-9]\d{3}$/.test(name);
const isMonth = (name: string) => /^(0[1-9]|1[0-2])$/.test(name);
const isFormSegment = (name: string) => inClear(name) !== undefined;

/** The folders of a folder whose names are right. All else does not belong there. */
async function* folders(
  archive: Archive,
  folder: string,
  isRight: (name: string) => boolean,
  tell: Tell,
): AsyncGenerator<Thing> {
  for await (const thing of archive.list(folder)) {
    if (thing.kind === 'folder' && isRight(thing.name)) yield thing;
    else tell(foreign(folder, thing));
  }
}

/** What is said of what no archive has. */
export const foreign = (folder: string, { name, kind }: Thing): Trouble => ({
  kind: 'foreign',
  path: folder === '' ? name : `${folder}/${name}`,
  what: kind === 'other' ? 'is a link or a device; left alone' : 'is no part of an archive; left alone',
});

/** A file that the relay is writing, or was when it was ended. */
export const isUnfinished = ({ kind, name }: Thing): boolean => kind === 'file' && /^\..+\.tmp$/.test(name);
