/** Without a journal: the line that the config lacks. */
export const JournalHint = () => (
  <>
    the config has no journal. To see it from now on, create a folder and add this to the top of the config:
    <code class="to-add">{'journal: {in: <folder>, for: 90d}'}</code>
  </>
);
