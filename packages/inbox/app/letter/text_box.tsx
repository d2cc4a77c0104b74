/** A long text that scrolls by itself. */
export const TextBox = ({ label, text }: { readonly label: string; readonly text: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard
  <section class="text" tabIndex={0} aria-label={label}>
    <pre dir="auto">{text}</pre>
  </section>
);
