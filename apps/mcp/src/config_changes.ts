/** Changes of a config that an assistant sees with dots: what no edit names stays, with its secrets. */
import { ownPath } from '@form-relay/schema/diagnostics';
import { isLong, type Written, type WrittenText } from './bounds.ts';
import { ConfigView, dot, secretIn } from './config_view.ts';
import { ToolError } from './owner.ts';

/** A config to come: as it would be written, as the assistant sees it, and as a dry run takes it. All of one length. */
export type Draft = Pick<ConfigView, 'full' | 'shown' | 'safe'>;

export interface Edit {
  readonly old: string;
  readonly new: string;
}

/** A whole text in place of the config. Throws a `ToolError` if it has dots for secrets. */
export function replaced(text: string, view: ConfigView): Draft {
  refuseDots('text', text, view);
  return { full: text, shown: text, safe: text };
}

/** Replaces texts that each stand in one place of what is shown. Throws a `ToolError` about those that do not. */
export function edited(edits: readonly Edit[], view: ConfigView): Draft {
  const breaks = view.shown.includes('\r\n') ? '\r\n' : '\n';
  const inItsBreaks = (text: string) => text.replaceAll(/\r?\n/g, breaks);
  let draft: Draft = { full: view.full, shown: view.shown, safe: view.safe };
  for (const [index, edit] of edits.entries()) {
    const [old, text] = [inItsBreaks(edit.old), inItsBreaks(edit.new)];
    refuseDots(`edits[${index}]: "new"`, text, view);
    const found = draft.shown.split(old);
    if (found.length !== 2) {
      const often =
        found.length === 1 ? 'is not in the config' : `is in the config ${found.length - 1} times`;
      throw new ToolError(
        `edits[${index}]: "old" ${often}; it must be there exactly once, with its spaces and line breaks`,
      );
    }
    const at = found[0]?.length ?? 0;
    const change = (of: string) => of.slice(0, at) + text + of.slice(at + old.length);
    draft = { full: change(draft.full), shown: change(draft.shown), safe: change(draft.safe) };
  }
  refuseShown(draft, view);
  return draft;
}

function refuseDots(what: string, text: string, { shown, full }: ConfigView): void {
  if (shown !== full && text.includes(dot))
    throw new ToolError(
      `${what} has dots, which stand for secrets that read_config does not show. Give edits that leave them out: what no edit names stays`,
    );
}

/**
 * Throws a `ToolError` if a secret would be shown or would get another meaning: each stays a value of the same key, or is hidden
 * in a comment. A text that is not YAML may pass, since it never loads.
 */
function refuseShown({ full, shown }: Draft, view: ConfigView): void {
  const made = new ConfigView(full);
  if (!view.written || !made.written) return;
  const kinds = kindsIn(view.written, view.full);
  const { value, texts } = made.written;
  const moved = texts.find((one) =>
    [...kinds].some(([secret, own]) => one.value.includes(secret) && !own.has(kindOf(one.path, value))),
  );
  let at = moved?.place.offset;
  for (let index = 0; index < full.length && at === undefined; index += 1)
    if (shown[index] === dot && full[index] !== dot && made.shown[index] !== dot) at = index;
  if (at === undefined) return;
  throw new ToolError(
    `line ${full.slice(0, at).split('\n').length}: the secret behind the dots would be shown there, or get another meaning. Leave its line ` +
      'under the same key of an output of the same type, comment it out with "# ", or name an environment variable that the owner sets',
  );
}

/** For each secret, the places where it may stand. */
function kindsIn({ value, texts }: Written, full: string): ReadonlyMap<string, ReadonlySet<string>> {
  const kinds = new Map<string, Set<string>>();
  for (const one of texts) {
    // The part of an address that follows its host.
    const secret = secretIn(one, full) && one.value.replace(/^\s*[a-z][a-z\d+.-]*:\/\/[^\s/?#]*/i, '');
    if (secret !== undefined && isLong(secret))
      kinds.set(secret, (kinds.get(secret) ?? new Set()).add(kindOf(one.path, value)));
  }
  return kinds;
}

/** A path without the name of the form, and with types of outputs in place of numbers. */
function kindOf(path: WrittenText['path'], top: unknown): string {
  let value = top;
  const keys = path.map((key) => {
    value = (value as Readonly<Record<string, unknown>>)[key];
    return typeof key === 'number' ? String((value as { type?: unknown } | null)?.type) : key;
  });
  return JSON.stringify(ownPath(keys));
}
