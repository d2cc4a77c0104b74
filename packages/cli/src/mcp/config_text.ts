/** The config as an assistant sees it: without the secrets that its owner wrote into it. */
import { maskLine } from '@form-relay/relay/config';
import { CommandFailed } from '../command_failed.ts';

const dot = '•';

/** The text with each secret as so many dots: those that problems hide, and tokens in addresses. */
export function masked(text: string): string {
  let start = 0;
  return text
    .split('\n')
    .map((line) => {
      const shown = maskLine(text, start, line).replaceAll(/https?:\/\/[^\s"'<>]+/g, withoutTokens);
      start += line.length + 1;
      return shown;
    })
    .join('\n');
}

/** Webhooks of chats have tokens in their paths, other services in their queries. */
const withoutTokens = (url: string) =>
  url.replaceAll(/(?<=\/)(?:[A-Za-z0-9]{20,}|[\w-]{40,})(?=[/?#]|$)|(?<=[?&][\w.-]+=)[^&#{}]{8,}/g, (token) =>
    dot.repeat(token.length),
  );

/**
 * Puts the secrets of `now` back into a text that was made from `masked(now)`. A line takes its secret along if it is
 * unchanged but for its indentation. Throws a `CommandFailed` about dots that stand for nothing, or for several secrets.
 */
export function unmasked(text: string, now: string): string {
  const originals = now.split('\n');
  const hidden = masked(now).split('\n');
  const secrets = new Map<string, Set<string>>();
  for (const [index, line] of hidden.entries()) {
    const original = originals[index] ?? '';
    if (line === original) continue;
    const key = keyOf(hidden, index);
    secrets.set(key, (secrets.get(key) ?? new Set()).add(original.trim()));
  }
  const known = new Set(originals.map((line) => line.trim()));
  const lines = text.split('\n');
  return lines
    .map((line, index) => {
      if (!line.includes(dot.repeat(2))) return line;
      const found = secrets.get(keyOf(lines, index));
      const [secret] = found ?? [];
      if (found?.size === 1 && secret !== undefined) return line.replace(line.trim(), () => secret);
      if (known.has(line.trim())) return line;
      throw new CommandFailed(
        `line ${index + 1}: the dots stand for a secret that read_config does not show. ` +
          'Leave its line as it is, or name an environment variable that the owner sets',
      );
    })
    .join('\n');
}

/** A line without a key of its own is known by the line above it. */
function keyOf(lines: readonly string[], index: number): string {
  const line = (lines[index] ?? '').trim();
  return line.includes(':') ? line : `${(lines[index - 1] ?? '').trim()}\n${line}`;
}

export interface Edit {
  readonly old: string;
  readonly new: string;
}

/** Replaces texts that each stand in one place. Throws a `CommandFailed` about those that do not. */
export function edited(text: string, edits: readonly Edit[]): string {
  return edits.reduce((before, edit, index) => {
    const parts = before.split(edit.old);
    if (parts.length === 2) return parts.join(edit.new);
    const often = parts.length === 1 ? 'is not in the config' : `is in the config ${parts.length - 1} times`;
    throw new CommandFailed(
      `edits[${index}]: "old" ${often}; it must be there exactly once, with its spaces and line breaks`,
    );
  }, text);
}
