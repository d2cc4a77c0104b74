import { showOutputs } from '../builder_tab.ts';
import { builtId, form } from '../fields/form_model.ts';
import { isPlaceholder } from './placeholder.ts';

/** As long as what visitors send goes nowhere. */
export function Nowhere({ onGo }: { readonly onGo?: () => void }) {
  const { outputs } = form.value;
  if (Array.isArray(outputs) && outputs.length > 0 && !isPlaceholder(outputs)) return null;
  return (
    <p class="b-next">
      <span>Nobody gets what is sent yet.</span>
      <button
        type="button"
        class="b-small b-primary"
        onClick={() => {
          onGo?.();
          showOutputs(builtId.value ?? '');
        }}
      >
        Next: where should it go?
      </button>
    </p>
  );
}
