import { type AliasEvent, EVENT_ID, type Event } from 'js-yaml';
import { finding } from '../../schema/finding.ts';
import { anchorOf, type Misread, misread } from './places.ts';

/** Aliases may expand a document to this many nodes beyond ten times its size: generous, but no bomb. */
const aliasAllowance = 100_000;

/** Rejects documents that the parser accepts: empty ones, several, or exploding aliases. */
export function refuseShape(text: string, events: readonly Event[]): Misread | undefined {
  const documents = events.filter((event) => event.type === EVENT_ID.DOCUMENT);
  if (documents.length === 0) return misread(finding('config_empty', []));
  if (documents.length > 1) {
    const marks = [...text.matchAll(/^(---|\.\.\.)(?!\S)/gm)];
    const second = marks[documents[0]?.explicitStart ? 1 : 0];
    return misread(finding('yaml_second_document', []), { offset: second?.index ?? 0, length: 3 });
  }
  const firstAlias = events.find((event) => event.type === EVENT_ID.ALIAS);
  return firstAlias && refuseAliases(text, events, firstAlias);
}

function refuseAliases(text: string, events: readonly Event[], first: AliasEvent): Misread | undefined {
  const sizes = new Map<string, number>();
  const open: { anchor: string; before: number }[] = [];
  let nodes = 0;
  for (const event of events) {
    const anchor = anchorOf(text, event);
    if (event.type === EVENT_ID.POP) {
      const node = open.pop();
      if (node) sizes.set(node.anchor, nodes - node.before);
    } else if (event.type === EVENT_ID.ALIAS) {
      const place = { offset: event.anchorStart, length: event.anchorEnd - event.anchorStart };
      if (open.some((node) => node.anchor === anchor)) {
        return misread(finding('yaml_alias_endless', []), place);
      }
      nodes += sizes.get(anchor) ?? 1;
    } else {
      if (event.type !== EVENT_ID.SCALAR) open.push({ anchor, before: nodes });
      nodes += 1;
    }
  }
  if (nodes <= 10 * events.length + aliasAllowance) return undefined;
  return misread(finding('yaml_aliases_too_large', [], { nodes }), {
    offset: first.anchorStart,
    length: first.anchorEnd - first.anchorStart,
  });
}
