/** Stands in every form that has parts and is not sent by packages/element/src/element: loads them. */
{
  const form = document.currentScript?.closest('form') as HTMLFormElement;
  const action = new URL(form.getAttribute('action') as string, document.baseURI);
  for (const name of form.dataset.parts?.split(' ') ?? []) {
    // Without it, the form works as browsers make it, and the relay asks people what a puzzle would have shown.
    import(`${new URL(`../${name}.js`, action)}`).then(({ attach }) => attach(form, form)).catch(() => {});
  }
}
