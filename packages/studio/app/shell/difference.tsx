/** The file's text beside the owner's, with what differs marked. */
import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { text } from '../store.ts';
import { type Block, blocksOf, type Line } from './line_blocks.ts';

/** Unchanged lines shown around a change. */
const margin = 2;
/** Lines of a block, at most: a whole file of another kind would take the browser seconds. */
const most = 400;

/** Side by side where there is room, one below the other where there is not. */
export function Difference({ theirs }: { readonly theirs: string }) {
  const isBroad = matchMedia('(min-width: 43.75rem)').matches;
  return (
    <section
      id="difference"
      class={isBroad ? 'broad' : ''}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard
      tabIndex={0}
      aria-label="The file and your text, compared"
    >
      {blocksOf(theirs, text.value).map((block, nth, all) =>
        block.isSame ? (
          <Same
            key={nth}
            block={block}
            isBroad={isBroad}
            before={nth === 0 ? 0 : margin}
            after={nth === all.length - 1 ? 0 : margin}
          />
        ) : (
          <Rows key={nth} block={block} isBroad={isBroad} />
        ),
      )}
    </section>
  );
}

interface RowsProps {
  readonly block: Block;
  readonly isBroad: boolean;
}

/** Lines far from a change are folded. */
function Same({
  block,
  isBroad,
  before,
  after,
}: RowsProps & { readonly before: number; readonly after: number }) {
  const [isOpen, setOpen] = useState(false);
  const folded = block.mine.length - before - after;
  if (isOpen || folded < 2) return <Rows block={block} isBroad={isBroad} />;
  const part = (from: number, to: number) => (
    <Rows
      block={{ isSame: true, theirs: block.theirs.slice(from, to), mine: block.mine.slice(from, to) }}
      isBroad={isBroad}
    />
  );
  return (
    <>
      {part(0, before)}
      <button type="button" class="folded" onClick={() => setOpen(true)}>
        {folded} unchanged lines
      </button>
      {part(before + folded, block.mine.length)}
    </>
  );
}

function Rows({ block: { isSame, theirs, mine }, isBroad }: RowsProps) {
  const count = Math.max(theirs.length, mine.length);
  const more = count > most && <p class="folded">{count - most} more lines</p>;
  const [gone, come] = isSame ? (['', ''] as const) : (['gone', 'come'] as const);
  if (isBroad)
    return (
      <>
        {Array.from({ length: Math.min(count, most) }, (_, nth) => (
          <Fragment key={nth}>
            <Row line={theirs[nth]} kind={gone} />
            <Row line={mine[nth]} kind={come} />
          </Fragment>
        ))}
        {more}
      </>
    );
  return (
    <>
      {!isSame && theirs.slice(0, most).map((line) => <Row key={line.at} line={line} kind={gone} />)}
      {mine.slice(0, most).map((line) => (
        <Row key={line.at} line={line} kind={come} />
      ))}
      {more}
    </>
  );
}

/** `line`: none where only the other side has one. */
function Row({ line, kind }: { readonly line: Line | undefined; readonly kind: '' | 'gone' | 'come' }) {
  if (!line) return <div class="row empty" />;
  const Mark = kind === 'gone' ? 'del' : 'ins';
  const [from, to] = line.changed;
  return (
    <div class={`row ${kind}`}>
      <span class="number">{line.at}</span>
      <code>
        {line.text.slice(0, from)}
        {from < to && <Mark>{line.text.slice(from, to)}</Mark>}
        {line.text.slice(to)}
      </code>
    </div>
  );
}
