/** Included in every form that has parts and is not sent by packages/element/src/element: loads them. */
{
  const form = document.currentScript?.closest('form') as HTMLFormElement;
  const action = new URL(form.getAttribute('action') as string, document.baseURI);
  for (const name of form.dataset.parts?.split(' ') ?? []) {
    // Without the parts, the form works as plain HTML, and the relay asks people a question instead of a puzzle.
    import(`${new URL(`../${name}.js`, action)}`).then(({ attach }) => attach(form, form)).catch(() => {});
  }
}
