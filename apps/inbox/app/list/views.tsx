/** Saved views: filters with a name, below the forms. */
import { Button, Icon } from '@form-relay/ui/controls';
import type { View } from '../../src/api.ts';
import { about } from '../about.ts';
import { choiceIn, chooseOnly, isFormsOpen, paramsOf, query } from '../address.ts';
import { removeView } from '../dialogs/pick.tsx';

const keyOf = (choice: string) => [...new URLSearchParams(choice)].map(String).sort().join('\n');

export function openView({ query: saved }: View): void {
  isFormsOpen.value = false;
  chooseOnly(choiceIn(new URLSearchParams(saved)));
}

export function Views() {
  const { views = [] } = about.value?.work ?? {};
  if (views.length === 0) return null;
  const now = keyOf(String(paramsOf(query.value)));
  return (
    <section class="views" aria-labelledby="views">
      <h3 id="views">Views</h3>
      <ul>
        {views.map((view) => (
          <li key={view.nth}>
            <Button
              class="form-line"
              aria-current={keyOf(view.query) === now ? 'true' : undefined}
              onClick={() => openView(view)}
            >
              <bdi title={view.name}>{view.name}</bdi>
              {view.isShared && <span class="tag">shared</span>}
            </Button>
            {view.isOwn && (
              <Button
                class="tool quiet"
                aria-label={`Remove the view ${view.name}`}
                onClick={() => void removeView(view.nth)}
              >
                <Icon name="cross" />
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
