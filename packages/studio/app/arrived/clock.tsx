import { computed } from '@preact/signals';
import { Icon } from '../icons.tsx';
import { post } from '../post.ts';
import { state } from '../store.ts';
import { aheadInWords } from './ahead.ts';

/** Steps of a click, in milliseconds. */
const pushes = {
  '1 min': 60_000,
  '15 min': 15 * 60_000,
  '1 h': 3_600_000,
  '1 day': 86_400_000,
} as const;

const aheadMs = computed(() => state.value?.aheadMs ?? 0);

const push = (ms: number) => void post('/studio/clock', { ms: String(ms) });

/** The relay's clock: kept deliveries, links and open forms go by it. */
export function Clock() {
  return (
    <div class="clock">
      <p>
        <Icon name="clock" />{' '}
        {aheadMs.value === 0 ? (
          'The relay’s clock'
        ) : (
          <>
            The clock is <b>{aheadInWords(aheadMs.value)}</b> ahead
          </>
        )}
      </p>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls that hold values. */}
      <p role="group" aria-label="Push the clock on">
        {Object.entries(pushes).map(([words, ms]) => (
          <button
            key={ms}
            type="button"
            class="tool"
            title={`Push the clock on by ${words}`}
            onClick={() => push(ms)}
          >
            +{words}
          </button>
        ))}
      </p>
    </div>
  );
}
