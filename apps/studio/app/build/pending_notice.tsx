/** Says that changes are not in the text yet, why, and leads there. */
import { pathIn } from '../../edit/model.ts';
import { drop, pending } from '../pending.ts';
import { Prose } from '../prose.tsx';
import { say } from '../store.ts';
import { goTo } from './go_to.ts';

export function PendingNotice() {
  const problems = pending.value;
  if (!problems) return null;
  const [first] = problems;
  return (
    <section class="notice warn b-pending" aria-label="Not in the config yet" role="status">
      <p>
        <b>Not in the config yet.</b>{' '}
        {first && (
          <>
            <code>{first.path.replace(/^forms\.[^.[]+\./, '')}</code>: <Prose text={first.message} />
            {problems.length > 1 && ` (and ${problems.length - 1} more)`}
          </>
        )}
      </p>
      {first && (
        <button type="button" class="b-small" onClick={() => goTo(pathIn(first.path))}>
          Show
        </button>
      )}
      <button
        type="button"
        class="b-small"
        onClick={() => {
          drop();
          say('Taken back');
        }}
      >
        Take it back
      </button>
    </section>
  );
}
